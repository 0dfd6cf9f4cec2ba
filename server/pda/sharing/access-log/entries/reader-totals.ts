import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Party } from '../entry.ts';
import { rowAt } from '../rules.ts';
import type { LedgerStore } from '../store.ts';
import { isRead } from './interning.ts';
import { timeOfRow, type WireRows } from './wire-rows.ts';

/** Requests of one principal within a time range. */
export type ReaderTotals = {
  who: Party;
  requests: number;
  refused: number;
  /** Records in responses of reads, including repeated ones. */
  records: number;
  /** Endpoints with the number of records that were read. If a request reads several, each counts all of its records. */
  endpoints: ReadonlyMap<string, number>;
};

const SLICE_ROWS = 1000;
/** Rows of one range that are counted at most, about half a second in slices. */
const MAX_COUNTED_ROWS = 200_000;

/**
 * Creates the totals of all principals but the owner within a time range. Unlike the totals per day (UTC), the range
 * can begin at any time.
 */
export const createReaderTotals = (parts: { store: LedgerStore; rows: WireRows; maxClockLag: () => number }) => {
  const { store, rows: wireRows, maxClockLag } = parts;

  /**
   * @param from Unix milliseconds
   * @param to Unix milliseconds, exclusive
   * @returns `isPartial`: there are more requests than are counted
   */
  return async (from: number, to: number): Promise<{ readers: ReaderTotals[]; isPartial: boolean }> => {
    const readers = new Map<string, ReaderTotals & { endpoints: Map<string, number> }>();
    const below = rowAt(to + maxClockLag());
    let after = rowAt(from) - 1;
    for (let counted = 0; counted < MAX_COUNTED_ROWS; counted += SLICE_ROWS) {
      const batch = store.scanTotals(after, below, SLICE_ROWS);
      for (const row of batch) {
        after = row.id;
        const time = timeOfRow(row);
        const { who, action, reason, endpoints } = wireRows.requestOf(row);
        if (who.kind === 'owner' || time < from || time >= to) continue;
        const key = `${who.kind} ${who.name}`;
        const reader = readers.get(key) ?? { who, requests: 0, refused: 0, records: 0, endpoints: new Map() };
        readers.set(key, reader);
        reader.who = who;
        reader.requests += row.count;
        if (reason !== null) reader.refused += row.count;
        else if (isRead(action)) {
          reader.records += row.records;
          for (const endpoint of endpoints)
            reader.endpoints.set(endpoint, (reader.endpoints.get(endpoint) ?? 0) + row.records);
        }
      }
      if (batch.length < SLICE_ROWS) return { readers: [...readers.values()], isPartial: false };
      await nextTurn();
    }
    return { readers: [...readers.values()], isPartial: true };
  };
};
