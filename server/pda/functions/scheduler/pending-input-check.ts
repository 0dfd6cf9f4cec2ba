import type { EventService } from '../../core/events/service.ts';
import type { Writer } from '../../storage/index.ts';
import type { Pending, Stopped } from '../runs/change-feed-reader.ts';
import { backoffOf, type Cursor } from '../rules.ts';
import type { NoteStopped } from '../runs/cycle-log.ts';
import type { FunctionStore } from '../store.ts';
import { cursorOf } from '../catalogue/mapping.ts';

/** Checks whether a function has pending input. Input that does not concern it is skipped permanently. */
export type Looks = { look(id: string, signal: AbortSignal): Promise<boolean> };

type Events = Extract<Cursor, { kind: 'events' }>;

/** Events that may pass by unseen before that is written down. */
const PASSED_BY = 1000;

const eventsAfter = (event: number): Events => ({ kind: 'events', after: event, within: null });

/** Where to look for what would start it; undefined: it is in the middle of its first run. */
const startOf = (cursor: Cursor): Events | undefined => {
  if (cursor.kind === 'events') return cursor;
  return cursor.kind === 'first' ? eventsAfter(cursor.events) : undefined;
};

export const createLooks = (parts: {
  store: FunctionStore;
  pending: Pending;
  events: EventService;
  noteStopped: NoteStopped;
  writer: Writer;
  backoff: readonly number[];
  readsOf: (id: string) => ReadonlySet<string>;
}): Looks => {
  const { store, pending, events, writer } = parts;

  const passBy = async (id: string, before: Cursor, from: Events, to: Cursor, stopped: Stopped[]): Promise<void> => {
    if (to.kind !== 'events' || (stopped.length === 0 && to.after - from.after < PASSED_BY)) return;
    const cursor: Cursor = before.kind === 'first' ? { kind: 'first', events: to.after } : to;
    await writer.write((tx) => {
      const row = store.find(id);
      if (row === undefined) return;
      store.setCursor(tx, id, JSON.stringify(cursor));
      parts.noteStopped(tx, row, stopped);
      if (stopped.length > 0) events.notify(tx, 'functions');
    });
  };

  return {
    async look(id, signal) {
      const row = store.find(id);
      if (row === undefined || row.enabled !== 1) return false;
      const before = cursorOf(row);
      const gaveUp = row.failures > 0 && backoffOf(row.failures, parts.backoff) === undefined;
      const start = startOf(before);
      if (start === undefined && !gaveUp) return true;
      // What was tried in vain is not tried again by itself, until more comes.
      const from =
        start === undefined || (gaveUp && start.after < row.failed_event) ? eventsAfter(row.failed_event) : start;
      const who = { id, reads: parts.readsOf(id) };
      const stopped: Stopped[] = [];
      let at: Cursor = from;
      let found = false;
      for (let done = false; !done && !found;) {
        if (signal.aborted) return false;
        const step = pending.step(who, at, Number.MAX_SAFE_INTEGER, 1);
        for (const item of step.items) {
          found = item.kind === 'record';
          if (item.kind === 'record') break;
          stopped.push({ chain: item.chain, records: item.records });
          at = item.at;
        }
        if (!found) at = step.cursor;
        done = step.done;
        if (!done && !found) await new Promise(setImmediate);
      }
      // Nor is it done with: it is tried again together with what comes.
      if (!gaveUp) await passBy(id, before, from, at, stopped);
      return found;
    },
  };
};
