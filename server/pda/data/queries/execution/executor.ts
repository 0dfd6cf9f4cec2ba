import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import type { CombinatorEntry } from '../../../../wire/query.ts';
import { LONG_READ_BYTES, MAIN_THREAD_READ_BYTES, MAIN_THREAD_READ_MS } from '../../../../wire/limits.ts';
import type { Endpoints } from '../../records/service.ts';
import { ReadLimitError, withReadBudget } from '../language/read-budget.ts';
import { isFiltered, type QueryOptions, type Statement } from './statements.ts';
import type { QueryRow, QueryStore } from '../store.ts';

/** A read that took at most this long may run on the main thread the next time. */
const QUICK_READ_MS = 3;
/** Reads that skip more records run in a reader thread and are long. */
const DEEP_SKIP_RECORDS = 20_000;
/** A read whose last two runs, or whose only run, took longer than this is a long read. */
const LONG_READ_MS = 50;
const MAX_MEASUREMENTS = 500;

const MAIN_THREAD_BUDGET = { bytes: MAIN_THREAD_READ_BYTES, ms: MAIN_THREAD_READ_MS };

type Measurement = {
  /** Duration of the last run; 0 if it exceeded the budget of the main thread. */
  lastMs: number;
  /** The shorter of the last two durations, or the only one. */
  leastMs: number;
  /** Content version of the endpoints when a run exceeded the budget of the main thread. */
  exceededVersion?: string | undefined;
};

/** Runs reads on the main thread, within a small budget, or decides that they run in a reader thread. */
export const createReadExecutor = ({ store, endpoints }: { store: QueryStore; endpoints: Endpoints }) => {
  const measurements = new Map<string, Measurement>();

  const estimateScannedBytes = (entries: readonly CombinatorEntry[], { orderBy, within }: QueryOptions): number => {
    let bytes = 0;
    for (const entry of entries) {
      const summary = endpoints.summary(entry.endpoint);
      if (summary === undefined || summary.records === 0) continue;
      const isScanned = orderBy !== undefined || isFiltered(entry);
      // Without a scan, the read only touches the records that it returns, and the budget limits those.
      const records = within?.length ?? (isScanned ? summary.records : 0);
      bytes += Math.min(summary.bytes, (summary.bytes / summary.records) * records);
    }
    return bytes;
  };

  /**
   * Returns a string that changes with every write to the endpoints, except a write that leaves the number and bytes
   * of the records unchanged in the same millisecond as the previous write.
   */
  const contentVersionOf = (entries: readonly CombinatorEntry[]): string =>
    entries
      .map(({ endpoint }) => {
        const summary = endpoints.summary(endpoint);
        return `${summary?.records} ${summary?.bytes} ${summary?.last_change}`;
      })
      .join();

  const mayRunOnMainThread = (sql: string, entries: readonly CombinatorEntry[], options: QueryOptions): boolean => {
    if (options.skip > DEEP_SKIP_RECORDS) return false;
    const measurement = measurements.get(sql);
    if (measurement?.exceededVersion !== undefined && measurement.exceededVersion === contentVersionOf(entries))
      return false;
    return measurement === undefined
      ? estimateScannedBytes(entries, options) <= MAIN_THREAD_READ_BYTES
      : measurement.lastMs <= QUICK_READ_MS;
  };

  /**
   * Notes the duration of a statement, which decides where its later runs take place.
   * @param ms time that a thread worked on the statement
   */
  const noteTime = ({ sql }: Statement, ms: number): void => {
    const previous = measurements.get(sql);
    const leastMs = Math.min(ms, previous?.lastMs ?? ms);
    const measurement = { lastMs: ms, leastMs, exceededVersion: previous?.exceededVersion };
    setBounded(measurements, sql, measurement, MAX_MEASUREMENTS);
  };

  const readOnMainThread = (
    { sql, parameters, unlimited }: Statement,
    entries: readonly CombinatorEntry[],
    { take }: QueryOptions,
  ): QueryRow[] => {
    if (unlimited === undefined || take === null) return store.rows(sql, parameters);
    // Iterating costs 50 % more than reading all rows at once. If the last run returned no more rows than were
    // requested, and no record has changed since, all rows are read at once.
    const version = contentVersionOf(entries);
    if (unlimited.completeAt === version) return store.rows(unlimited.sql, unlimited.parameters).slice(0, take);
    const rows = store.firstRows(unlimited.sql, unlimited.parameters, take + 1);
    unlimited.completeAt = rows.length <= take ? version : undefined;
    return rows.slice(0, take);
  };

  return {
    /** Returns the rows; undefined if the statement must run in a reader thread. */
    tryOnMainThread(query: Statement, entries: readonly CombinatorEntry[], options: QueryOptions) {
      if (!mayRunOnMainThread(query.sql, entries, options)) return undefined;
      const start = performance.now();
      try {
        const rows = withReadBudget(MAIN_THREAD_BUDGET, () => readOnMainThread(query, entries, options));
        noteTime(query, performance.now() - start);
        return rows;
      } catch (error) {
        if (!(error instanceof ReadLimitError)) throw error;
        const measurement = { lastMs: 0, leastMs: 0, exceededVersion: contentVersionOf(entries) };
        setBounded(measurements, query.sql, measurement, MAX_MEASUREMENTS);
        return undefined;
      }
    },

    isLong({ sql }: Statement, entries: readonly CombinatorEntry[], options: QueryOptions): boolean {
      if (options.skip > DEEP_SKIP_RECORDS) return true;
      const measurement = measurements.get(sql);
      return measurement === undefined
        ? estimateScannedBytes(entries, options) > LONG_READ_BYTES
        : measurement.leastMs > LONG_READ_MS;
    },

    noteTime,
  };
};
