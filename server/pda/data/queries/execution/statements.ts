import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import type { NonOwnerReader } from '../../../../platform/auth/access-trace.ts';
import type { CombinatorEntry, Ordering } from '../../../../wire/query.ts';
import type { Endpoints, RecordReader } from '../../records/service.ts';
import { compileSelect, type CompiledQuery } from '../sql/compiler.ts';
import type { IndexManager } from '../indexes/manager.ts';
import type { SelectEntry } from '../sql/index-definitions.ts';
import { compileRowSerializer, type ReadEntry, type RowSerializer } from './row-serializer.ts';
import type { QueryRow } from '../store.ts';

export type QueryOptions = {
  orderBy?: string | undefined;
  ordering: Ordering;
  skip: number;
  /** Number of records; null: all. */
  take: number | null;
  /** Only records with these sequence numbers. */
  within?: readonly number[];
  /** Adds the dates of each record. Only for entries without a mapping. */
  meta?: boolean;
  nonOwner?: NonOwnerReader | undefined;
  /** False for a statement without the indexes of queries. */
  usesIndexes?: boolean;
};

export type Statement = CompiledQuery & {
  serializer: RowSerializer;
  /**
   * The statement without a LIMIT, for reads that stop iterating. `completeAt`: content version of the endpoints at
   * which the statement returned no more rows than requested.
   */
  unlimited?: CompiledQuery & { completeAt: string | undefined };
};

/** Maximum cached statements of one definition. */
const MAX_CACHED_STATEMENTS = 50;

export const isFiltered = ({ filters, equal }: ReadEntry): boolean =>
  (filters?.length ?? 0) > 0 || (equal?.length ?? 0) > 0;

export const createStatements = (parts: { endpoints: Endpoints; records: RecordReader; indexes: IndexManager }) => {
  const { endpoints, records, indexes } = parts;

  const resolveEndpoints = (entries: readonly CombinatorEntry[]): SelectEntry[] =>
    entries.map((entry) => {
      const endpoint = endpoints.find(entry.endpoint);
      if (endpoint !== undefined) indexes.checkEndpointId(entry.endpoint, endpoint);
      return { ...entry, endpoint: endpoint ?? null };
    });

  const usableIndexes = (usesIndexes: boolean) => (usesIndexes ? indexes.readyNames() : undefined);

  /** Statements by definition. Compiling a statement takes longer than running it with an index. */
  const statementCache = new WeakMap<object, Map<string, Statement>>();

  const select = (entries: readonly ReadEntry[], options: QueryOptions, columns: 'records' | 'keys'): Statement => {
    const selectEntries = resolveEndpoints(entries);
    const { orderBy, ordering, skip, take, meta, within, usesIndexes = true } = options;
    // A statement with sequence numbers is not cached, because they differ each time. One without indexes is rare.
    if (within !== undefined || !usesIndexes) return compile(entries, selectEntries, options, columns);
    const endpointIds = selectEntries.map((entry) => entry.endpoint).join();
    const settings = [columns, ordering, skip, take, meta, indexes.generation(), endpointIds].join(' ');
    // Quoted, so that a field with the name undefined differs from no field.
    const key = `${settings} ${JSON.stringify(orderBy)}`;
    let statementsByKey = statementCache.get(entries);
    if (statementsByKey === undefined) statementCache.set(entries, (statementsByKey = new Map()));
    const cached = statementsByKey.get(key);
    if (cached !== undefined) return cached;
    const statement = compile(entries, selectEntries, options, columns);
    setBounded(statementsByKey, key, statement, MAX_CACHED_STATEMENTS);
    return statement;
  };

  const compile = (
    entries: readonly ReadEntry[],
    selectEntries: readonly SelectEntry[],
    options: QueryOptions,
    columns: 'records' | 'keys',
  ): Statement => {
    const { orderBy, ordering, skip, take, within, usesIndexes = true } = options;
    const query = { entries: selectEntries, orderBy, ordering, columns, indexes: usableIndexes(usesIndexes), within };
    const compiledQuery = compileSelect({ ...query, skip, take });
    // With a LIMIT, SQLite sorts the rows in a temporary table. Creating it takes ten times as long as finding a few
    // rows through an index.
    const stopsEarly =
      entries.some(isFiltered) && skip === 0 && take !== null && orderBy === undefined && columns === 'records';
    const unlimited = stopsEarly
      ? { unlimited: { ...compileSelect({ ...query, skip: 0, take: null }), completeAt: undefined } }
      : {};
    const serializer = compileRowSerializer(entries, (row) => metaOf(row, options));
    return { ...compiledQuery, ...unlimited, serializer };
  };

  const metaOf = (row: QueryRow, { meta }: QueryOptions): string => (meta === true ? records.metaText(row.seq) : '');

  const count = (entries: readonly CombinatorEntry[], usesIndexes: boolean): CompiledQuery =>
    compileSelect({
      entries: resolveEndpoints(entries),
      ordering: 'ascending',
      skip: 0,
      take: null,
      columns: 'count',
      indexes: usableIndexes(usesIndexes),
    });

  return { select, count };
};
