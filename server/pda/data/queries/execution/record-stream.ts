import type { Endpoints, RecordReader } from '../../records/service.ts';
import type { DatabaseThread } from '../../../storage/index.ts';
import { release } from '../../../core/seq-set.ts';
import { textSlices } from '../../../../platform/json/text-slices.ts';
import { asReadFailure } from '../../../../platform/workers/read-limit-failure.ts';
import type { RowTexts } from './row-serializer.ts';
import type { FoundRow } from '../store.ts';

/** JSON text, at once or piece by piece. */
export type Text = string | AsyncGenerator<string>;

/** What an array of records is put together from, piece by piece. */
export type LongAnswer = {
  /** Pairs of entry and place, in order. */
  keys: Float64Array<ArrayBuffer>;
  /** Records of a piece. */
  atOnce: number;
  textsOf: RowTexts;
  /** Puts large records into words. */
  thread: Pick<DatabaseThread, 'content'>;
  /** When the keys began to be read. */
  begun: number;
  /**
   * Asked when a record has changed since it was found: pairs of entry and place as they are found by now. What was made to match no
   * more is not handed out, however slowly the answer is read.
   */
  stillFound: (() => Promise<Float64Array<ArrayBuffer>>) | undefined;
};

/** Bytes of records that one piece may hold; a piece ends before the record that does not fit. */
const PIECE_BYTES_MAX = 256_000;
const CONTENT_SQL = 'SELECT CAST(data AS BLOB) AS data, endpoint, updated FROM records WHERE seq = ?';

/** A JSON array of records. The keys are used up. */
export async function* piecewise(
  { endpoints, records }: { endpoints: Endpoints; records: RecordReader },
  { keys, atOnce, textsOf, thread, begun, stillFound }: LongAnswer,
): AsyncGenerator<string> {
  yield '[';
  let separator = '';
  for (let at = 0; at < keys.length;) {
    let rows: FoundRow[] = [];
    let large: FoundRow | undefined;
    let bytes = 0;
    const changed = new Set<FoundRow>();
    for (let count = 0; at < keys.length && count < atOnce && large === undefined; count += 1) {
      const [entry = 0, seq = 0] = [keys[at], keys[at + 1]];
      const record = records.sized(seq, PIECE_BYTES_MAX);
      // Gone since the keys were read, alone or with its endpoint: what is deleted meanwhile is not handed out.
      if (record === undefined || endpoints.pathOf(record.endpoint) === undefined) {
        at += 2;
        continue;
      }
      const isLarge = record.data === null || !textsOf.isSmall(entry, record.bytes);
      // A large record forms a separate chunk.
      if (rows.length > 0 && (isLarge || bytes + record.bytes > PIECE_BYTES_MAX)) break;
      at += 2;
      bytes += record.bytes;
      const row = { entry, seq, id: record.id, data: isLarge ? '' : (record.data ?? '') };
      if (isLarge) large = row;
      rows.push(row);
      if (stillFound !== undefined && (record.updated ?? 0) >= begun) changed.add(row);
    }
    if (large !== undefined) {
      const found = await thread.content(CONTENT_SQL, [large.seq], textsOf.mappingOf(large.entry));
      if (found === undefined || endpoints.pathOf(Number(found.row['endpoint'])) === undefined) continue;
      if (stillFound !== undefined && Number(found.row['updated']) >= begun) changed.add(large);
      if (changed.size > 0) rows = await stillMatching(rows, changed, stillFound);
      if (rows.length === 0) continue;
      const { head, tail } = textsOf.frame(large);
      yield separator + head;
      yield* textSlices(found.content);
      yield tail;
      separator = ',';
      continue;
    }
    if (changed.size > 0) rows = await stillMatching(rows, changed, stillFound);
    if (rows.length > 0) {
      yield separator + textsOf.of(rows);
      separator = ',';
    }
    await new Promise(setImmediate);
  }
  yield ']';
  release(keys);
}

/** These rows without those of the changed ones that are found no more. */
const stillMatching = async (
  rows: readonly FoundRow[],
  changed: ReadonlySet<FoundRow>,
  stillFound: LongAnswer['stillFound'],
): Promise<FoundRow[]> => {
  if (stillFound === undefined) return [...rows];
  const found = new Set<string>();
  const now = await stillFound();
  for (let key = 0; key < now.length; key += 2) found.add(`${now[key]} ${now[key + 1]}`);
  release(now);
  return rows.filter((row) => !changed.has(row) || found.has(`${row.entry} ${row.seq}`));
};

/** Characters of an answer that are there before it begins to leave, so that what cannot be read is refused with a status. */
const STARTED_CHARS = 16_000;

/** The same pieces, the first of them read already. @throws Failure query_limit_exceeded */
export const started = async (pieces: AsyncGenerator<string>): Promise<AsyncGenerator<string>> => {
  const first: string[] = [];
  let length = 0;
  try {
    while (length < STARTED_CHARS) {
      const next = await pieces.next();
      if (next.done === true) break;
      first.push(next.value);
      length += next.value.length;
    }
  } catch (error) {
    throw asReadFailure(error);
  }
  return (async function* all() {
    yield* first;
    yield* pieces;
  })();
};

/** A JSON object of the texts, by property. Each is asked for when its turn comes. */
export async function* bundlePieces(
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
