import { setImmediate as nextTurn } from 'node:timers/promises';
import { isFileList, isOtherPrincipal } from '../../../../wire/access-kinds.ts';
import type { LoggedPrincipal } from '../entry.ts';
import { rowAt } from '../rules.ts';
import type { AccessLogStore } from '../store.ts';
import { isRead } from './interning.ts';
import { timeOfRow, type WireRows } from './wire-rows.ts';

export type ReaderTotals = {
  who: LoggedPrincipal;
  requests: number;
  refused: number;
  /** Number of records in responses to reads, counted once per response. Opened files count; listed files do not. */
  records: number;
  /** Number of records by endpoint. If a request reads several endpoints, all its records count for each of them. */
  endpoints: ReadonlyMap<string, number>;
};

const SLICE_ROWS = 1000;
/** Counting this many rows takes about half a second, in slices. */
const MAX_COUNTED_ROWS = 200_000;

/** Returns a function that adds up the requests of all principals except the owner and the PDA itself. */
export const createReaderTotals = (parts: { store: AccessLogStore; rows: WireRows; maxLagMs: () => number }) => {
  const { store, rows: wireRows, maxLagMs } = parts;

  /** Adds up the rows per shape, because there are far fewer shapes than rows. */
  const totalsByShape = async (from: number, to: number) => {
    const totals = new Map<number, { requests: number; records: number }>();
    let below = rowAt(to + maxLagMs());
    for (let rowCount = 0; rowCount < MAX_COUNTED_ROWS; rowCount += SLICE_ROWS) {
      const batch = store.scanTotals(rowAt(from) - 1, below, SLICE_ROWS);
      for (const row of batch) {
        below = row.id;
        const time = timeOfRow(row);
        if (time < from || time >= to) continue;
        const total = totals.get(row.shape) ?? { requests: 0, records: 0 };
        totals.set(row.shape, total);
        total.requests += row.count;
        total.records += row.records;
      }
      if (batch.length < SLICE_ROWS) return { totals, isPartial: false };
      await nextTurn();
    }
    return { totals, isPartial: true };
  };

  /**
   * Returns the totals within a time range. `isPartial` is true if the count stopped at `MAX_COUNTED_ROWS`.
   * @param from Unix milliseconds
   * @param to Unix milliseconds, exclusive
   */
  return async (from: number, to: number): Promise<{ readers: ReaderTotals[]; isPartial: boolean }> => {
    const { totals, isPartial } = await totalsByShape(from, to);
    const readers = new Map<string, ReaderTotals & { endpoints: Map<string, number> }>();
    let shapeCount = 0;
    for (const [shape, { requests, records }] of totals) {
      if (++shapeCount % SLICE_ROWS === 0) await nextTurn();
      const { who, action, reason, endpoints } = wireRows.requestOf({ shape });
      if (!isOtherPrincipal(who.kind)) continue;
      const key = `${who.kind} ${who.name}`;
      const reader = readers.get(key) ?? { who, requests: 0, refused: 0, records: 0, endpoints: new Map() };
      readers.set(key, reader);
      reader.requests += requests;
      if (reason !== null) reader.refused += requests;
      else if (isRead(action) && !isFileList(action)) {
        reader.records += records;
        for (const endpoint of endpoints)
          reader.endpoints.set(endpoint, (reader.endpoints.get(endpoint) ?? 0) + records);
      }
    }
    return { readers: [...readers.values()], isPartial };
  };
};
