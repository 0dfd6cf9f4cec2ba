import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import type { CombinatorEntry } from '../../../../wire/query.ts';
import { LONG_READ_BYTES, MAIN_THREAD_READ_BYTES, MAIN_THREAD_READ_MS } from '../../../../wire/limits.ts';
import type { Endpoints } from '../../records/service.ts';
import { ReadLimitError, withReadBudget } from '../language/read-budget.ts';
import { isFiltered, type QueryOptions, type Statement } from './statements.ts';
import type { QueryRow, QueryStore } from '../store.ts';

/** Decides where a read runs: on the main thread, within a small budget, or in a reader thread. */
export type ReadExecutor = {
  /** Reads the rows of a statement on the main thread. Returns undefined if it has to run in a reader thread. */
  onMainThread(query: Statement, entries: readonly CombinatorEntry[], options: QueryOptions): QueryRow[] | undefined;
  /** Returns true if a read is long: it may scan many bytes, and it is not known to be quick. */
  isLong(query: Statement, entries: readonly CombinatorEntry[], options: QueryOptions): boolean;
  /** Records how many milliseconds a reader thread worked on a statement. */
  noteTime(query: Statement, ms: number): void;
};

/** Milliseconds up to which a read may run on the main thread the next time. */
const QUICK_READ_MS = 3;
/** Reads that skip more records run in a reader thread. */
const DEEP_SKIP_RECORDS = 20_000;
/** Milliseconds. A read that took longer twice in a row is a long read. */
const LONG_READ_MS = 50;
/** Statements whose durations are remembered. */
const MAX_MEASURED = 500;

const BUDGET = { bytes: MAIN_THREAD_READ_BYTES, ms: MAIN_THREAD_READ_MS };

/**
 * `last`, `least`: milliseconds of the last run, and of the shorter one of the last two. `exceeded`: content version of the endpoints when
 * the budget was exceeded.
 */
type Measurement = { last: number; least: number; exceeded?: string | undefined };

export const createReadExecutor = (parts: { store: QueryStore; endpoints: Endpoints }): ReadExecutor => {
  const { store, endpoints } = parts;
  const measurements = new Map<string, Measurement>();

  /** Estimates the bytes of records that a read may have to scan. */
  const scannedBytes = (entries: readonly CombinatorEntry[], { orderBy, within }: QueryOptions): number => {
    let bytes = 0;
    for (const entry of entries) {
      const summary = endpoints.summary(entry.endpoint);
      if (summary === undefined || summary.records === 0) continue;
      const isScanned = orderBy !== undefined || isFiltered(entry);
      // Records that are not scanned are only returned, and the budget limits those.
      const records = within?.length ?? (isScanned ? summary.records : 0);
      bytes += Math.min(summary.bytes, (summary.bytes / summary.records) * records);
    }
    return bytes;
  };

  /** Returns a version of the endpoints' content, which changes with each write. */
  const contentVersion = (entries: readonly CombinatorEntry[]): string =>
    entries
      .map(({ endpoint }) => {
        const summary = endpoints.summary(endpoint);
        return `${summary?.records} ${summary?.bytes} ${summary?.last_change}`;
      })
      .join();

  const mayRunOnMainThread = (sql: string, entries: readonly CombinatorEntry[], options: QueryOptions): boolean => {
    if (options.skip > DEEP_SKIP_RECORDS) return false;
    const measured = measurements.get(sql);
    if (measured?.exceeded !== undefined && measured.exceeded === contentVersion(entries)) return false;
    return measured === undefined
      ? scannedBytes(entries, options) <= MAIN_THREAD_READ_BYTES
      : measured.last <= QUICK_READ_MS;
  };

  const noteTime = ({ sql }: Statement, ms: number): void => {
    const before = measurements.get(sql);
    const least = Math.min(ms, before?.last ?? ms);
    setBounded(measurements, sql, { last: ms, least, exceeded: before?.exceeded }, MAX_MEASURED);
  };

  const readOnMainThread = (
    { sql, parameters, unlimited }: Statement,
    entries: readonly CombinatorEntry[],
    { take }: QueryOptions,
  ): QueryRow[] => {
    if (unlimited === undefined || take === null) return store.rows(sql, parameters);
    // Iterating costs 50 % more than reading all rows at once. If nothing has changed, there are no more rows than the last time.
    const version = contentVersion(entries);
    if (unlimited.completeAt === version) return store.rows(unlimited.sql, unlimited.parameters).slice(0, take);
    const rows = store.firstRows(unlimited.sql, unlimited.parameters, take + 1);
    unlimited.completeAt = rows.length <= take ? version : undefined;
    return rows.slice(0, take);
  };

  return {
    onMainThread(query, entries, options) {
      if (!mayRunOnMainThread(query.sql, entries, options)) return undefined;
      const start = performance.now();
      try {
        const rows = withReadBudget(BUDGET, () => readOnMainThread(query, entries, options));
        noteTime(query, performance.now() - start);
        return rows;
      } catch (error) {
        if (!(error instanceof ReadLimitError)) throw error;
        const exceeded = contentVersion(entries);
        setBounded(measurements, query.sql, { last: 0, least: 0, exceeded }, MAX_MEASURED);
        return undefined;
      }
    },

    isLong({ sql }, entries, options) {
      if (options.skip > DEEP_SKIP_RECORDS) return true;
      const measured = measurements.get(sql);
      return measured === undefined ? scannedBytes(entries, options) > LONG_READ_BYTES : measured.least > LONG_READ_MS;
    },

    noteTime,
  };
};
