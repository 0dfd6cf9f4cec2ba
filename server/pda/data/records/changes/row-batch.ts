import { ID_BYTES } from '../../../core/sequence.ts';

/**
 * Many rows as two values, for a statement that takes them apart again: to bind three values for each row takes as long as storing
 * them does.
 */

/** `data`: text, or the UTF-8 bytes of it. */
export type Row = { id: string; data: string | Buffer };

/** A place is one number: where the data starts, times this, and its length, which is less. */
export const PLACE_STEP = 2 ** 24;

/** Bytes of data that are packed at once. */
const PACK_BYTES = 4_000_000;
/** Fewer rows are stored as quickly one by one. */
const FEWEST = 8;

/** `bytes`: the ids of `count` rows, one after the other, and then their data. `places`: where the data of each is in `bytes`, as a JSON array. */
export type Pack = { count: number; bytes: Buffer; places: string };

/** As many rows from `from` on as go into one pack, or undefined where the one at `from` is stored by itself. */
export const packRows = (rows: readonly Row[], from: number): Pack | undefined => {
  let count = 0;
  let size = 0;
  for (let row = rows[from]; row !== undefined; row = rows[from + count]) {
    const length = Buffer.byteLength(row.data);
    if (size + length > PACK_BYTES) break;
    count += 1;
    size += length;
  }
  if (count < FEWEST) return undefined;

  const bytes = Buffer.allocUnsafe(count * ID_BYTES + size);
  const places: number[] = [];
  let idAt = 0;
  let at = count * ID_BYTES;
  for (const { id, data } of rows.slice(from, from + count)) {
    idAt += bytes.write(id, idAt, 'latin1');
    const length = typeof data === 'string' ? bytes.write(data, at) : data.copy(bytes, at);
    places.push(at * PLACE_STEP + length);
    at += length;
  }
  return { count, bytes, places: `[${places.join(',')}]` };
};
