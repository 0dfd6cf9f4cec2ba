/** The zip format's numbers, for those who read and write it (APPNOTE.TXT of PKWARE, 4.3 and 4.5.3). */

/** What each part begins with. */
export const LOCAL = 0x04034b50;
export const DESCRIPTOR = 0x08074b50;
export const LISTED = 0x02014b50;
export const END = 0x06054b50;
export const END_64 = 0x06064b50;
export const LOCATOR_64 = 0x07064b50;

/** Bytes of each part, without the names and fields that follow it. */
export const LOCAL_BYTES = 30;
export const LISTED_BYTES = 46;
export const END_BYTES = 22;
export const END_64_BYTES = 56;
export const LOCATOR_64_BYTES = 20;
export const MAX_COMMENT_BYTES = 0xffff;

export const ENCRYPTED = 1;
export const SIZES_FOLLOW = 1 << 3;
export const UTF8_NAME = 1 << 11;
export const STORED = 0;
export const DEFLATED = 8;

/** Kind of the field behind a name that holds the numbers of a large file. */
export const EXTRA_64 = 1;
/** Says that the number stands elsewhere, since it has no room here. */
export const ELSEWHERE_16 = 0xffff;
export const ELSEWHERE_32 = 0xffff_ffff;

/** A number of eight bytes. @throws what `damaged` makes: above what is exact it is no size of anything real */
export const largeNumber = (buffer: Buffer, at: number, damaged: () => Error): number => {
  const value = buffer.readBigUInt64LE(at);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw damaged();
  return Number(value);
};

/** Bytes of a file, packed and unpacked, and where it begins. */
export type Amounts = { packed: number; size: number; offset: number };

/** The amounts of a listed file where they have room; of a large one they may say that they stand elsewhere. */
export const shortAmountsOf = (entry: Buffer): Amounts => ({
  packed: entry.readUInt32LE(20),
  size: entry.readUInt32LE(24),
  offset: entry.readUInt32LE(42),
});

/**
 * The amounts of a listed file, of which a large one has some in a field behind its name.
 * @param entry from where it is listed on
 * @returns undefined when that field is missing
 * @throws what `damaged` makes
 */
export const amountsOf = (entry: Buffer, extra: Buffer, damaged: () => Error): Amounts | undefined => {
  const { packed, size, offset } = shortAmountsOf(entry);
  if (packed !== ELSEWHERE_32 && size !== ELSEWHERE_32 && offset !== ELSEWHERE_32) return { packed, size, offset };
  for (let from = 0; from + 4 <= extra.length;) {
    const [kind, bytes] = [extra.readUInt16LE(from), extra.readUInt16LE(from + 2)];
    const field = extra.subarray(from + 4, from + 4 + bytes);
    from += 4 + bytes;
    if (kind !== EXTRA_64) continue;
    let next = 0;
    const large = (value: number): number => {
      if (value !== ELSEWHERE_32) return value;
      if (next + 8 > field.length) throw damaged();
      next += 8;
      return largeNumber(field, next - 8, damaged);
    };
    // In this order, and only those that have no room.
    const unpacked = large(size);
    return { size: unpacked, packed: large(packed), offset: large(offset) };
  }
  return undefined;
};
