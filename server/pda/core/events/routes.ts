import { setTimeout as sleep } from 'node:timers/promises';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { route } from '../../../platform/http/route.ts';
import type { EventService, Topic } from './service.ts';

/** Milliseconds between signs of life: proxies cut lines that are silent. */
const HEARTBEAT_MS = 20_000;
/** Milliseconds in which changes are gathered: a storm of writes is a few lines a second. */
const GATHER_MS = 250;

type Gathered = { endpoint: string; created: number; updated: number; deleted: number };

/** Live changes for the dashboard, as server-sent events. */
export const eventRoutes = (parts: {
  events: EventService;
  endpoints: { pathOf(id: number): string | undefined };
  /** Whether a session goes on, and who wants to know of each end of one. */
  sessions: { isAlive(id: string): boolean; onEnd(listener: () => void): () => void };
}) => {
  const { events, endpoints, sessions } = parts;

  async function* live(signal: AbortSignal, session: string): AsyncGenerator<string> {
    const gathered = new Map<string, Gathered>();
    const topics = new Set<Topic>();
    const isQuiet = (): boolean => gathered.size === 0 && topics.size === 0;
    let wake: () => void = () => undefined;
    const stop = events.listen((changes) => {
      for (const { kind, endpoint, count, path: pathThen } of changes) {
        const path = pathThen ?? endpoints.pathOf(endpoint);
        // Deleted since; the deletion is an event too.
        if (path === undefined) continue;
        const entry = gathered.get(path) ?? { endpoint: path, created: 0, updated: 0, deleted: 0 };
        entry[kind === 'restored' ? 'created' : kind] += count;
        gathered.set(path, entry);
      }
      wake();
    });
    const stopTopics = events.onTopic((topic) => {
      topics.add(topic);
      wake();
    });
    signal.addEventListener('abort', () => wake());
    // A session that is ended hears nothing more, from that moment on.
    const stopListening = sessions.onEnd(() => wake());
    const isOver = (): boolean => signal.aborted || !sessions.isAlive(session);
    try {
      yield ': connected\n\n';
      while (!isOver()) {
        if (isQuiet()) {
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
        if (isQuiet()) {
          yield ': still here\n\n';
          continue;
        }
        await sleep(GATHER_MS);
        if (isOver()) return;
        const lines = [...gathered.values()].map((entry) => `event: records\ndata: ${JSON.stringify(entry)}\n\n`);
        for (const topic of topics) lines.push(`event: changed\ndata: ${JSON.stringify({ topic })}\n\n`);
        gathered.clear();
        topics.clear();
        yield lines.join('');
      }
    } finally {
      stop();
      stopTopics();
      stopListening();
    }
  }

  return [
    route({
      method: 'GET',
      path: '/api/v2.6/owner/events',
      tag: 'Your data',
      summary: 'Changes as they happen',
      description:
        'Server-sent events named `records`: `{endpoint, created, updated, deleted}`, and `changed`: `{topic}`, where the topic is ' +
        '`debits`, `applications`, `ledger`, `outbox`, `files`, `functions`, `network`, `offers`, `contracts`, `backup`, ' +
        '`exposure`, `second-factor` or `erasure`.',
      access: ownerOnly,
      responses: { 200: { description: 'A stream without end', contentType: 'text/event-stream' } },
      handler: ({ caller }) => ({
        status: 200,
        stream: live(caller.signal(), 'sessionId' in caller.principal ? caller.principal.sessionId : ''),
        contentType: 'text/event-stream; charset=utf-8',
      }),
    }),
  ] as const;
};
