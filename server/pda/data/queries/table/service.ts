import type { Clock } from '../../../../platform/clock.ts';
import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import { mapReadErrors } from '../../../../platform/workers/read-limit-failure.ts';
import type { EndpointFields } from '../../../../wire/fields.ts';
import type { Facet, TableSelection, TableSort, TableValue } from '../../../../wire/table.ts';
import type { EndpointStore } from '../../../core/endpoint-store.ts';
import type { DatabaseThread } from '../../../storage/index.ts';
import { retryOnDroppedIndex } from '../indexes/dropped-index.ts';
import type { IndexUses } from '../indexes/index-uses.ts';
import type { IndexManager } from '../indexes/manager.ts';
import { type CellsRow, compileCells, type TableCells, toTableCells } from './cells.ts';
import { fieldKeyOf } from './conditions.ts';
import { columnSql, isNumericKind, type KeyColumn, type TableColumn } from './keys.ts';
import { readSeqParts } from './seq-parts.ts';
import {
  compileCounts,
  compileFacet,
  compilePage,
  defineTableIndex,
  type FacetRow,
  indexColumnsOf,
  type ReadyIndex,
  type RecordSelection,
  resolveSelection,
  type TableQuery,
} from './statements.ts';
import { isTableRead, type TableStore } from './store.ts';

export type TablePage = {
  seqs: number[];
  total: number;
  /** Number of records that a filter leaves out, because it cannot compare values of another type. */
  leftOut: number;
  /** True while an index for this page is being built. */
  indexing: boolean;
};

export type TableService = ReturnType<typeof createTableService>;

/** Limits of one read of `seqParts`. */
const PART_MAX_RECORDS = 200_000;
const PART_MAX_BYTES = 200_000_000;
/** An index is built if the reads of a request need more time in the reader thread. */
const SLOW_READ_MS = 100;
const MAX_CACHED_COUNTS = 100;

type Counts = { total: number; leftOut: number };

export type TableParts = {
  store: TableStore;
  endpoints: Pick<EndpointStore, 'summary'>;
  reader: Pick<DatabaseThread, 'all' | 'numbers'>;
  indexes: Pick<IndexManager, 'readyNames' | 'isAwaited' | 'generation' | 'checkEndpointId'>;
  indexUses: IndexUses;
  fieldsOf: (endpoint: string) => Promise<EndpointFields>;
  clock: Clock;
};

const toTableValue = (value: string | number, column: KeyColumn): TableValue =>
  column.key.kind === 'boolean' ? value === 1 : value;

/**
 * Reads of the table of records, which run in a reader thread. After a slow `page`, `seqs` or `facet`, an index is
 * built for it. All methods throw Failure query_limit_exceeded if the read exceeds its limits.
 */
export const createTableService = (parts: TableParts) => {
  const { store, endpoints, reader, indexes, indexUses, fieldsOf, clock } = parts;
  /** Counts by content version, statement and parameters. */
  const countsCache = new Map<string, Promise<Counts>>();

  const versionOf = (endpoint: string): string => {
    const summary = endpoints.summary(endpoint);
    return `${summary?.id} ${summary?.records} ${summary?.bytes} ${summary?.last_change}`;
  };

  const resolve = async (endpoint: string, selection: RecordSelection): Promise<TableQuery | undefined> => {
    const summary = endpoints.summary(endpoint);
    if (summary === undefined) return undefined;
    indexes.checkEndpointId(endpoint, summary.id);
    const { fields } = await fieldsOf(endpoint);
    return resolveSelection({ endpoint: summary.id, selection, fields, now: clock.now() });
  };

  const readyIndexesOf = (endpoint: string, id: number): ReadyIndex[] => {
    const readyNames = indexes.readyNames();
    return store
      .list()
      .flatMap(({ endpoint: path, read }) =>
        path === endpoint && isTableRead(read)
          ? [{ name: defineTableIndex(id, read).name, columns: read.map(columnSql) }]
          : [],
      )
      .filter(({ name }) => readyNames.has(name));
  };

  const isIndexing = (endpoint: string, id: number, columns: readonly TableColumn[] | undefined): boolean =>
    columns !== undefined &&
    indexes.isAwaited(defineTableIndex(id, columns).name) &&
    indexUses.find(endpoint, columns) !== undefined;

  /** Runs the reads of a request. Stores the use of the index that supports them, even if they exceed a limit. */
  const run = async <Result>(
    endpoint: string,
    id: number,
    columns: readonly TableColumn[] | undefined,
    read: (readyIndexes: readonly ReadyIndex[], reportWorkTime: (ms: number) => void) => Promise<Result>,
  ): Promise<Result> => {
    let workedMs = 0;
    let hasFailed = true;
    try {
      const result = await mapReadErrors(
        retryOnDroppedIndex(indexes, (usesIndexes) =>
          read(usesIndexes ? readyIndexesOf(endpoint, id) : [], (ms) => {
            workedMs += ms;
          }),
        ),
      );
      hasFailed = false;
      return result;
    } finally {
      if (columns !== undefined) await indexUses.add(endpoint, columns, hasFailed || workedMs > SLOW_READ_MS);
    }
  };

  const readCounts = (
    endpoint: string,
    query: TableQuery,
    readyIndexes: readonly ReadyIndex[],
    reportWorkTime: (ms: number) => void,
  ): Promise<Counts> => {
    if (query.conditions.length === 0 && query.search === '' && query.subset === undefined)
      return Promise.resolve({ total: endpoints.summary(endpoint)?.records ?? 0, leftOut: 0 });
    const { sql, parameters } = compileCounts(query, readyIndexes);
    // The key contains the statement without the name of an index, so that counts stay valid when an index is built.
    const key = JSON.stringify([versionOf(endpoint), compileCounts(query, []).sql, parameters]);
    const cached = countsCache.get(key);
    if (cached !== undefined) return cached;
    const counts = reader
      .numbers(sql, parameters, reportWorkTime)
      .then(([total = 0, leftOut = 0]) => ({ total, leftOut }));
    setBounded(countsCache, key, counts, MAX_CACHED_COUNTS);
    counts.catch(() => countsCache.delete(key));
    return counts;
  };

  return {
    async page(endpoint: string, selection: RecordSelection, page: { skip: number; take: number }): Promise<TablePage> {
      const query = await resolve(endpoint, selection);
      if (query === undefined) return { seqs: [], total: 0, leftOut: 0, indexing: false };
      const columns = indexColumnsOf(query);
      return run(endpoint, query.endpoint, columns, async (readyIndexes, reportWorkTime) => {
        const statement = compilePage(query, page, readyIndexes);
        const [seqs, counts] = await Promise.all([
          page.take === 0 ? [] : reader.numbers(statement.sql, statement.parameters, reportWorkTime),
          readCounts(endpoint, query, readyIndexes, reportWorkTime),
        ]);
        return { seqs: [...seqs], ...counts };
      }).then((result) => ({ ...result, indexing: isIndexing(endpoint, query.endpoint, columns) }));
    },

    /** Returns the sequence numbers of all matching records in order; none if the endpoint does not exist. */
    async seqs(endpoint: string, selection: TableSelection): Promise<Float64Array> {
      const query = await resolve(endpoint, selection);
      if (query === undefined) return new Float64Array();
      const columns = indexColumnsOf(query);
      return run(endpoint, query.endpoint, columns, (readyIndexes, reportWorkTime) => {
        const { sql, parameters } = compilePage(query, { skip: 0, take: null }, readyIndexes);
        return reader.numbers(sql, parameters, reportWorkTime);
      });
    },

    /** Sorts at most 10,000 records of an endpoint. Omits sequence numbers of records that are not at the endpoint. */
    async sortSeqs(endpoint: string, seqs: readonly number[], sorts: readonly TableSort[]): Promise<Float64Array> {
      const query = await resolve(endpoint, { search: '', filters: [], sorts: [...sorts], oldestFirst: false });
      if (query === undefined) return new Float64Array();
      const { sql, parameters } = compilePage({ ...query, subset: seqs }, { skip: 0, take: null }, []);
      return mapReadErrors(reader.numbers(sql, parameters));
    },

    /** Yields the sequence numbers of all matching records in parts, oldest or newest first. Ignores the sorts. */
    async *seqParts(endpoint: string, selection: TableSelection): AsyncGenerator<Float64Array> {
      const query = await resolve(endpoint, { ...selection, sorts: [] });
      const { records = 0, bytes = 0 } = endpoints.summary(endpoint) ?? {};
      if (query === undefined || records === 0) return;
      // SQLite adds up the sizes of all records that a part considers. To bound this work, a part considers only as
      // many records as fit if they have the average size.
      const fittingRecords = Math.floor((PART_MAX_BYTES * records) / Math.max(1, bytes));
      const maxRecords = Math.max(1, Math.min(PART_MAX_RECORDS, fittingRecords));
      const limits = { records: maxRecords, bytes: PART_MAX_BYTES };
      yield* readSeqParts(query, limits, ({ sql, parameters }) => mapReadErrors(reader.numbers(sql, parameters)));
    },

    /** Returns fields of the records that still match, in the order of `seqs` (at most 1,000). */
    async cells(
      endpoint: string,
      selection: RecordSelection,
      seqs: readonly number[],
      fields: { paths: readonly string[]; maxChars: number },
    ): Promise<TableCells[]> {
      const query = await resolve(endpoint, { ...selection, sorts: [] });
      if (query === undefined || seqs.length === 0) return [];
      const { sql, parameters } = compileCells(query, seqs, fields);
      const rows = await mapReadErrors(reader.all<CellsRow>(sql, parameters));
      return toTableCells(rows, seqs, fields.paths.length);
    },

    async facet(endpoint: string, field: string, selection: TableSelection): Promise<Facet> {
      const query = await resolve(endpoint, { ...selection, sorts: [] });
      if (query === undefined) return { values: [], empty: 0, others: 0, indexing: false };
      const { fields } = await fieldsOf(endpoint);
      const fieldKey = fieldKeyOf(field, new Map(fields.map((candidate) => [candidate.path, candidate])));
      const isNumeric = isNumericKind(fieldKey.kind);
      const column = {
        of: 'key',
        key: isNumeric ? fieldKey : { path: field, kind: 'text' },
        descending: false,
      } as const satisfies KeyColumn;
      const columns = indexColumnsOf(query, column);
      const rows = await run(endpoint, query.endpoint, columns, (readyIndexes, reportWorkTime) => {
        const { sql, parameters } = compileFacet(query, column, readyIndexes);
        return reader.all<FacetRow>(sql, parameters, reportWorkTime);
      });
      const { total = 0, empty = 0 } = rows[0] ?? {};
      const values = rows.flatMap(({ value, count }) =>
        value === null || count === null ? [] : [{ value: toTableValue(value, column), count }],
      );
      const countedRecords = values.reduce((sum, { count }) => sum + count, 0);
      return {
        values,
        empty,
        others: total - empty - countedRecords,
        indexing: isIndexing(endpoint, query.endpoint, columns),
      };
    },
  };
};
