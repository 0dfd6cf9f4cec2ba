import { randomUUID } from 'node:crypto';
import { isoTime, isoTimeOrNull } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { OutboxMessage } from '../../../wire/ledger.ts';
import { OUTBOX_RETRY_MS } from '../../../wire/limits.ts';
import type { Transaction } from '../../storage/index.ts';
import { createSender, type SenderParts } from './sender.ts';
import type { WebhookRow } from './store.ts';

/** A webhook to send. `enqueue` adds `id`, `event` and `time` to the body. */
export type OutboxDraft = {
  /** Webhooks to the same receiver with the same key are delivered in order. */
  orderingKey: string;
  event: string;
  url: string;
  body: Readonly<Record<string, unknown>>;
  /** Time of the event in Unix milliseconds. Default: now. */
  time?: number;
  /**
   * Merges the webhook into the last pending webhook of its queue if that one is equal and was never sent, so that
   * webhooks do not accumulate while a receiver is down.
   */
  coalesce?: boolean;
};

/** Outbox of webhooks: a durable queue per receiver and ordering key. */
export type OutboxService = {
  /**
   * Enqueues a webhook in the transaction of its event. Returns its id, or the id of the pending webhook into which it
   * was merged.
   */
  enqueue(tx: Transaction, draft: OutboxDraft): string;
  /** Returns at most 500 webhooks, dead letters first. */
  list(): OutboxMessage[];
  /** Retries a webhook's queue immediately. A dead letter becomes pending again. @throws Failure not_found */
  retry(id: string): Promise<OutboxMessage>;
  /** @throws Failure not_found */
  drop(id: string): Promise<void>;
  start(): void;
  /** Sends due webhooks without waiting for the timer. For tests. */
  wake(): void;
  /** Aborts deliveries in flight. They are sent again after the next start. */
  close(): Promise<void>;
};

const MAX_LISTED_WEBHOOKS = 500;

export type OutboxParts = Omit<SenderParts, 'random'> & {
  /** For tests. */
  random?: SenderParts['random'];
};

/** The draft's body cannot override `id`, `event` or `time`. */
const bodyOf = (id: string, draft: OutboxDraft, time: number): string => {
  const head = { id, event: draft.event };
  return JSON.stringify({ ...head, ...draft.body, ...head, time: isoTime(time) });
};

/**
 * Returns the origin of the URL, or the text itself if it is not a valid URL. Webhooks to an invalid URL become dead
 * letters, so that the owner sees the problem.
 */
const receiverOf = (url: string): string => URL.parse(url)?.origin ?? url;

const notFound = (): Failure => new Failure('not_found', 'There is no such webhook. It may have been delivered.');

export const createOutboxService = (parts: OutboxParts): OutboxService => {
  const { store, writer, events, clock } = parts;
  const sender = createSender({ ...parts, random: parts.random ?? Math.random });
  /** Webhooks up to this sequence number may have been sent by an earlier run of the server. */
  const newestSeqAtStart = store.readNewestSeq();

  /** Returns the queue's last pending webhook if it has the same content and was certainly never sent. */
  const findEquivalent = (draft: OutboxDraft, receiver: string): WebhookRow | undefined => {
    const last = store.findLast({ ordering_key: draft.orderingKey, receiver });
    if (
      last === undefined ||
      last.seq <= newestSeqAtStart ||
      last.last_problem !== null ||
      sender.mayHaveBeenSent(last.id)
    )
      return undefined;
    return last.url === draft.url && last.body === bodyOf(last.id, draft, last.created) ? last : undefined;
  };

  const toWire = (row: WebhookRow): OutboxMessage => {
    const due = row.died === null ? sender.dueOf(row) : undefined;
    return {
      id: row.id,
      orderingKey: row.ordering_key,
      event: row.event,
      to: URL.parse(row.url)?.host ?? '',
      created: isoTime(row.created),
      state: row.died === null ? 'waiting' : 'dead',
      attempts: row.attempts,
      nextAttempt: isoTimeOrNull(due),
      lastProblem: row.last_problem,
    };
  };

  const findExisting = (id: string): WebhookRow => {
    const row = store.find(id);
    if (row === undefined) throw notFound();
    return row;
  };

  return {
    enqueue(tx, draft) {
      const receiver = receiverOf(draft.url);
      const equivalent = draft.coalesce === true ? findEquivalent(draft, receiver) : undefined;
      if (equivalent !== undefined) return equivalent.id;
      const id = randomUUID();
      const { orderingKey, event, url } = draft;
      const now = clock.now();
      const created = draft.time ?? now;
      const body = bodyOf(id, draft, created);
      store.insert(tx, {
        id,
        ordering_key: orderingKey,
        receiver,
        event,
        url,
        body,
        created,
        expires: now + OUTBOX_RETRY_MS,
        next_attempt: now,
      });
      events.notify(tx, 'outbox');
      tx.afterCommit(() => sender.refresh({ ordering_key: orderingKey, receiver }));
      return id;
    },

    list: () => store.list(MAX_LISTED_WEBHOOKS).map(toWire),

    async retry(id) {
      const row = await writer.write((tx) => {
        const existing = findExisting(id);
        const now = clock.now();
        store.revive(tx, id, now, now + OUTBOX_RETRY_MS);
        store.retryNow(tx, existing, now);
        events.notify(tx, 'outbox');
        tx.afterCommit(() => sender.refresh(existing));
        return findExisting(id);
      });
      return toWire(row);
    },

    async drop(id) {
      await writer.write((tx) => {
        const existing = findExisting(id);
        store.remove(tx, id);
        events.notify(tx, 'outbox');
        tx.afterCommit(() => {
          sender.abort(id);
          sender.refresh(existing);
        });
      });
    },

    start: () => sender.start(),
    wake: () => sender.wake(),
    close: () => sender.close(),
  };
};
