import { isoTime, type Clock } from '../../../platform/clock.ts';
import type { Collector, Transaction } from '../../storage/index.ts';
import { mergeEvents } from './rules.ts';
import type { DataEvent, EventStore, KeptEvent } from './store.ts';

export type { DataEvent, KeptEvent } from './store.ts';

/** What a listener hears once the change is on the disk. */
export type LiveEvent = Pick<DataEvent, 'kind' | 'endpoint' | 'count' | 'path'>;

/** What a page may have to ask for again. */
export type Topic =
  | 'debits'
  | 'applications'
  | 'ledger'
  | 'outbox'
  | 'files'
  | 'functions'
  | 'network'
  | 'offers'
  | 'contracts'
  | 'exposure'
  | 'backup'
  | 'second-factor'
  | 'erasure'
  | 'moves'
  | 'profile'
  | 'examples';

export type EventService = {
  /** Reports a change from within the transaction that makes it; both are kept, or neither. */
  report(tx: Transaction, event: DataEvent): void;
  /** Registers a listener for changes, called after their commit. Returns the function that unregisters it. */
  listen(listener: (events: readonly LiveEvent[]) => void): () => void;
  /** Says after the commit that something of this kind changed, beside records. */
  tell(tx: Transaction, topic: Topic): void;
  onTopic(listener: (topic: Topic) => void): () => void;
  /** The newest event that is kept; 0 before the first. */
  newest(): number;
  /** Where records came or changed after an event: endpoint -> the last event of it. */
  changedSince(event: number): Map<number, number>;
  /** What came, changed or came back after an event, in order; at most `count`. */
  after(event: number, count: number): KeptEvent[];
  /** Counts per day for the last `days` days, today included. */
  activity(days: number): { day: string; created: number; updated: number; deleted: number }[];
};

const DAY_MS = 86_400_000;

export const createEventService = (options: { store: EventStore; clock: Clock }): EventService => {
  const { store, clock } = options;
  const listeners = new Set<(events: readonly LiveEvent[]) => void>();

  const topicListeners = new Set<(topic: Topic) => void>();

  const collector: Collector<DataEvent> = {
    flush(tx, items) {
      const merged = mergeEvents(items);
      store.append(tx, merged);
      tx.afterCommit(() => {
        for (const listener of listeners) listener(merged);
      });
    },
  };

  return {
    report: (tx, event) => tx.collect(collector, event),

    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    tell(tx, topic) {
      tx.afterCommit(() => {
        for (const listener of topicListeners) listener(topic);
      });
    },

    onTopic(listener) {
      topicListeners.add(listener);
      return () => topicListeners.delete(listener);
    },

    newest: () => store.newest(),
    changedSince: (event) => store.changedSince(event),
    after: (event, count) => store.after(event, count),

    activity(days) {
      const today = Math.floor(clock.now() / DAY_MS);
      const first = today - days + 1;
      const result = Array.from({ length: days }, (_, index) => ({
        day: isoTime((first + index) * DAY_MS).slice(0, 10),
        created: 0,
        updated: 0,
        deleted: 0,
      }));
      for (const { day, kind, count } of store.activity(first, today)) {
        const entry = result[day - first];
        if (entry !== undefined && (kind === 'created' || kind === 'updated' || kind === 'deleted'))
          entry[kind] = count;
      }
      return result;
    },
  };
};
