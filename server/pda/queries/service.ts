import type { Clock } from '../../platform/clock.ts';
import { isoTime } from '../../platform/clock.ts';
import type { Answer } from '../../platform/route.ts';
import type { Bundle, CombinatorEntry, Mapping, Ordering } from '../../wire/query.ts';
import type { Endpoints, RecordReader } from '../records/service.ts';
import type { DatabaseThread, Writer } from '../storage/index.ts';
import { compileSelect, type CompiledQuery } from './compile.ts';
import { createDefinitions } from './definitions.ts';
import type { EarnedIndexes, NeededIndex } from './earned-indexes.ts';
import { indexesFor, textNeedsFor, type SelectEntry } from './indexes.ts';
import { compileTextMapping } from './mapping.ts';
import type { FoundRow, QueryStore } from './store.ts';
import { textIndex } from './text-indexes.ts';

export type QueryOptions = {
  orderBy?: string | undefined;
  ordering: Ordering;
  skip: number;
  /** null: all. */
  take: number | null;
  /** Adds dates; only for entries without a mapping. */
  meta?: boolean;
};

/** JSON text, at once or piece by piece. */
export type Text = string | AsyncGenerator<string>;

export type QueryService = {
  /** Reads the records of some endpoints, interleaved: a JSON array. */
  read(entries: readonly CombinatorEntry[], options: QueryOptions): Promise<Text>;
  answer(entries: readonly CombinatorEntry[], options: QueryOptions): Promise<Answer>;
  /** Pairs of entry and place, in order. */
  keys(entries: readonly CombinatorEntry[], options: QueryOptions): Promise<Float64Array>;
  /** A bundle's data: a JSON object of property -> array of records. */
  readBundle(bundle: Bundle): Promise<Text>;
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
/** Statements kept for one definition: pages of it, in both orders. */
const MAX_COMPILED = 50;

type Compiled = CompiledQuery & {
  write: (row: FoundRow) => string;
  /** The same without a LIMIT, for reads that stop by themselves. */
  open?: CompiledQuery;
};

const jsonAnswer = (status: number, text: Text): Answer =>
  typeof text === 'string' ? { status, text } : { status, stream: text };

export { jsonAnswer };

/** The indexes that registered combinators and bundles would use. Endpoints nobody wrote to yet get their number now. */
export const neededIndexes = async (
  parts: Pick<QueryParts, 'store' | 'endpoints' | 'writer'>,
): Promise<NeededIndex[]> => {
  const { store, endpoints, writer } = parts;
  const queries: { entries: readonly CombinatorEntry[]; orderBy?: string | null | undefined }[] = [
    ...store.combinators.list().map((row) => ({ entries: JSON.parse(row.definition) as CombinatorEntry[] })),
    ...store.bundles.list().flatMap((row) =>
      Object.values(JSON.parse(row.definition) as Bundle).map((property) => ({
        entries: property.endpoints,
        orderBy: property.orderBy,
      })),
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
    return [...found.values()];
  });
};

export const createQueryService = (parts: QueryParts): QueryService => {
  const { store, endpoints, records, reader, indexes } = parts;
  const definitions = createDefinitions(parts);
  /** Statement -> milliseconds that it took the last time. */
  const took = new Map<string, number>();
  const mappings = new WeakMap<object, (text: string) => string>();

  const mapper = (mapping: Mapping): ((text: string) => string) => {
    const known = mappings.get(mapping);
    if (known !== undefined) return known;
    const made = compileTextMapping(mapping);
    mappings.set(mapping, made);
    return made;
  };

  const resolve = (entries: readonly CombinatorEntry[]): SelectEntry[] =>
    entries.map((entry) => {
      const endpoint = endpoints.find(entry.endpoint);
      if (endpoint !== undefined) indexes.seen(entry.endpoint, endpoint);
      return { ...entry, endpoint: endpoint ?? null };
    });

  /** Statements by the definition they were made from. Writing one takes longer than running it through an index. */
  const compiledFor = new WeakMap<object, Map<string, Compiled>>();

  const compile = (
    entries: readonly CombinatorEntry[],
    options: QueryOptions,
    columns: 'records' | 'keys',
  ): Compiled => {
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
    entries: readonly CombinatorEntry[],
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
    const open = stops ? { open: compileSelect({ ...query, skip: 0, take: null }) } : {};
    const writers = entries.map((entry) => {
      const head = `{"endpoint":${JSON.stringify(entry.endpoint)},"recordId":"`;
      const map = entry.mapping === undefined || entry.mapping === null ? undefined : mapper(entry.mapping);
      return (row: FoundRow): string =>
        `${head}${row.id}","data":${map === undefined ? row.data : map(row.data)}${metaOf(row, options)}}`;
    });
    return { ...compiled, ...open, write: (row) => writers[row.entry]?.(row) ?? '' };
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

  const readHere = ({ sql, parameters, open }: Compiled, { take }: QueryOptions): FoundRow[] =>
    open === undefined || take === null
      ? store.rows(sql, parameters)
      : store.firstRows(open.sql, open.parameters, take);

  const rowsOf = async (
    query: Compiled,
    entries: readonly CombinatorEntry[],
    options: QueryOptions,
  ): Promise<FoundRow[]> => {
    const quick = isQuick(query.sql, entries, options);
    const start = performance.now();
    const rows = quick ? readHere(query, options) : await reader.all<FoundRow>(query.sql, query.parameters);
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

  async function* piecewise(
    keys: Float64Array,
    atOnce: number,
    write: (row: FoundRow) => string,
  ): AsyncGenerator<string> {
    yield '[';
    let separator = '';
    for (let at = 0; at < keys.length; at += 2 * atOnce) {
      const texts: string[] = [];
      for (let key = at; key < Math.min(keys.length, at + 2 * atOnce); key += 2) {
        const seq = keys[key + 1] ?? 0;
        const record = records.bySeq(seq);
        // Gone since the keys were read, alone or with its endpoint: what is deleted meanwhile is not handed out.
        if (record === undefined || endpoints.pathOf(record.endpoint) === undefined) continue;
        texts.push(write({ entry: keys[key] ?? 0, seq, id: record.id, data: record.data }));
      }
      if (texts.length > 0) {
        yield separator + texts.join(',');
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

  const readNow = async (entries: readonly CombinatorEntry[], options: QueryOptions): Promise<Text> => {
    const atOnce = atOnceOf(entries);
    const wanted = options.take ?? Number.POSITIVE_INFINITY;
    // Perhaps there are not that many: a first page tells, and most answers end there.
    const page = wanted > atOnce ? { ...options, take: atOnce + 1 } : options;
    const query = compile(entries, page, 'records');
    const rows = await rowsOf(query, entries, page);
    if (wanted > atOnce && rows.length > atOnce) return piecewise(await keys(entries, options), atOnce, query.write);
    return `[${rows.map(query.write).join(',')}]`;
  };

  const read = (entries: readonly CombinatorEntry[], options: QueryOptions): Promise<Text> =>
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

  return {
    read,
    answer: async (entries, options) => jsonAnswer(200, await read(entries, options)),
    keys,
    async readBundle(bundle) {
      const texts = await Promise.all(
        Object.entries(bundle).map(async ([property, { endpoints: entries, limit, orderBy, ordering }]) => {
          const options = {
            orderBy: orderBy ?? undefined,
            ordering: ordering ?? 'ascending',
            skip: 0,
            take: limit ?? null,
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
