import { setBounded } from '../../platform/bounded-map.ts';
import type { CombinatorEntry } from '../../wire/query.ts';
import type { Endpoints } from '../records/service.ts';
import type { DatabaseThread } from '../storage/index.ts';
import { isFiltered, type QueryOptions, type Statement } from './statements.ts';
import type { FoundRow, QueryStore } from './store.ts';

/** The rows of a statement, read on the thread that answers everybody or, when that would hold it up, in a reader. */
export type Rows = (
  query: Statement,
  entries: readonly CombinatorEntry[],
  options: QueryOptions,
) => Promise<FoundRow[]>;

/** Records that a first look may scan here; more go to the reader thread until they proved quick. */
const SMALL = 2000;
/** Milliseconds. What took no longer the last time may run here the next time. */
const QUICK_MS = 3;
/** A skip that deep is counted in the thread. */
const DEEP = 20_000;
/** A guest's read is a long one when it took more milliseconds twice running, or, until it is known, when it may scan more records. */
const LONG_MS = 50;
const LARGE = 20_000;
const MAX_REMEMBERED = 500;

export type RowsParts = {
  store: QueryStore;
  endpoints: Endpoints;
  /** The owner's. */
  reader: DatabaseThread;
  guestReader: DatabaseThread;
};

export const createRows = (parts: RowsParts): Rows => {
  const { store, endpoints } = parts;
  /** Statement -> milliseconds that it took the last time, and of the last two times the shorter. */
  const took = new Map<string, { last: number; least: number }>();

  /** Records that a read of which nothing is known yet may have to look at. */
  const scannedBy = (entries: readonly CombinatorEntry[], { orderBy, within }: QueryOptions): number =>
    within !== undefined
      ? within.length
      : orderBy === undefined && !entries.some(isFiltered)
        ? 0
        : entries.reduce((sum, entry) => sum + (endpoints.summary(entry.endpoint)?.records ?? 0), 0);

  /** Whether a read may run here, on the thread that answers everybody. */
  const isQuick = (sql: string, entries: readonly CombinatorEntry[], options: QueryOptions): boolean => {
    if (options.skip > DEEP) return false;
    const known = took.get(sql);
    return known === undefined ? scannedBy(entries, options) <= SMALL : known.last <= QUICK_MS;
  };

  /** One slow time says little: the machine may have been at something else. */
  const isLong = (sql: string, entries: readonly CombinatorEntry[], options: QueryOptions): boolean => {
    if (options.skip > DEEP) return true;
    const known = took.get(sql);
    return known === undefined ? scannedBy(entries, options) > LARGE : known.least > LONG_MS;
  };

  const remember = (sql: string, ms: number): void => {
    const before = took.get(sql);
    setBounded(took, sql, { last: ms, least: Math.min(ms, before?.last ?? ms) }, MAX_REMEMBERED);
  };

  /** Changes with everything that is stored, changed or deleted there. */
  const heldBy = (entries: readonly CombinatorEntry[]): string =>
    entries
      .map(({ endpoint }) => {
        const summary = endpoints.summary(endpoint);
        return `${summary?.records} ${summary?.bytes} ${summary?.last_change}`;
      })
      .join();

  const readHere = (
    { sql, parameters, open }: Statement,
    entries: readonly CombinatorEntry[],
    { take }: QueryOptions,
  ): FoundRow[] => {
    if (open === undefined || take === null) return store.rows(sql, parameters);
    // Rows that come one by one cost half as much again. Where nothing has changed there are no more of them than the last time.
    const held = heldBy(entries);
    if (open.whole === held) return store.rows(open.sql, open.parameters).slice(0, take);
    const rows = store.firstRows(open.sql, open.parameters, take + 1);
    open.whole = rows.length <= take ? held : undefined;
    return rows.slice(0, take);
  };

  return async (query, entries, options) => {
    if (!isQuick(query.sql, entries, options)) {
      const { guest } = options;
      if (guest !== undefined && isLong(query.sql, entries, options)) guest.longRead();
      const reader = guest === undefined ? parts.reader : parts.guestReader;
      // Only the work counts: many that wait for the same thread would all look slow, and stay there.
      return reader.all<FoundRow>(query.sql, query.parameters, (ms) => remember(query.sql, ms));
    }
    const start = performance.now();
    const rows = readHere(query, entries, options);
    remember(query.sql, performance.now() - start);
    return rows;
  };
};
