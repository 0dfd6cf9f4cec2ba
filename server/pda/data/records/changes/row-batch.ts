import { ID_BYTES } from '../../../core/sequence.ts';

// Packs many rows into two bound values, which the SQL statement unpacks. Binding the values of each row would take as
// long as storing the rows.

/** `data`: JSON as a string or UTF-8 bytes. */
export type Row = { id: string; data: string | Buffer };

/** A slice is encoded as one number: offset * OFFSET_FACTOR + length. */
export const OFFSET_FACTOR = 2 ** 24;

const PACK_MAX_BYTES = 4_000_000;
/** Below this number of rows, packing is not faster than single statements. */
const MIN_PACKED_ROWS = 8;

/**
 * `bytes`: the ids of `count` rows followed by their data. `slices`: encoded offset and length of each row's data, as a
 * JSON array.
 */
export type RowPack = { count: number; bytes: Buffer; slices: string };

/**
 * Packs as many rows from index `from` as fit. Returns undefined if too few fit. The caller then stores the row at
 * `from` with a separate statement.
 */
export const packRows = (rows: readonly Row[], from: number): RowPack | undefined => {
  let count = 0;
  let size = 0;
  for (let row = rows[from]; row !== undefined; row = rows[from + count]) {
    const length = Buffer.byteLength(row.data);
    if (size + length > PACK_MAX_BYTES) break;
    count += 1;
    size += length;
  }
  if (count < MIN_PACKED_ROWS) return undefined;

  const bytes = Buffer.allocUnsafe(count * ID_BYTES + size);
  const slices: number[] = [];
  let idOffset = 0;
  let dataOffset = count * ID_BYTES;
  for (const { id, data } of rows.slice(from, from + count)) {
    idOffset += bytes.write(id, idOffset, 'latin1');
    const length = typeof data === 'string' ? bytes.write(data, dataOffset) : data.copy(bytes, dataOffset);
    slices.push(dataOffset * OFFSET_FACTOR + length);
    dataOffset += length;
  }
  return { count, bytes, slices: `[${slices.join(',')}]` };
};
