import type { Endpoints, RecordReader } from '../records/service.ts';
import { release } from './places.ts';
import type { RowTexts } from './row-texts.ts';
import type { FoundRow } from './store.ts';

/** JSON text, at once or piece by piece. */
export type Text = string | AsyncGenerator<string>;

/** What an array of records is put together from, piece by piece. */
export type LongAnswer = {
  /** Pairs of entry and place, in order. */
  keys: Float64Array<ArrayBuffer>;
  /** Records of a piece. */
  atOnce: number;
  textsOf: RowTexts;
  /** When the keys began to be read. */
  begun: number;
  /**
   * Asked when a record has changed since it was found: pairs of entry and place as they are found by now. What was made to match no
   * more is not handed out, however slowly the answer is read.
   */
  stillFound: (() => Promise<Float64Array<ArrayBuffer>>) | undefined;
};

/** A JSON array of records. The keys are used up. */
export async function* piecewise(
  { endpoints, records }: { endpoints: Endpoints; records: RecordReader },
  { keys, atOnce, textsOf, begun, stillFound }: LongAnswer,
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
      release(now);
      rows = rows.filter((row) => !changed.has(row) || found.has(`${row.entry} ${row.seq}`));
    }
    if (rows.length > 0) {
      yield separator + textsOf(rows);
      separator = ',';
    }
    await new Promise(setImmediate);
  }
  yield ']';
  release(keys);
}

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
