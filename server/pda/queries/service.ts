import type { Clock } from '../../platform/clock.ts';
import { isoTime } from '../../platform/clock.ts';
import type { Answer } from '../../platform/route.ts';
import type { Bundle, BundleProperty, CombinatorEntry, NamedBundle, Ordering } from '../../wire/query.ts';
import type { Endpoints, RecordReader } from '../records/service.ts';
import type { DatabaseThread, Writer } from '../storage/index.ts';
import { compileSelect, type CompiledQuery } from './compile.ts';
import { createDefinitions } from './definitions.ts';
import type { EarnedIndexes, NeededIndex } from './earned-indexes.ts';
import { indexesFor, textNeedsFor, type SelectEntry } from './indexes.ts';
import { compileRowTexts, type ReadEntry, type RowTexts } from './row-texts.ts';
import type { FoundRow, QueryStore } from './store.ts';

import { textIndex } from './text-indexes.ts';

export type { ReadEntry } from './row-texts.ts';

/** Hears, before the first byte leaves, which places (seq) of which endpoint an answer holds. */
export type Seen = (endpoint: string, seqs: readonly number[]) => void;

export type QueryOptions = {
  orderBy?: string | undefined;
  ordering: Ordering;
  skip: number;
  /** null: all. */
  take: number | null;
  /** Adds dates; only for entries without a mapping. */
  meta?: boolean;
  seen?: Seen | undefined;
};

export type ReadBundle = Record<string, Omit<BundleProperty, 'endpoints'> & { endpoints: readonly ReadEntry[] }>;

/** JSON text, at once or piece by piece. */
export type Text = string | AsyncGenerator<string>;

export type QueryService = {
  /** Reads the records of some endpoints, interleaved: a JSON array. */
  read(entries: readonly ReadEntry[], options: QueryOptions): Promise<Text>;
  /** How many records match, those that two entries find twice. Counted where it holds nobody up. */
  count(entries: readonly CombinatorEntry[]): Promise<number>;
  answer(entries: readonly CombinatorEntry[], options: QueryOptions): Promise<Answer>;
  /** Pairs of entry and place, in order. */
  keys(entries: readonly CombinatorEntry[], options: QueryOptions): Promise<Float64Array>;
  /** A bundle's data: a JSON object of property -> array of records. */
  readBundle(bundle: ReadBundle, seen?: Seen): Promise<Text>;
  combinator(name: string): CombinatorEntry[];
  bundle(name: string): Bundle;
  combinators(): { name: string; created: string }[];
  bundles(): { name: string; created: string }[];
  /** @throws Failure already_exists unless `replace` */
  registerCombinator(name: string, entries: readonly CombinatorEntry[], replace: boolean): Promise<void>;
  registerBundle(name: string, bundle: Bundle, replace: boolean): Promise<void>;
  removeCombinator(name: string): Promise<void>;
  removeBundle(name: string): Promise<void>;
};

export type QueryParts = {
  store: QueryStore;
  endpoints: Endpoints;
  records: RecordReader;
  writer: Writer;
  reader: DatabaseThread;
  indexes: EarnedIndexes;
  clock: Clock;
  /** Whether a name belongs to a bundle of another room. */
  isForeignBundle: (name: string) => boolean;
};

/** Rows that are read in one go; more are streamed. */
const AT_ONCE = 1000;
/** Bytes that are read in one go. */
const AT_ONCE_BYTES = 2_000_000;
/** Records that a first look may scan here; more go to the reader thread until they proved quick. */
const SMALL = 2000;
/** Milliseconds. What took no longer the last time may run here the next time. */
const QUICK_MS = 3;
/** A skip that deep is counted in the thread. */
const DEEP = 20_000;
const MAX_REMEMBERED = 500;
/** Every write of a record pays for each index of its endpoint; what was registered first has them. */
const MAX_INDEXES = 100;
/** Statements kept for one definition: pages of it, in both orders. */
const MAX_COMPILED = 50;

type Compiled = CompiledQuery & {
  texts: RowTexts;
  /** The same without a LIMIT, for reads that stop by themselves. `whole`: what its endpoints held when it found no more than was wanted. */
  open?: CompiledQuery & { whole: string | undefined };
};

const jsonAnswer = (status: number, text: Text): Answer =>
  typeof text === 'string' ? { status, text } : { status, stream: text };

export { jsonAnswer };

/** The indexes that registered combinators and bundles, and those that `others` name, would use. Endpoints nobody wrote to yet get their number now. */
export const neededIndexes = async (
  parts: Pick<QueryParts, 'store' | 'endpoints' | 'writer'> & { others: () => readonly NamedBundle[] },
): Promise<NeededIndex[]> => {
  const { store, endpoints, writer } = parts;
  const bundles = [
    ...store.bundles.list().map((row) => JSON.parse(row.definition) as Bundle),
    ...parts.others().map(({ bundle }) => bundle),
  ];
  const queries: { entries: readonly CombinatorEntry[]; orderBy?: string | null | undefined }[] = [
    ...store.combinators.list().map((row) => ({ entries: JSON.parse(row.definition) as CombinatorEntry[] })),
    ...bundles.flatMap((bundle) =>
      Object.values(bundle).map(({ endpoints: entries, orderBy }) => ({ entries, orderBy })),
    ),
  ];
  return writer.write((tx) => {
    const found = new Map<string, NeededIndex>();
    for (const { entries, orderBy } of queries) {
      for (const entry of entries) {
        const { endpoint: path } = entry;
        const numbered = { ...entry, endpoint: endpoints.intern(tx, path) };
        for (const index of indexesFor([numbered], orderBy ?? null)) found.set(index.name, { ...index, path });
        for (const need of textNeedsFor([numbered])) {
          const index = textIndex(need.endpoint, need.path);
          found.set(index.name, { ...index, path });
        }
      }
    }
    return [...found.values()].slice(0, MAX_INDEXES);
  });
};

export const createQueryService = (parts: QueryParts): QueryService => {
  const { store, endpoints, records, reader, indexes } = parts;
  const definitions = createDefinitions(parts);
  /** Statement -> milliseconds that it took the last time. */
  const took = new Map<string, number>();
  const resolve = (entries: readonly CombinatorEntry[]): SelectEntry[] =>
    entries.map((entry) => {
      const endpoint = endpoints.find(entry.endpoint);
      if (endpoint !== undefined) indexes.seen(entry.endpoint, endpoint);
      return { ...entry, endpoint: endpoint ?? null };
    });

  /** Statements by the definition they were made from. Writing one takes longer than running it through an index. */
  const compiledFor = new WeakMap<object, Map<string, Compiled>>();

  const compile = (entries: readonly ReadEntry[], options: QueryOptions, columns: 'records' | 'keys'): Compiled => {
    const resolved = resolve(entries);
    const { orderBy, ordering, skip, take, meta } = options;
    const numbers = resolved.map((entry) => entry.endpoint).join();
    const key = `${columns} ${ordering} ${skip} ${take} ${meta} ${indexes.generation()} ${numbers} ${orderBy}`;
    let compiled = compiledFor.get(entries);
    if (compiled === undefined || compiled.size > MAX_COMPILED) {
      compiled = new Map();
      compiledFor.set(entries, compiled);
    }
    const known = compiled.get(key);
    if (known !== undefined) return known;
    const made = compileNow(entries, resolved, options, columns);
    compiled.set(key, made);
    return made;
  };

  const compileNow = (
    entries: readonly ReadEntry[],
    resolved: readonly SelectEntry[],
    options: QueryOptions,
    columns: 'records' | 'keys',
  ): Compiled => {
    const { orderBy, ordering, skip, take } = options;
    const query = { entries: resolved, orderBy, ordering, columns, indexes: indexes.ready() };
    const compiled = compileSelect({ ...query, skip, take });
    // SQLite sorts a statement with a LIMIT in a table of its own, and making that table takes ten times as long as finding a
    // few rows through an index.
    const filtered = entries.some((entry) => (entry.filters?.length ?? 0) > 0);
    const stops = filtered && skip === 0 && take !== null && orderBy === undefined && columns === 'records';
    const open = stops ? { open: { ...compileSelect({ ...query, skip: 0, take: null }), whole: undefined } } : {};
    const texts = compileRowTexts(entries, (row) => metaOf(row, options));
    return { ...compiled, ...open, texts };
  };

  const metaOf = (row: FoundRow, options: QueryOptions): string => {
    if (options.meta !== true) return '';
    const record = records.bySeq(row.seq);
    if (record === undefined) return '';
    return `,"dateCreated":"${isoTime(record.created)}","lastUpdated":"${isoTime(record.updated ?? record.created)}"`;
  };

  /** Whether a read may run here, on the thread that answers everybody. */
  const isQuick = (sql: string, entries: readonly CombinatorEntry[], options: QueryOptions): boolean => {
    if (options.skip > DEEP) return false;
    const last = took.get(sql);
    if (last !== undefined) return last <= QUICK_MS;
    const scans = options.orderBy !== undefined || entries.some((entry) => (entry.filters?.length ?? 0) > 0);
    if (!scans) return true;
    const held = entries.reduce((sum, entry) => sum + (endpoints.summary(entry.endpoint)?.records ?? 0), 0);
    return held <= SMALL;
  };

  const remember = (sql: string, ms: number): void => {
    const oldest = took.keys().next().value;
    if (took.size >= MAX_REMEMBERED && oldest !== undefined) took.delete(oldest);
    took.delete(sql);
    took.set(sql, ms);
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
    { sql, parameters, open }: Compiled,
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

  const rowsOf = async (
    query: Compiled,
    entries: readonly CombinatorEntry[],
    options: QueryOptions,
  ): Promise<FoundRow[]> => {
    if (!isQuick(query.sql, entries, options)) {
      // Only the work counts: many that wait for the same thread would all look slow, and stay there.
      return reader.all<FoundRow>(query.sql, query.parameters, (ms) => remember(query.sql, ms));
    }
    const start = performance.now();
    const rows = readHere(query, entries, options);
    remember(query.sql, performance.now() - start);
    return rows;
  };

  /** Records that are read in one go: fewer of large ones, so that no answer is held whole in memory. */
  const atOnceOf = (entries: readonly CombinatorEntry[]): number => {
    let largest = 1;
    for (const { endpoint } of entries) {
      const summary = endpoints.summary(endpoint);
      if (summary !== undefined && summary.records > 0) largest = Math.max(largest, summary.bytes / summary.records);
    }
    return Math.max(1, Math.min(AT_ONCE, Math.floor(AT_ONCE_BYTES / largest)));
  };

  /** The same without those of which nothing is shown. */
  const shownKeys = (entries: readonly ReadEntry[], found: Float64Array): Float64Array => {
    if (!entries.some(({ show }) => show === 'nothing')) return found;
    const left: number[] = [];
    for (let at = 0; at < found.length; at += 2) {
      const [entry = 0, seq = 0] = found.subarray(at, at + 2);
      if (entries[entry]?.show !== 'nothing') left.push(entry, seq);
    }
    return Float64Array.from(left);
  };

  /**
   * @param begun when the keys began to be read
   * @param stillFound asked when a record has changed since it was found: pairs of entry and place as they are found by now. What was made
   * to match no more is not handed out, however slowly the answer is read.
   */
  async function* piecewise(
    keys: Float64Array,
    atOnce: number,
    textsOf: RowTexts,
    begun: number,
    stillFound?: () => Promise<Float64Array>,
  ): AsyncGenerator<string> {
    yield '[';
    let separator = '';
    for (let at = 0; at < keys.length; at += 2 * atOnce) {
      let rows: FoundRow[] = [];
      const changed = new Set<FoundRow>();
      for (let key = at; key < Math.min(keys.length, at + 2 * atOnce); key += 2) {
        const seq = keys[key + 1] ?? 0;
        const record = records.bySeq(seq);
        // Gone since the keys were read, alone or with its endpoint: what is deleted meanwhile is not handed out.
        if (record === undefined || endpoints.pathOf(record.endpoint) === undefined) continue;
        const row = { entry: keys[key] ?? 0, seq, id: record.id, data: record.data };
        rows.push(row);
        if (stillFound !== undefined && (record.updated ?? 0) >= begun) changed.add(row);
      }
      if (stillFound !== undefined && changed.size > 0) {
        const found = new Set<string>();
        const now = await stillFound();
        for (let key = 0; key < now.length; key += 2) found.add(`${now[key]} ${now[key + 1]}`);
        rows = rows.filter((row) => !changed.has(row) || found.has(`${row.entry} ${row.seq}`));
      }
      if (rows.length > 0) {
        yield separator + textsOf(rows);
        separator = ',';
      }
      await new Promise(setImmediate);
    }
    yield ']';
  }

  /** An index can be dropped between the writing of a statement and its turn in the thread: then it is written anew without it. */
  const withIndexes = async <T>(run: () => Promise<T>): Promise<T> => {
    const before = indexes.generation();
    try {
      return await run();
    } catch (error) {
      if (indexes.generation() === before) throw error;
      return await run();
    }
  };

  const keys = (entries: readonly CombinatorEntry[], options: QueryOptions): Promise<Float64Array> =>
    withIndexes(() => {
      const query = compile(entries, options, 'keys');
      return reader.numbers(query.sql, query.parameters);
    });

  const readNow = async (entries: readonly ReadEntry[], options: QueryOptions): Promise<Text> => {
    const atOnce = atOnceOf(entries);
    const wanted = options.take ?? Number.POSITIVE_INFINITY;
    // Perhaps there are not that many: a first page tells, and most answers end there.
    const page = wanted > atOnce ? { ...options, take: atOnce + 1 } : options;
    const query = compile(entries, page, 'records');
    const all = await rowsOf(query, entries, page);
    if (wanted > atOnce && all.length > atOnce) {
      const begun = parts.clock.now();
      const found = shownKeys(entries, await keys(entries, options));
      tellKeys(entries, found, options.seen);
      // Without a filter whatever is in the records belongs to the answer.
      const filtered = entries.some(({ filters }) => (filters?.length ?? 0) > 0);
      return piecewise(found, atOnce, query.texts, begun, filtered ? () => keys(entries, options) : undefined);
    }
    const rows = all.filter(({ entry }) => entries[entry]?.show !== 'nothing');
    if (options.seen !== undefined) {
      tellSeen(entries, rows.length, (at) => [rows[at]?.entry ?? 0, rows[at]?.seq ?? 0], options.seen);
    }
    return `[${query.texts(rows)}]`;
  };

  const tellSeen = (
    entries: readonly CombinatorEntry[],
    count: number,
    at: (index: number) => readonly [entry: number, seq: number],
    seen: Seen,
  ): void => {
    const places = new Map<string, number[]>();
    for (let index = 0; index < count; index += 1) {
      const [entry, seq] = at(index);
      const endpoint = entries[entry]?.endpoint ?? '';
      const known = places.get(endpoint);
      if (known === undefined) places.set(endpoint, [seq]);
      else known.push(seq);
    }
    for (const [endpoint, seqs] of places) seen(endpoint, seqs);
  };

  const tellKeys = (entries: readonly CombinatorEntry[], found: Float64Array, seen: Seen | undefined): void => {
    if (seen === undefined) return;
    tellSeen(entries, found.length / 2, (at) => [found[2 * at] ?? 0, found[2 * at + 1] ?? 0], seen);
  };

  const read = (entries: readonly ReadEntry[], options: QueryOptions): Promise<Text> =>
    withIndexes(() => readNow(entries, options));

  async function* bundlePieces(texts: readonly (readonly [string, Text])[]): AsyncGenerator<string> {
    yield '{';
    let separator = '';
    for (const [property, text] of texts) {
      yield `${separator}${JSON.stringify(property)}:`;
      if (typeof text === 'string') yield text;
      else yield* text;
      separator = ',';
    }
    yield '}';
  }

  const count = async (entries: readonly CombinatorEntry[]): Promise<number> => {
    // What has no filter is counted already.
    const filtered = entries.filter(({ filters }) => (filters?.length ?? 0) > 0);
    const rest = entries.filter((entry) => !filtered.includes(entry));
    const known = rest.reduce((sum, { endpoint }) => sum + (endpoints.summary(endpoint)?.records ?? 0), 0);
    if (filtered.length === 0) return known;
    return withIndexes(async () => {
      const query = {
        entries: resolve(filtered),
        ordering: 'ascending',
        skip: 0,
        take: null,
        columns: 'count',
      } as const;
      const { sql, parameters } = compileSelect({ ...query, indexes: indexes.ready() });
      const [found = 0] = await reader.numbers(sql, parameters);
      return known + found;
    });
  };

  return {
    read,
    count,
    answer: async (entries, options) => jsonAnswer(200, await read(entries, options)),
    keys,
    async readBundle(bundle, seen) {
      const texts = await Promise.all(
        Object.entries(bundle).map(async ([property, { endpoints: entries, limit, orderBy, ordering }]) => {
          const options = {
            orderBy: orderBy ?? undefined,
            ordering: ordering ?? 'ascending',
            skip: 0,
            take: limit ?? null,
            seen,
          } as const;
          return [property, await read(entries, options)] as const;
        }),
      );
      const pieces = bundlePieces(texts);
      if (texts.some(([, text]) => typeof text !== 'string')) return pieces;
      let whole = '';
      for await (const piece of pieces) whole += piece;
      return whole;
    },
    combinator: (name) => definitions.find('combinators', name) as CombinatorEntry[],
    bundle: (name) => definitions.find('bundles', name) as Bundle,
    combinators: () => definitions.list('combinators'),
    bundles: () => definitions.list('bundles'),
    registerCombinator: (name, entries, replace) => definitions.register('combinators', name, entries, replace),
    registerBundle: (name, bundle, replace) => definitions.register('bundles', name, bundle, replace),
    removeCombinator: (name) => definitions.remove('combinators', name),
    removeBundle: (name) => definitions.remove('bundles', name),
  };
};
