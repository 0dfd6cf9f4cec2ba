import { setTimeout as sleep } from 'node:timers/promises';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { route } from '../../../platform/http/route.ts';
import type { EventService, Topic } from './service.ts';

/** Milliseconds between heartbeats: proxies close idle connections. */
const HEARTBEAT_MS = 20_000;
/** Milliseconds in which changes are merged into one event per endpoint or topic. */
const MERGE_WINDOW_MS = 250;

type RecordCounts = { endpoint: string; created: number; updated: number; deleted: number };

/** Routes that stream live changes to the dashboard as server-sent events. */
export const eventRoutes = (parts: {
  events: EventService;
  endpoints: { pathOf(id: number): string | undefined };
  /** `onEnd` registers a listener for the end of any session and returns the function that unregisters it. */
  sessions: { isAlive(id: string): boolean; onEnd(listener: () => void): () => void };
}) => {
  const { events, endpoints, sessions } = parts;

  async function* streamEvents(signal: AbortSignal, session: string): AsyncGenerator<string> {
    const counts = new Map<string, RecordCounts>();
    const topics = new Set<Topic>();
    const isIdle = (): boolean => counts.size === 0 && topics.size === 0;
    let wake: () => void = () => undefined;
    const unsubscribeFromRecords = events.listen((changes) => {
      for (const { kind, endpoint, count, path: previousPath } of changes) {
        const path = previousPath ?? endpoints.pathOf(endpoint);
        // The endpoint was deleted in the meantime. A separate event reports the deletion.
        if (path === undefined) continue;
        const endpointCounts = counts.get(path) ?? { endpoint: path, created: 0, updated: 0, deleted: 0 };
        endpointCounts[kind === 'restored' ? 'created' : kind] += count;
        counts.set(path, endpointCounts);
      }
      wake();
    });
    const unsubscribeFromTopics = events.onTopic((topic) => {
      topics.add(topic);
      wake();
    });
    signal.addEventListener('abort', () => wake());
    const unsubscribeFromSessions = sessions.onEnd(() => wake());
    const isOver = (): boolean => signal.aborted || !sessions.isAlive(session);
    try {
      yield ': connected\n\n';
      while (!isOver()) {
        if (isIdle()) {
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, HEARTBEAT_MS);
            timer.unref();
            wake = () => {
              clearTimeout(timer);
              resolve();
            };
          });
        }
        if (isOver()) return;
        if (isIdle()) {
          yield ': still here\n\n';
          continue;
        }
        await sleep(MERGE_WINDOW_MS);
        if (isOver()) return;
        const messages = [...counts.values()].map((entry) => `event: records\ndata: ${JSON.stringify(entry)}\n\n`);
        for (const topic of topics) messages.push(`event: changed\ndata: ${JSON.stringify({ topic })}\n\n`);
        counts.clear();
        topics.clear();
        yield messages.join('');
      }
    } finally {
      unsubscribeFromRecords();
      unsubscribeFromTopics();
      unsubscribeFromSessions();
    }
  }

  return [
    route({
      method: 'GET',
      path: '/api/v2.6/owner/events',
      tag: 'Your data',
      summary: 'Stream changes as they happen',
      description:
        'Server-sent events. `records`: `{endpoint, created, updated, deleted}`; `created` includes records that were ' +
        'restored or moved to the endpoint, and `deleted` those that were moved away. ' +
        '`changed`: `{topic}`, where the topic is ' +
        '`debits`, `applications`, `ledger`, `outbox`, `files`, `functions`, `network`, `offers`, `contracts`, `backup`, ' +
        '`exposure`, `second-factor`, `erasure`, `moves`, `profile` or `examples`.',
      access: ownerOnly,
      responses: { 200: { description: 'A stream that ends with the session', contentType: 'text/event-stream' } },
      handler: ({ caller }) => ({
        status: 200,
        stream: streamEvents(caller.signal(), 'sessionId' in caller.principal ? caller.principal.sessionId : ''),
        contentType: 'text/event-stream; charset=utf-8',
      }),
    }),
  ] as const;
};
