import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import type { CombinatorEntry } from '../../../../wire/query.ts';
import { LONG_READ_BYTES, MAIN_THREAD_READ_BYTES, MAIN_THREAD_READ_MS } from '../../../../wire/limits.ts';
import type { Endpoints } from '../../records/service.ts';
import { ReadLimitError, withReadBudget } from '../language/read-budget.ts';
import { isFiltered, type QueryOptions, type Statement } from './statements.ts';
import type { FoundRow, QueryStore } from '../store.ts';

/** Decides where a read runs: on the main thread, within a small budget, or in a reader thread. */
export type Rows = {
  /** The rows of a statement, read on the main thread; undefined when it has to run in a reader thread. */
  onMainThread(query: Statement, entries: readonly CombinatorEntry[], options: QueryOptions): FoundRow[] | undefined;
  /** Whether a read is a long one: what it may look at is large, and it is not known to be quick. */
  isLong(query: Statement, entries: readonly CombinatorEntry[], options: QueryOptions): boolean;
  /** Takes note of how many milliseconds a reader thread worked on a statement. */
  noteTime(query: Statement, ms: number): void;
};

/** Milliseconds. What took no longer the last time may run on the main thread the next time. */
const QUICK_MS = 3;
/** A skip that deep is counted in a reader thread. */
const DEEP = 20_000;
/** Milliseconds. A read that took longer twice in a row is a long one. */
const LONG_MS = 50;
const MAX_REMEMBERED = 500;

const BUDGET = { bytes: MAIN_THREAD_READ_BYTES, ms: MAIN_THREAD_READ_MS };

/** `last`, `least`: milliseconds of the last run, and of the shorter one of the last two. `exceeded`: what the endpoints held when the budget did not do. */
type Remembered = { last: number; least: number; exceeded?: string | undefined };

export const createRows = (parts: { store: QueryStore; endpoints: Endpoints }): Rows => {
  const { store, endpoints } = parts;
  const remembered = new Map<string, Remembered>();

  /** Bytes of records that a read of which nothing is known yet may have to look at. */
  const scannedBytes = (entries: readonly CombinatorEntry[], { orderBy, within }: QueryOptions): number => {
    let bytes = 0;
    for (const entry of entries) {
      const summary = endpoints.summary(entry.endpoint);
      if (summary === undefined || summary.records === 0) continue;
      const isScanned = orderBy !== undefined || isFiltered(entry);
      // Other records are only handed out. The budget sees to those.
      const records = within?.length ?? (isScanned ? summary.records : 0);
      bytes += Math.min(summary.bytes, (summary.bytes / summary.records) * records);
    }
    return bytes;
  };

  /** Changes with everything that is stored, changed or deleted there. */
  const contentOf = (entries: readonly CombinatorEntry[]): string =>
    entries
      .map(({ endpoint }) => {
        const summary = endpoints.summary(endpoint);
        return `${summary?.records} ${summary?.bytes} ${summary?.last_change}`;
      })
      .join();

  const mayRunHere = (sql: string, entries: readonly CombinatorEntry[], options: QueryOptions): boolean => {
    if (options.skip > DEEP) return false;
    const known = remembered.get(sql);
    if (known?.exceeded !== undefined && known.exceeded === contentOf(entries)) return false;
    return known === undefined ? scannedBytes(entries, options) <= MAIN_THREAD_READ_BYTES : known.last <= QUICK_MS;
  };

  const noteTime = ({ sql }: Statement, ms: number): void => {
    const before = remembered.get(sql);
    const least = Math.min(ms, before?.last ?? ms);
    setBounded(remembered, sql, { last: ms, least, exceeded: before?.exceeded }, MAX_REMEMBERED);
  };

  const readHere = (
    { sql, parameters, open }: Statement,
    entries: readonly CombinatorEntry[],
    { take }: QueryOptions,
  ): FoundRow[] => {
    if (open === undefined || take === null) return store.rows(sql, parameters);
    // Rows that come one by one cost half as much again. Where nothing has changed there are no more of them than the last time.
    const held = contentOf(entries);
    if (open.whole === held) return store.rows(open.sql, open.parameters).slice(0, take);
    const rows = store.firstRows(open.sql, open.parameters, take + 1);
    open.whole = rows.length <= take ? held : undefined;
    return rows.slice(0, take);
  };

  return {
    onMainThread(query, entries, options) {
      if (!mayRunHere(query.sql, entries, options)) return undefined;
      const start = performance.now();
      try {
        const rows = withReadBudget(BUDGET, () => readHere(query, entries, options));
        noteTime(query, performance.now() - start);
        return rows;
      } catch (error) {
        if (!(error instanceof ReadLimitError)) throw error;
        const exceeded = contentOf(entries);
        setBounded(remembered, query.sql, { last: 0, least: 0, exceeded }, MAX_REMEMBERED);
        return undefined;
      }
    },

    isLong({ sql }, entries, options) {
      if (options.skip > DEEP) return true;
      const known = remembered.get(sql);
      return known === undefined ? scannedBytes(entries, options) > LONG_READ_BYTES : known.least > LONG_MS;
    },

    noteTime,
  };
};
