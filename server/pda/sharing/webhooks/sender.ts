import { CompactSign } from 'jose';
import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import type { SafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import type { SigningKey } from '../../../platform/auth/tokens.ts';
import { OUTBOX_TIMEOUT_MS, DEAD_LETTER_RETENTION_MS } from '../../../wire/limits.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Writer } from '../../storage/index.ts';
import {
  deliveryVerdict,
  isDue,
  nextToSend,
  type DeliveryInFlight,
  type DeliveryOutcome,
  type QueueHead,
} from './rules.ts';
import type { QueueKey, WebhookRow, OutboxStore } from './store.ts';

/** Returns a detached JWS (RFC 7515, appendix F), `header..signature`, over the bytes of the body. */
const createDetachedSignature = async (body: Buffer, key: SigningKey): Promise<string> => {
  const jws = await new CompactSign(body).setProtectedHeader({ alg: 'RS256', kid: key.kid }).sign(key.privateKey);
  const [header, , signature] = jws.split('.');
  return `${header}..${signature}`;
};

/**
 * Limits timers while webhooks are pending, because the clock can be changed and the machine can sleep. Also the delay
 * after an error in this PDA.
 */
const MAX_TIMER_MS = 60_000;

type Queue = QueueKey & QueueHead & { id: string };
type Delivery = DeliveryInFlight & { id: string; controller: AbortController; done: Promise<void> };

const keyOf = ({ receiver, ordering_key: orderingKey }: QueueKey): string => `${receiver} ${orderingKey}`;

export type SenderParts = {
  store: OutboxStore;
  writer: Writer;
  events: EventService;
  safeFetch: SafeFetch;
  keys: () => readonly SigningKey[];
  clock: Clock;
  log: Log;
  random: () => number;
};

export const createSender = (parts: SenderParts) => {
  const { store, writer, events, safeFetch, clock, log, random } = parts;
  const queues = new Map<string, Queue>();
  const deliveries = new Map<string, Delivery>();
  /** Webhooks that may have been sent although no outcome is stored. */
  const attemptedIds = new Set<string>();
  let serveCounter = 0;
  let state: 'idle' | 'running' | 'closed' = 'idle';
  let timer: NodeJS.Timeout | undefined;

  const reload = (queueKey: QueueKey): void => {
    const key = keyOf(queueKey);
    const head = store.head(queueKey);
    if (head === undefined) {
      queues.delete(key);
      return;
    }
    const { id, ordering_key, receiver, next_attempt: due, attempts } = head;
    queues.set(key, { id, ordering_key, receiver, due, attempts, lastServed: queues.get(key)?.lastServed ?? 0 });
  };

  const idleQueues = function* (): Generator<Queue> {
    for (const [key, queue] of queues) if (!deliveries.has(key)) yield queue;
  };

  const sendDue = (): void => {
    clearTimeout(timer);
    if (state !== 'running') return;
    const now = clock.now();
    for (;;) {
      const queue = nextToSend(idleQueues(), [...deliveries.values()], now);
      if (queue === undefined) break;
      startDelivery(queue);
    }
    // Due queues without a free slot need no timer, because each finished delivery calls this function again.
    let delayMs = Infinity;
    for (const queue of idleQueues())
      if (!isDue(queue.due, now)) delayMs = Math.min(delayMs, queue.due - now, MAX_TIMER_MS);
    if (delayMs !== Infinity) timer = setTimeout(wake, delayMs).unref();
  };

  const wake = (): void => {
    try {
      sendDue();
    } catch (error) {
      log.error({ err: error }, 'finding due webhooks failed');
    }
  };

  const startDelivery = (queue: Queue): void => {
    const controller = new AbortController();
    const { id, receiver, attempts } = queue;
    queue.lastServed = ++serveCounter;
    attemptedIds.add(id);
    const delivery: Delivery = { id, receiver, isRetry: attempts > 0, controller, done: Promise.resolve() };
    // Set before `deliver` starts, because `deliver` can end immediately, and removes the entry when it ends.
    deliveries.set(keyOf(queue), delivery);
    delivery.done = deliver(queue, controller.signal);
  };

  /** Never rejects. */
  const deliver = async (queue: Queue, signal: AbortSignal): Promise<void> => {
    try {
      const row = store.find(queue.id);
      if (row !== undefined) await storeOutcome(row, await sendRequest(row, signal), signal);
      attemptedIds.delete(queue.id);
      if (state === 'running') reload(queue);
    } catch (error) {
      // The usual cause is a full disk: a delivered webhook then cannot be deleted. Without a delay, the PDA would send
      // it again and again without a pause.
      log.error(
        { err: error, webhookId: queue.id },
        'a webhook could not be sent, or its outcome could not be stored; trying again in a minute',
      );
      queues.set(keyOf(queue), { ...queue, due: clock.now() + MAX_TIMER_MS });
    } finally {
      deliveries.delete(keyOf(queue));
      wake();
    }
  };

  const sendRequest = async (row: WebhookRow, signal: AbortSignal): Promise<DeliveryOutcome> => {
    const key = parts.keys().find((candidate) => !candidate.retired);
    if (key === undefined) throw new Error('this PDA has no active signing key');
    const body = Buffer.from(row.body);
    const response = await safeFetch(row.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'personal-data-account',
        // Signed at each attempt, because the key can be rotated between attempts.
        'x-pda-signature': await createDetachedSignature(body, key),
      },
      body,
      timeoutMs: OUTBOX_TIMEOUT_MS,
      // Only the status is needed, and the body can be arbitrarily long.
      discardBody: true,
      signal,
    });
    return response.ok
      ? { kind: 'response', status: response.status, retryAfter: response.headers['retry-after'] }
      : { kind: 'no-response', problem: response.cause, isPermanent: response.failure === 'bad_address' };
  };

  const storeOutcome = async (row: WebhookRow, outcome: DeliveryOutcome, signal: AbortSignal): Promise<void> => {
    const now = clock.now();
    const verdict = deliveryVerdict(outcome, row, now, random());
    // A delivery that this PDA aborted does not count as a failure. A success before the abort counts.
    if (signal.aborted && verdict.kind !== 'delivered') return;
    await writer.write((tx) => {
      if (verdict.kind === 'delivered') store.remove(tx, row.id);
      else if (verdict.kind === 'retry') store.recordFailure(tx, row.id, verdict.nextAttempt, verdict.problem);
      else {
        store.markDead(tx, row.id, now, verdict.problem);
        store.deleteDeadBefore(tx, now - DEAD_LETTER_RETENTION_MS);
      }
      events.notify(tx, 'outbox');
    });
    if (verdict.kind === 'dead') log.warn({ webhookId: row.id, event: row.event }, 'a webhook became a dead letter');
  };

  return {
    /** Must be called after a webhook is added, changed or removed. */
    refresh(key: QueueKey): void {
      if (state !== 'running') return;
      reload(key);
      sendDue();
    },
    /** Returns Unix milliseconds; undefined if the webhook is not at the head of its queue. */
    dueOf(row: WebhookRow): number | undefined {
      const queue = queues.get(keyOf(row));
      return queue?.id === row.id ? queue.due : undefined;
    },
    abort(id: string): void {
      for (const delivery of deliveries.values()) if (delivery.id === id) delivery.controller.abort();
    },
    mayHaveBeenSent: (id: string): boolean => attemptedIds.has(id),
    start(): void {
      if (state !== 'idle') return;
      state = 'running';
      for (const key of store.queues()) reload(key);
      wake();
    },
    wake,
    async close(): Promise<void> {
      state = 'closed';
      clearTimeout(timer);
      const completions = [...deliveries.values()].map(({ done }) => done);
      for (const delivery of deliveries.values()) delivery.controller.abort();
      await Promise.all(completions);
    },
  };
};
