import { randomUUID } from 'node:crypto';
import { isoTime } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { OutboxMessage } from '../../../wire/ledger.ts';
import { OUTBOX_RETRY_MS } from '../../../wire/limits.ts';
import type { Transaction } from '../../storage/index.ts';
import { createSender, type SenderParts } from './sender.ts';
import type { MessageRow } from './store.ts';

/** A webhook to send. The sender adds `id` and `time` to the body. */
export type OutboxDraft = {
  /** Messages of one lane arrive in order. */
  lane: string;
  event: string;
  /** Third-party URL; requested only through safe-fetch. */
  url: string;
  body: Readonly<Record<string, unknown>>;
  /** When it happened (Unix milliseconds), if not now. */
  time?: number;
  /**
   * The webhook only announces news, so a pending one that was never attempted covers it too. Prevents one webhook per write
   * from piling up for a receiver that is down.
   */
  coalesce?: boolean;
};

export type OutboxService = {
  /** Queues a message in the transaction of what it tells: both are kept, or neither. Returns its id. */
  enqueue(tx: Transaction, draft: OutboxDraft): string;
  /** What waits and what was given up, dead ones first. */
  list(): OutboxMessage[];
  /** Tries the message's lane at once; a dead message waits again. @throws Failure not_found */
  retry(id: string): Promise<OutboxMessage>;
  /** Takes a message away unsent. @throws Failure not_found */
  drop(id: string): Promise<void>;
  /** Begins to send. */
  start(): void;
  /** Looks at once for what is due: when the clock was set, or the machine woke. */
  wake(): void;
  /** Breaks off what is under way: it counts as not delivered and is sent again after the next start. */
  close(): Promise<void>;
};

/** Messages that a list shows. */
const SHOWN = 500;

export type OutboxParts = Omit<SenderParts, 'random'> & {
  /** For tests. */
  random?: SenderParts['random'];
};

/** The bytes that are sent. Nothing in the draft's body can take the place of what the sender says. */
const bodyOf = (id: string, draft: OutboxDraft, time: number): string => {
  const own = { id, event: draft.event, time: isoTime(time) };
  const { time: _, ...first } = own;
  return JSON.stringify({ ...first, ...draft.body, ...own });
};

/** Scheme, host and port. An invalid URL is a receiver by itself: its webhooks become dead letters that the owner sees. */
const receiverOf = (url: string): string => URL.parse(url)?.origin ?? url;

const notFound = (): Failure => new Failure('not_found', 'There is no such message. It may have been delivered.');

export const createOutboxService = (parts: OutboxParts): OutboxService => {
  const { store, writer, events, clock } = parts;
  const sender = createSender({ ...parts, random: parts.random ?? Math.random });
  /** Webhooks from before this start may have been delivered, whatever their rows say. */
  const before = store.newestSeq();

  /** A pending webhook at the end of the queue with the same content that was certainly not delivered yet. */
  const sameWaiting = (draft: OutboxDraft, receiver: string): MessageRow | undefined => {
    const last = store.last({ lane: draft.lane, receiver });
    if (last === undefined || last.seq <= before || last.last_problem !== null || sender.isUnderWay(last.id))
      return undefined;
    return last.url === draft.url && last.body === bodyOf(last.id, draft, last.created) ? last : undefined;
  };

  const shown = (row: MessageRow): OutboxMessage => {
    const due = row.died === null ? sender.dueOf(row) : undefined;
    return {
      id: row.id,
      lane: row.lane,
      event: row.event,
      to: URL.parse(row.url)?.host ?? '',
      created: isoTime(row.created),
      state: row.died === null ? 'waiting' : 'dead',
      attempts: row.attempts,
      nextAttempt: due === undefined ? null : isoTime(due),
      lastProblem: row.last_problem,
    };
  };

  const found = (id: string): MessageRow => {
    const row = store.find(id);
    if (row === undefined) throw notFound();
    return row;
  };

  return {
    enqueue(tx, draft) {
      const receiver = receiverOf(draft.url);
      const waiting = draft.coalesce === true ? sameWaiting(draft, receiver) : undefined;
      if (waiting !== undefined) return waiting.id;
      const id = randomUUID();
      const { lane, event, url } = draft;
      const now = clock.now();
      const created = draft.time ?? now;
      const body = bodyOf(id, draft, created);
      store.insert(tx, {
        id,
        lane,
        receiver,
        event,
        url,
        body,
        created,
        expires: now + OUTBOX_RETRY_MS,
        next_attempt: now,
      });
      events.tell(tx, 'outbox');
      tx.afterCommit(() => sender.changed({ lane, receiver }));
      return id;
    },

    list: () => store.list(SHOWN).map(shown),

    async retry(id) {
      const row = await writer.write((tx) => {
        const known = found(id);
        const now = clock.now();
        store.revive(tx, id, now, now + OUTBOX_RETRY_MS);
        store.hurry(tx, known, now);
        events.tell(tx, 'outbox');
        tx.afterCommit(() => sender.changed(known));
        return found(id);
      });
      return shown(row);
    },

    async drop(id) {
      await writer.write((tx) => {
        const known = found(id);
        store.remove(tx, id);
        events.tell(tx, 'outbox');
        tx.afterCommit(() => {
          sender.abandon(id);
          sender.changed(known);
        });
      });
    },

    start: () => sender.start(),
    wake: () => sender.wake(),
    close: () => sender.close(),
  };
};
