import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import type { NonOwnerReader } from '../../../../platform/auth/access-trace.ts';
import type { CombinatorEntry, Ordering } from '../../../../wire/query.ts';
import type { Endpoints, RecordReader } from '../../records/service.ts';
import { compileSelect, type CompiledQuery } from '../sql/compiler.ts';
import type { EarnedIndexes } from '../indexes/manager.ts';
import type { SelectEntry } from '../sql/index-definitions.ts';
import { compileRowTexts, type ReadEntry, type RowTexts } from './row-serializer.ts';
import type { FoundRow } from '../store.ts';

export type QueryOptions = {
  orderBy?: string | undefined;
  ordering: Ordering;
  skip: number;
  /** null: all. */
  take: number | null;
  /** Only records at these places. */
  within?: readonly number[];
  /** Adds dates; only for entries without a mapping. */
  meta?: boolean;
  /** Who reads, when it is not the owner. */
  guest?: NonOwnerReader | undefined;
};

/** The statement of a read, and how its rows become text. */
export type Statement = CompiledQuery & {
  texts: RowTexts;
  /** The same without a LIMIT, for reads that stop by themselves. `whole`: what its endpoints held when it found no more than was wanted. */
  open?: CompiledQuery & { whole: string | undefined };
};

export type Statements = {
  /** How a read is put to the database: written once for each definition and page of it. */
  of(entries: readonly ReadEntry[], options: QueryOptions, columns: 'records' | 'keys'): Statement;
  /** How the count of these entries is put to it. */
  counting(entries: readonly CombinatorEntry[]): CompiledQuery;
};

/** Statements kept for one definition: pages of it, in both orders. */
const MAX_COMPILED = 50;

export const isFiltered = ({ filters, equal }: ReadEntry): boolean =>
  (filters?.length ?? 0) > 0 || (equal?.length ?? 0) > 0;

export const createStatements = (parts: {
  endpoints: Endpoints;
  records: RecordReader;
  indexes: EarnedIndexes;
}): Statements => {
  const { endpoints, records, indexes } = parts;

  const resolve = (entries: readonly CombinatorEntry[]): SelectEntry[] =>
    entries.map((entry) => {
      const endpoint = endpoints.find(entry.endpoint);
      if (endpoint !== undefined) indexes.seen(entry.endpoint, endpoint);
      return { ...entry, endpoint: endpoint ?? null };
    });

  /** Statements by the definition they were made from. Writing one takes longer than running it through an index. */
  const compiledFor = new WeakMap<object, Map<string, Statement>>();

  const of = (entries: readonly ReadEntry[], options: QueryOptions, columns: 'records' | 'keys'): Statement => {
    const resolved = resolve(entries);
    const { orderBy, ordering, skip, take, meta, within } = options;
    // Other places each time: nothing to keep but the text of the statement.
    if (within !== undefined) return compileNow(entries, resolved, options, columns);
    const numbers = resolved.map((entry) => entry.endpoint).join();
    const key = `${columns} ${ordering} ${skip} ${take} ${meta} ${indexes.generation()} ${numbers} ${orderBy}`;
    let compiled = compiledFor.get(entries);
    if (compiled === undefined) compiledFor.set(entries, (compiled = new Map()));
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const made = compileNow(entries, resolved, options, columns);
    setBounded(compiled, key, made, MAX_COMPILED);
    return made;
  };

  const compileNow = (
    entries: readonly ReadEntry[],
    resolved: readonly SelectEntry[],
    options: QueryOptions,
    columns: 'records' | 'keys',
  ): Statement => {
    const { orderBy, ordering, skip, take, within } = options;
    const query = { entries: resolved, orderBy, ordering, columns, indexes: indexes.ready(), within };
    const compiled = compileSelect({ ...query, skip, take });
    // SQLite sorts a statement with a LIMIT in a temporary table, whose creation takes ten times as long as finding a few rows
    // through an index.
    const filtered = entries.some(isFiltered);
    const stops = filtered && skip === 0 && take !== null && orderBy === undefined && columns === 'records';
    const open = stops ? { open: { ...compileSelect({ ...query, skip: 0, take: null }), whole: undefined } } : {};
    const texts = compileRowTexts(entries, (row) => metaOf(row, options));
    return { ...compiled, ...open, texts };
  };

  const metaOf = (row: FoundRow, { meta }: QueryOptions): string => (meta === true ? records.metaText(row.seq) : '');

  const counting = (entries: readonly CombinatorEntry[]): CompiledQuery =>
    compileSelect({
      entries: resolve(entries),
      ordering: 'ascending',
      skip: 0,
      take: null,
      columns: 'count',
      indexes: indexes.ready(),
    });

  return { of, counting };
};
