import type { Clock } from '../../../platform/clock.ts';
import { jsonText, type RouteResponse } from '../../../platform/http/route.ts';
import type { NonOwnerReader } from '../../../platform/auth/access-trace.ts';
import type { Bundle, CombinatorEntry, Ordering } from '../../../wire/query.ts';
import type { Endpoints, RecordReader } from '../records/service.ts';
import type { DatabaseThread, Writer } from '../../storage/index.ts';
import { createBundleRead, type FoundRecords, type ReadBundle } from './execution/bundle-reader.ts';
import type { BundleSource, BundleSources } from './bundle-sources.ts';
import { createDefinitions } from './definitions.ts';
import type { EarnedIndexes } from './indexes/manager.ts';
import { piecewise, started, type Text } from './execution/record-stream.ts';
import type { ReadEntry } from './execution/row-serializer.ts';
import { release } from '../../core/seq-set.ts';
import { asReadFailure } from '../../../platform/workers/read-limit-failure.ts';
import { createRows } from './execution/executor.ts';
import { tellKeys, tellRows } from './execution/access-recorder.ts';
import type { FoundRow, QueryStore } from './store.ts';
import { createStatements, isFiltered, type QueryOptions } from './execution/statements.ts';

export type { ReadBundle } from './execution/bundle-reader.ts';
export type { Text } from './execution/record-stream.ts';
export type { ReadEntry } from './execution/row-serializer.ts';
export type { QueryOptions } from './execution/statements.ts';

export type QueryService = {
  /** Reads the records of some endpoints, interleaved: a JSON array. */
  read(entries: readonly ReadEntry[], options: QueryOptions): Promise<Text>;
  /** Number of matching records; records that two entries match count twice. Counted without blocking the event loop. */
  count(entries: readonly CombinatorEntry[]): Promise<number>;
  answer(entries: readonly ReadEntry[], options: QueryOptions): Promise<RouteResponse>;
  /** Pairs of entry and place, in order. */
  keys(entries: readonly CombinatorEntry[], options: QueryOptions): Promise<Float64Array>;
  /** Those of these places that match, in order of creation, each as the text of a record. At most a thousand places. */
  matchesAt(entries: readonly CombinatorEntry[], places: readonly number[]): Promise<{ seq: number; text: string }[]>;
  /** These places in the order of a field; each once, those that match no more left out. */
  placesInOrder(
    entries: readonly CombinatorEntry[],
    places: readonly number[],
    orderBy: string,
    ordering: Ordering,
  ): Promise<number[]>;
  /** A bundle's data: a JSON object of property -> array of records. */
  readBundle(bundle: ReadBundle, guest?: NonOwnerReader): Promise<Text>;
  combinator(name: string): CombinatorEntry[];
  bundle(name: string): Bundle;
  combinators(): { name: string; created: string }[];
  bundles(): { name: string; created: string }[];
  /** @throws Failure already_exists unless `replace` */
  registerCombinator(name: string, entries: readonly CombinatorEntry[], replace: boolean): Promise<void>;
  registerBundle(name: string, bundle: Bundle, replace: boolean): Promise<void>;
  removeCombinator(name: string): Promise<void>;
  removeBundle(name: string): Promise<void>;
  /** Registers bundles that another room stores. */
  addBundleSource(source: BundleSource): void;
};

export type QueryParts = {
  store: QueryStore;
  endpoints: Endpoints;
  /** The owner's. */
  reader: DatabaseThread;
  /** Of all other callers. */
  guestReader: DatabaseThread;
  records: RecordReader;
  writer: Writer;
  indexes: EarnedIndexes;
  clock: Clock;
  sources: BundleSources;
};

/** Rows that are read in one go; more are streamed. */
const AT_ONCE = 1000;
/** Bytes that are read in one go, so that no answer is held whole in memory. */
const AT_ONCE_BYTES = 1_000_000;
/** Bytes of one piece of what is streamed: larger ones outlive the quick collections, and pile up. */
const PIECE_BYTES = 64_000;
const NONE = new Float64Array();

export const createQueryService = (parts: QueryParts): QueryService => {
  const { endpoints, reader, guestReader, indexes } = parts;
  const definitions = createDefinitions(parts);
  const statements = createStatements(parts);
  const rowsOf = createRows(parts);

  /** Number of records that add up to this many bytes. */
  const recordsIn = (bytes: number, entries: readonly CombinatorEntry[]): number => {
    let largest = 1;
    for (const { endpoint } of entries) {
      const summary = endpoints.summary(endpoint);
      if (summary !== undefined && summary.records > 0) largest = Math.max(largest, summary.bytes / summary.records);
    }
    return Math.max(1, Math.min(AT_ONCE, Math.floor(bytes / largest)));
  };

  /** The same without those of which nothing is shown. */
  const shownKeys = (entries: readonly ReadEntry[], found: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> => {
    if (!entries.some(({ show }) => show === 'nothing')) return found;
    const left: number[] = [];
    for (let at = 0; at < found.length; at += 2) {
      const [entry = 0, seq = 0] = found.subarray(at, at + 2);
      if (entries[entry]?.show !== 'nothing') left.push(entry, seq);
    }
    release(found);
    return Float64Array.from(left);
  };

  /** Retries with a new statement if an index was dropped before the statement ran in the reader thread. */
  const withIndexes = async <T>(run: () => Promise<T>): Promise<T> => {
    const before = indexes.generation();
    try {
      return await run().catch((error: unknown) => {
        if (indexes.generation() === before) throw error;
        return run();
      });
    } catch (error) {
      throw asReadFailure(error);
    }
  };

  const threadOf = ({ guest }: QueryOptions): DatabaseThread => (guest === undefined ? reader : guestReader);

  const keys = (
    entries: readonly ReadEntry[],
    options: QueryOptions,
    worked?: (ms: number) => void,
  ): Promise<Float64Array<ArrayBuffer>> =>
    withIndexes(() => {
      const query = statements.of(entries, options, 'keys');
      return threadOf(options).numbers(query.sql, query.parameters, worked);
    });

  const keysShown = async (
    entries: readonly ReadEntry[],
    options: QueryOptions,
    worked?: (ms: number) => void,
  ): Promise<Float64Array<ArrayBuffer>> => shownKeys(entries, await keys(entries, options, worked));

  /** Bytes of the records of these keys, each as often as it comes; no more are counted when they are more than asked for. */
  const bytesOf = (found: Float64Array, enough: number): number => {
    let bytes = 0;
    for (let at = 1; at < found.length && bytes <= enough; at += 2)
      bytes += parts.records.sized(found[at] ?? 0, 0)?.bytes ?? 0;
    return bytes;
  };

  const gather = async (pieces: AsyncIterable<string>): Promise<string> => {
    let text = '';
    for await (const piece of pieces) text += piece;
    return text;
  };

  const findNow = async (entries: readonly ReadEntry[], options: QueryOptions): Promise<FoundRecords> => {
    const { guest } = options;
    const atOnce = recordsIn(AT_ONCE_BYTES, entries);
    const wanted = options.take ?? Number.POSITIVE_INFINITY;
    // Perhaps there are not that many: a first page tells, and most answers end there.
    const page = wanted > atOnce ? { ...options, take: atOnce + 1 } : options;
    const query = statements.of(entries, page, 'records');
    const begun = parts.clock.now();
    const here = rowsOf.onMainThread(query, entries, page);
    // Without a filter whatever is in the records belongs to the answer.
    const stillFound = entries.some(isFiltered) ? () => keys(entries, options) : undefined;
    const thread = threadOf(options);
    const found = { atOnce: recordsIn(PIECE_BYTES, entries), textsOf: query.texts, thread, begun, stillFound };
    const isMore = wanted > atOnce && (here?.length ?? 0) > atOnce;
    if (here === undefined && rowsOf.isLong(query, entries, page)) guest?.longRead();
    if (isMore) guest?.longRead();
    const rows = (here ?? []).filter(({ entry }) => entries[entry]?.show !== 'nothing');
    const isSmall = (row: FoundRow): boolean => query.texts.isSmall(row.entry, row.data.length);
    if (here !== undefined && !isMore && rows.every(isSmall)) {
      tellRows(entries, rows, guest?.recordReads);
      return { ...found, keys: NONE, text: `[${query.texts.of(rows)}]` };
    }
    const noted = here === undefined ? (ms: number) => rowsOf.noteTime(query, ms) : undefined;
    const long = { ...found, begun: parts.clock.now(), keys: await keysShown(entries, options, noted) };
    const isWhole = long.keys.length <= 2 * atOnce && bytesOf(long.keys, AT_ONCE_BYTES) <= AT_ONCE_BYTES;
    if (!isWhole) guest?.longRead();
    tellKeys(entries, long.keys, guest?.recordReads);
    if (!isWhole) return { ...long, text: undefined };
    return { ...found, keys: NONE, text: await gather(piecewise(parts, long)) };
  };

  const find = (entries: readonly ReadEntry[], options: QueryOptions): Promise<FoundRecords> =>
    withIndexes(() => findNow(entries, options));

  const read = async (entries: readonly ReadEntry[], options: QueryOptions): Promise<Text> => {
    const { text, ...found } = await find(entries, options);
    return text ?? started(piecewise(parts, found));
  };

  const count = async (entries: readonly CombinatorEntry[]): Promise<number> => {
    // What has no filter is counted already.
    const filtered = entries.filter(isFiltered);
    const rest = entries.filter((entry) => !isFiltered(entry));
    const known = rest.reduce((sum, { endpoint }) => sum + (endpoints.summary(endpoint)?.records ?? 0), 0);
    if (filtered.length === 0) return known;
    return withIndexes(async () => {
      const query = statements.counting(filtered);
      const [found = 0] = await reader.numbers(query.sql, query.parameters);
      return known + found;
    });
  };

  const matchesAt = (
    entries: readonly CombinatorEntry[],
    places: readonly number[],
  ): Promise<{ seq: number; text: string }[]> =>
    withIndexes(async () => {
      const options: QueryOptions = { ordering: 'ascending', skip: 0, take: null, within: places };
      const query = statements.of(entries, options, 'records');
      const rows = rowsOf.onMainThread(query, entries, options);
      if (rows !== undefined) return rows.map((row) => ({ seq: row.seq, text: query.texts.of([row]) }));
      const begun = parts.clock.now();
      const found = await keys(entries, options, (ms) => rowsOf.noteTime(query, ms));
      const texts: { seq: number; text: string }[] = [];
      const long = { atOnce: 1, textsOf: query.texts, thread: threadOf(options), begun };
      for (let at = 0; at < found.length; at += 2) {
        const key = found.slice(at, at + 2);
        const [seq = 0] = key.subarray(1);
        const text = await gather(piecewise(parts, { ...long, keys: key, stillFound: () => keys(entries, options) }));
        // Deleted meanwhile, or changed so that it does not match.
        if (text !== '[]') texts.push({ seq, text: text.slice(1, -1) });
      }
      return texts;
    });

  return {
    read,
    count,
    matchesAt,
    async placesInOrder(entries, within, orderBy, ordering) {
      const found = await keys(entries, { orderBy, ordering, skip: 0, take: null, within });
      return [...new Set(found.filter((_, index) => index % 2 === 1))];
    },
    answer: async (entries, options) => jsonText(200, await read(entries, options)),
    keys,
    readBundle: createBundleRead({ ...parts, find, shownKeys: keysShown, now: () => parts.clock.now() }),
    combinator: (name) => definitions.find('combinators', name) as CombinatorEntry[],
    bundle: (name) => definitions.find('bundles', name) as Bundle,
    combinators: () => definitions.list('combinators'),
    bundles: () => definitions.list('bundles'),
    registerCombinator: (name, entries, replace) => definitions.register('combinators', name, entries, replace),
    registerBundle: (name, bundle, replace) => definitions.register('bundles', name, bundle, replace),
    removeCombinator: (name) => definitions.remove('combinators', name),
    removeBundle: (name) => definitions.remove('bundles', name),
    addBundleSource: parts.sources.add,
  };
};
