import type { EventService } from '../../core/events/service.ts';
import type { Writer } from '../../storage/index.ts';
import type { ChangeFeedReader, StoppedInput } from '../runs/change-feed-reader.ts';
import { backoffOf, type Cursor } from '../rules.ts';
import type { LogStoppedInput } from '../runs/cycle-log.ts';
import type { FunctionStore } from '../store.ts';
import { cursorOf } from '../catalogue/mapping.ts';

type EventCursor = Extract<Cursor, { kind: 'events' }>;

const MAX_UNSTORED_SKIPPED_EVENTS = 1000;

const eventsAfter = (event: number): EventCursor => ({ kind: 'events', after: event, within: null });

const startOf = (cursor: Cursor): EventCursor | undefined => {
  if (cursor.kind === 'events') return cursor;
  return cursor.kind === 'first' ? eventsAfter(cursor.events) : undefined;
};

export const createPendingInputCheck = (parts: {
  store: FunctionStore;
  changeFeed: ChangeFeedReader;
  events: EventService;
  logStoppedInput: LogStoppedInput;
  writer: Writer;
  backoff: readonly number[];
  readsOf: (id: string) => ReadonlySet<string>;
}) => {
  const { store, changeFeed, events, writer } = parts;

  const storeSkippedCursor = async (
    id: string,
    storedCursor: Cursor,
    from: EventCursor,
    to: Cursor,
    stoppedInput: StoppedInput[],
  ): Promise<void> => {
    if (to.kind !== 'events' || (stoppedInput.length === 0 && to.after - from.after < MAX_UNSTORED_SKIPPED_EVENTS))
      return;
    const cursor: Cursor = storedCursor.kind === 'first' ? { kind: 'first', events: to.after } : to;
    await writer.write((tx) => {
      const row = store.find(id);
      if (row === undefined) return;
      store.setCursor(tx, id, JSON.stringify(cursor));
      parts.logStoppedInput(tx, row, stoppedInput);
      if (stoppedInput.length > 0) events.notify(tx, 'functions');
    });
  };

  return {
    /**
     * Returns true if an enabled function may have input to process; filters of its bundle are not applied. Also logs
     * input that is skipped because of a cycle, and stores a cursor past that input or past many irrelevant events.
     */
    async checkPendingInput(id: string, signal: AbortSignal): Promise<boolean> {
      const row = store.find(id);
      if (row === undefined || row.enabled !== 1) return false;
      const storedCursor = cursorOf(row);
      const hasNoRetriesLeft = row.failures > 0 && backoffOf(row.failures, parts.backoff) === undefined;
      const start = startOf(storedCursor);
      if (start === undefined && !hasNoRetriesLeft) return true;
      // After the last retry, only newer events trigger another attempt.
      const from =
        start === undefined || (hasNoRetriesLeft && start.after < row.failed_event)
          ? eventsAfter(row.failed_event)
          : start;
      const consumer = { id, reads: parts.readsOf(id) };
      const stoppedInput: StoppedInput[] = [];
      let cursor: Cursor = from;
      let hasRecord = false;
      for (let isAtEnd = false; !isAtEnd && !hasRecord;) {
        if (signal.aborted) return false;
        const step = changeFeed.step(consumer, cursor, Number.MAX_SAFE_INTEGER, 1);
        for (const item of step.items) {
          hasRecord = item.kind === 'record';
          if (item.kind === 'record') break;
          stoppedInput.push({ chain: item.chain, records: item.records });
          cursor = item.cursor;
        }
        if (!hasRecord) cursor = step.cursor;
        isAtEnd = step.isAtEnd;
        if (!isAtEnd && !hasRecord) await new Promise(setImmediate);
      }
      // Failed input stays pending: it is retried together with new input.
      if (!hasNoRetriesLeft) await storeSkippedCursor(id, storedCursor, from, cursor, stoppedInput);
      return hasRecord;
    },
  };
};
