import type { Endpoints, RecordReader } from '../../records/service.ts';
import type { DatabaseThread } from '../../../storage/index.ts';
import { releaseBuffer } from '../../../core/seq-set.ts';
import { decodeInSlices } from '../../../../platform/json/text-slices.ts';
import { asReadFailure } from '../../../../platform/workers/read-limit-failure.ts';
import type { RowSerializer } from './row-serializer.ts';
import type { QueryRow } from '../store.ts';

/** JSON text, whole or as a stream. */
export type Text = string | AsyncGenerator<string>;

export type RecordStreamSource = {
  /** Pairs of entry and sequence number, in order. */
  keys: Float64Array<ArrayBuffer>;
  chunkRecords: number;
  serializer: RowSerializer;
  /** Serialises large records. */
  thread: Pick<DatabaseThread, 'content'>;
  /** Unix milliseconds at which reading the keys began. */
  startedAt: number;
  /**
   * Reads the keys again. Called if a record has changed since `startedAt`: a record that no longer matches must not be
   * sent, however slowly the client reads.
   */
  readKeysAgain: (() => Promise<Float64Array<ArrayBuffer>>) | undefined;
};

/** Maximum bytes of the records of a chunk. Larger records are sent in several chunks. */
const CHUNK_MAX_BYTES = 256_000;
const CONTENT_SQL = 'SELECT CAST(data AS BLOB) AS data, endpoint, updated FROM records WHERE seq = ?';

/** Yields a JSON array of records. Releases the memory of the keys at the end. */
export async function* streamRecords(
  { endpoints, records }: { endpoints: Endpoints; records: RecordReader },
  { keys, chunkRecords, serializer, thread, startedAt, readKeysAgain }: RecordStreamSource,
): AsyncGenerator<string> {
  // False if the record has been moved to another endpoint, which the caller may not read, or if its endpoint was
  // deleted.
  const isAtEndpoint = (entry: number, endpoint: number): boolean =>
    endpoints.pathOf(endpoint) === serializer.endpointOf(entry);
  yield '[';
  let separator = '';
  for (let index = 0; index < keys.length;) {
    let rows: QueryRow[] = [];
    let largeRow: QueryRow | undefined;
    let bytes = 0;
    const changedRows = new Set<QueryRow>();
    for (let count = 0; index < keys.length && count < chunkRecords && largeRow === undefined; count += 1) {
      const [entry = 0, seq = 0] = [keys[index], keys[index + 1]];
      const record = records.findSized(seq, CHUNK_MAX_BYTES);
      if (record === undefined || !isAtEndpoint(entry, record.endpoint)) {
        index += 2;
        continue;
      }
      const isLarge = record.data === null || !serializer.isSmall(entry, record.bytes);
      if (rows.length > 0 && (isLarge || bytes + record.bytes > CHUNK_MAX_BYTES)) break;
      index += 2;
      bytes += record.bytes;
      const row = { entry, seq, id: record.id, data: isLarge ? '' : (record.data ?? '') };
      if (isLarge) largeRow = row;
      rows.push(row);
      if (readKeysAgain !== undefined && (record.updated ?? 0) >= startedAt) changedRows.add(row);
    }
    if (largeRow !== undefined) {
      const largeRecord = await thread.content(CONTENT_SQL, [largeRow.seq], serializer.mappingOf(largeRow.entry));
      if (largeRecord === undefined || !isAtEndpoint(largeRow.entry, Number(largeRecord.row['endpoint']))) continue;
      if (readKeysAgain !== undefined && Number(largeRecord.row['updated']) >= startedAt) changedRows.add(largeRow);
      if (changedRows.size > 0) rows = await filterMatching(rows, changedRows, readKeysAgain);
      if (rows.length === 0) continue;
      const { head, tail } = serializer.frame(largeRow);
      yield separator + head;
      yield* decodeInSlices(largeRecord.content);
      yield tail;
      separator = ',';
      continue;
    }
    if (changedRows.size > 0) rows = await filterMatching(rows, changedRows, readKeysAgain);
    if (rows.length > 0) {
      yield separator + serializer.serialize(rows);
      separator = ',';
    }
    await new Promise(setImmediate);
  }
  yield ']';
  releaseBuffer(keys);
}

const filterMatching = async (
  rows: readonly QueryRow[],
  changedRows: ReadonlySet<QueryRow>,
  readKeysAgain: RecordStreamSource['readKeysAgain'],
): Promise<QueryRow[]> => {
  if (readKeysAgain === undefined) return [...rows];
  const matchingKeys = new Set<string>();
  const keys = await readKeysAgain();
  for (let index = 0; index < keys.length; index += 2) matchingKeys.add(`${keys[index]} ${keys[index + 1]}`);
  releaseBuffer(keys);
  return rows.filter((row) => !changedRows.has(row) || matchingKeys.has(`${row.entry} ${row.seq}`));
};

/** An error within these first characters can still change the status of the response. */
const PREFETCH_CHARS = 16_000;

/** Reads the first chunks before it returns a stream of all chunks. @throws Failure query_limit_exceeded */
export const prefetchStart = async (chunks: AsyncGenerator<string>): Promise<AsyncGenerator<string>> => {
  const prefetchedChunks: string[] = [];
  let length = 0;
  try {
    while (length < PREFETCH_CHARS) {
      const next = await chunks.next();
      if (next.done === true) break;
      prefetchedChunks.push(next.value);
      length += next.value.length;
    }
  } catch (error) {
    throw asReadFailure(error);
  }
  return (async function* concatenate() {
    yield* prefetchedChunks;
    yield* chunks;
  })();
};

/** Yields a JSON object of the texts by property. Each text is read when it is sent. */
export async function* streamBundle(
  texts: readonly (readonly [string, () => Text | Promise<Text>])[],
): AsyncGenerator<string> {
  yield '{';
  let separator = '';
  for (const [property, textOf] of texts) {
    yield `${separator}${JSON.stringify(property)}:`;
    const text = await textOf();
    if (typeof text === 'string') yield text;
    else yield* text;
    separator = ',';
  }
  yield '}';
}
