import type { Clock } from '../../../platform/clock.ts';
import { jsonText, type RouteResponse } from '../../../platform/http/route.ts';
import type { NonOwnerReader } from '../../../platform/auth/access-trace.ts';
import type { Bundle, CombinatorEntry, Ordering } from '../../../wire/query.ts';
import type { Endpoints, RecordReader } from '../records/service.ts';
import type { DatabaseThread, Writer } from '../../storage/index.ts';
import { createBundleReader, type ReadResult, type ReadBundle } from './execution/bundle-reader.ts';
import type { BundleSource, BundleSources } from './bundle-sources.ts';
import { createDefinitions } from './definitions.ts';
import { retryOnDroppedIndex } from './indexes/dropped-index.ts';
import type { IndexManager } from './indexes/manager.ts';
import { streamRecords, prefetchStart, type Text } from './execution/record-stream.ts';
import type { ReadEntry } from './execution/row-serializer.ts';
import { releaseBuffer } from '../../core/seq-set.ts';
import { mapReadErrors } from '../../../platform/workers/read-limit-failure.ts';
import { createReadExecutor } from './execution/executor.ts';
import { logKeyReads, logRowReads } from './execution/access-recorder.ts';
import type { QueryRow, QueryStore } from './store.ts';
import { createStatements, isFiltered, type QueryOptions } from './execution/statements.ts';

export type { Text } from './execution/record-stream.ts';

/**
 * All reads throw Failure query_limit_exceeded above their limits. Reads by non-owners also throw rate_limited above
 * the long-read limit.
 */
export type QueryService = {
  /** Reads the records of endpoints, interleaved, as a JSON array. */
  read(entries: readonly ReadEntry[], options: QueryOptions): Promise<Text>;
  /** Counts matching records without blocking the event loop. Records that two entries match count twice. */
  count(entries: readonly CombinatorEntry[]): Promise<number>;
  respond(entries: readonly ReadEntry[], options: QueryOptions): Promise<RouteResponse>;
  /** Returns the index of the entry and the sequence number of each record, alternating, in the order of the read. */
  keys(entries: readonly CombinatorEntry[], options: QueryOptions): Promise<Float64Array>;
  /** Returns the records of `seqs` (at most 1,000) that match, in the order of creation, as JSON text. */
  matchesAmong(entries: readonly CombinatorEntry[], seqs: readonly number[]): Promise<{ seq: number; text: string }[]>;
  /** Sorts sequence numbers by a field. Omits duplicates and those of records that no longer match. */
  sortSeqs(
    entries: readonly CombinatorEntry[],
    seqs: readonly number[],
    orderBy: string,
    ordering: Ordering,
  ): Promise<number[]>;
  /** Reads a bundle as a JSON object that maps each property to an array of records. */
  readBundle(bundle: ReadBundle, nonOwner?: NonOwnerReader): Promise<Text>;
  /** @throws Failure not_found */
  combinator(name: string): CombinatorEntry[];
  /** @throws Failure not_found */
  bundle(name: string): Bundle;
  combinators(): { name: string; created: string }[];
  bundles(): { name: string; created: string }[];
  /** @throws Failure already_exists if the name exists and `replace` is false */
  registerCombinator(name: string, entries: readonly CombinatorEntry[], replace: boolean): Promise<void>;
  /** @throws Failure already_exists if the name exists and `replace` is false, or the bundle belongs to a Data Debit */
  registerBundle(name: string, bundle: Bundle, replace: boolean): Promise<void>;
  /** @throws Failure not_found */
  removeCombinator(name: string): Promise<void>;
  /** @throws Failure not_found, or already_exists if the bundle belongs to a Data Debit */
  removeBundle(name: string): Promise<void>;
  addBundleSource(source: BundleSource): void;
};

export type QueryParts = {
  store: QueryStore;
  endpoints: Endpoints;
  /** Reader thread of all reads except those by non-owners. */
  reader: DatabaseThread;
  /** Reader thread of reads by non-owners. */
  nonOwnerThread: DatabaseThread;
  records: RecordReader;
  writer: Writer;
  indexes: IndexManager;
  clock: Clock;
  sources: BundleSources;
};

/** Larger responses are streamed. */
const UNSTREAMED_MAX_ROWS = 1000;
const UNSTREAMED_MAX_BYTES = 1_000_000;
/** Target size of a streamed chunk. Larger chunks survive minor garbage collections and accumulate. */
const CHUNK_BYTES = 64_000;
const NO_KEYS = new Float64Array();

export const createQueryService = (parts: QueryParts): QueryService => {
  const { endpoints, reader, nonOwnerThread, indexes } = parts;
  const definitions = createDefinitions(parts);
  const statements = createStatements(parts);
  const executor = createReadExecutor(parts);

  const estimateFittingRecords = (bytes: number, entries: readonly CombinatorEntry[]): number => {
    let maxAverageBytes = 1;
    for (const { endpoint } of entries) {
      const summary = endpoints.summary(endpoint);
      if (summary !== undefined && summary.records > 0)
        maxAverageBytes = Math.max(maxAverageBytes, summary.bytes / summary.records);
    }
    return Math.max(1, Math.min(UNSTREAMED_MAX_ROWS, Math.floor(bytes / maxAverageBytes)));
  };

  const readWithIndexes = <T>(run: (usesIndexes: boolean) => Promise<T>): Promise<T> =>
    mapReadErrors(retryOnDroppedIndex(indexes, run));

  const threadOf = ({ nonOwner }: QueryOptions): DatabaseThread => (nonOwner === undefined ? reader : nonOwnerThread);

  const keys = (
    entries: readonly ReadEntry[],
    options: QueryOptions,
    reportWorkTime?: (ms: number) => void,
  ): Promise<Float64Array<ArrayBuffer>> =>
    readWithIndexes((usesIndexes) => {
      const query = statements.select(entries, { ...options, usesIndexes }, 'keys');
      return threadOf(options).numbers(query.sql, query.parameters, reportWorkTime);
    });

  const visibleKeys = async (
    entries: readonly ReadEntry[],
    options: QueryOptions,
    reportWorkTime?: (ms: number) => void,
  ): Promise<Float64Array<ArrayBuffer>> => {
    const keyPairs = await keys(entries, options, reportWorkTime);
    if (!entries.some(({ show }) => show === 'nothing')) return keyPairs;
    const visiblePairs: number[] = [];
    for (let index = 0; index < keyPairs.length; index += 2) {
      const [entry = 0, seq = 0] = keyPairs.subarray(index, index + 2);
      if (entries[entry]?.show !== 'nothing') visiblePairs.push(entry, seq);
    }
    releaseBuffer(keyPairs);
    return Float64Array.from(visiblePairs);
  };

  /** Returns the bytes of the records. Stops counting above `limit`. */
  const bytesOf = (recordKeys: Float64Array, limit: number): number => {
    let bytes = 0;
    for (let index = 1; index < recordKeys.length && bytes <= limit; index += 2)
      bytes += parts.records.findSized(recordKeys[index] ?? 0, 0)?.bytes ?? 0;
    return bytes;
  };

  const readAll = async (chunks: AsyncIterable<string>): Promise<string> => {
    let text = '';
    for await (const chunk of chunks) text += chunk;
    return text;
  };

  const selectTextOrKeys = async (entries: readonly ReadEntry[], options: QueryOptions): Promise<ReadResult> => {
    const { nonOwner } = options;
    const maxRows = estimateFittingRecords(UNSTREAMED_MAX_BYTES, entries);
    const limit = options.take ?? Number.POSITIVE_INFINITY;
    // Reads a first page, which is the whole result of most reads.
    const pageOptions = limit > maxRows ? { ...options, take: maxRows + 1 } : options;
    const query = statements.select(entries, pageOptions, 'records');
    const startedAt = parts.clock.now();
    const mainThreadRows = executor.tryOnMainThread(query, entries, pageOptions);
    // Without a filter, a changed record still belongs to the response.
    const readKeysAgain = entries.some(isFiltered) ? () => keys(entries, options) : undefined;
    const thread = threadOf(options);
    const source = {
      chunkRecords: estimateFittingRecords(CHUNK_BYTES, entries),
      serializer: query.serializer,
      thread,
      startedAt,
      readKeysAgain,
    };
    const hasMore = limit > maxRows && (mainThreadRows?.length ?? 0) > maxRows;
    if (mainThreadRows === undefined && executor.isLong(query, entries, pageOptions)) nonOwner?.admitLongRead();
    if (hasMore) nonOwner?.admitLongRead();
    const rows = (mainThreadRows ?? []).filter(({ entry }) => entries[entry]?.show !== 'nothing');
    const isSmall = (row: QueryRow): boolean => query.serializer.isSmall(row.entry, row.data.length);
    if (mainThreadRows !== undefined && !hasMore && rows.every(isSmall)) {
      logRowReads(entries, rows, nonOwner?.recordReads);
      return { ...source, keys: NO_KEYS, text: `[${query.serializer.serialize(rows)}]` };
    }
    const reportWorkTime = mainThreadRows === undefined ? (ms: number) => executor.noteTime(query, ms) : undefined;
    const stream = {
      ...source,
      startedAt: parts.clock.now(),
      keys: await visibleKeys(entries, options, reportWorkTime),
    };
    const fitsInMemory =
      stream.keys.length <= 2 * maxRows && bytesOf(stream.keys, UNSTREAMED_MAX_BYTES) <= UNSTREAMED_MAX_BYTES;
    if (!fitsInMemory) nonOwner?.admitLongRead();
    logKeyReads(entries, stream.keys, nonOwner?.recordReads);
    if (!fitsInMemory) return { ...stream, text: undefined };
    return { ...source, keys: NO_KEYS, text: await readAll(streamRecords(parts, stream)) };
  };

  const readTextOrKeys = (entries: readonly ReadEntry[], options: QueryOptions): Promise<ReadResult> =>
    mapReadErrors(selectTextOrKeys(entries, options));

  const read = async (entries: readonly ReadEntry[], options: QueryOptions): Promise<Text> => {
    const { text, ...source } = await readTextOrKeys(entries, options);
    return text ?? prefetchStart(streamRecords(parts, source));
  };

  const count = async (entries: readonly CombinatorEntry[]): Promise<number> => {
    const filteredEntries = entries.filter(isFiltered);
    const unfilteredCount = entries
      .filter((entry) => !isFiltered(entry))
      .reduce((sum, { endpoint }) => sum + (endpoints.summary(endpoint)?.records ?? 0), 0);
    if (filteredEntries.length === 0) return unfilteredCount;
    return readWithIndexes(async (usesIndexes) => {
      const query = statements.count(filteredEntries, usesIndexes);
      const [recordCount = 0] = await reader.numbers(query.sql, query.parameters);
      return unfilteredCount + recordCount;
    });
  };

  const selectMatches = async (
    entries: readonly CombinatorEntry[],
    seqs: readonly number[],
  ): Promise<{ seq: number; text: string }[]> => {
    const options: QueryOptions = { ordering: 'ascending', skip: 0, take: null, within: seqs };
    const query = statements.select(entries, options, 'records');
    const rows = executor.tryOnMainThread(query, entries, options);
    if (rows !== undefined) return rows.map((row) => ({ seq: row.seq, text: query.serializer.serialize([row]) }));
    const startedAt = parts.clock.now();
    const keyPairs = await keys(entries, options, (ms) => executor.noteTime(query, ms));
    const texts: { seq: number; text: string }[] = [];
    const source = { chunkRecords: 1, serializer: query.serializer, thread: threadOf(options), startedAt };
    for (let index = 0; index < keyPairs.length; index += 2) {
      const key = keyPairs.slice(index, index + 2);
      const [seq = 0] = key.subarray(1);
      const text = await readAll(
        streamRecords(parts, { ...source, keys: key, readKeysAgain: () => keys(entries, options) }),
      );
      // The array is empty if the record has been deleted, or changed so that it no longer matches.
      if (text !== '[]') texts.push({ seq, text: text.slice(1, -1) });
    }
    return texts;
  };

  return {
    read,
    count,
    matchesAmong: (entries, seqs) => mapReadErrors(selectMatches(entries, seqs)),
    async sortSeqs(entries, seqs, orderBy, ordering) {
      const keyPairs = await keys(entries, { orderBy, ordering, skip: 0, take: null, within: seqs });
      return [...new Set(keyPairs.filter((_, index) => index % 2 === 1))];
    },
    respond: async (entries, options) => jsonText(200, await read(entries, options)),
    keys,
    readBundle: createBundleReader({ ...parts, readTextOrKeys, visibleKeys, now: () => parts.clock.now() }),
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
