import { isoTime, type Clock } from '../../../platform/clock.ts';
import type { Collector, Transaction } from '../../storage/index.ts';
import { mergeEvents } from './rules.ts';
import type { DataEvent, EventStore } from './store.ts';

export type { DataEvent, StoredEvent } from './store.ts';

type LiveEvent = Pick<DataEvent, 'kind' | 'endpoint' | 'count' | 'path'>;

/** Kind of state, other than records, whose changes make the dashboard reload it. */
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

const DAY_MS = 86_400_000;

export type EventService = ReturnType<typeof createEventService>;

/** Stores changes of records, and notifies listeners of these changes and of changed topics. */
export const createEventService = ({ store, clock }: { store: EventStore; clock: Clock }) => {
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
    /** Stores a change in the transaction that makes it. */
    report: (tx: Transaction, event: DataEvent): void => tx.collect(collector, event),

    /** Registers a listener for changed records, called after the commit. Returns the function that unregisters it. */
    listen(listener: (events: readonly LiveEvent[]) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    notify(tx: Transaction, topic: Topic): void {
      tx.afterCommit(() => {
        for (const listener of topicListeners) listener(topic);
      });
    },

    /** Registers a listener for changed topics, called after the commit. Returns the function that unregisters it. */
    onTopic(listener: (topic: Topic) => void): () => void {
      topicListeners.add(listener);
      return () => topicListeners.delete(listener);
    },

    /** Returns the number of the newest stored event; 0 if there is none. */
    readNewestSeq: store.readNewestSeq,
    /** Returns, by endpoint id, the number of the newest event after number `seq` that is not a deletion. */
    findChangedEndpoints: store.findChangedEndpoints,
    /** Returns at most `count` events after number `seq` that are not deletions, oldest first. */
    readAfter: store.readAfter,

    /**
     * Returns the numbers of changed records per UTC day for the last `days` days, including today. Moved records count
     * as deleted. Restored records are not counted.
     */
    countActivity(days: number): { day: string; created: number; updated: number; deleted: number }[] {
      const today = Math.floor(clock.now() / DAY_MS);
      const firstDay = today - days + 1;
      const countsByDay = Array.from({ length: days }, (_, index) => ({
        day: isoTime((firstDay + index) * DAY_MS).slice(0, 10),
        created: 0,
        updated: 0,
        deleted: 0,
      }));
      for (const { day, kind, count } of store.listActivity(firstDay, today)) {
        const counts = countsByDay[day - firstDay];
        if (counts !== undefined && (kind === 'created' || kind === 'updated' || kind === 'deleted'))
          counts[kind] = count;
      }
      return countsByDay;
    },
  };
};
