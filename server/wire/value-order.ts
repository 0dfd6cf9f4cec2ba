// The order of JSON values by kind (null < string < number < false < true < array < object), and of strings among each
// other (docs/decisions.md, section 4).

/** Rank of each kind of value in the order. The numbers are part of index expressions: never change them. */
export const RANK = { null: 0, string: 1, number: 2, false: 3, true: 4, array: 5, object: 6 } as const;

/** @param value a JSON value */
export function rankOf(value: unknown): number {
  if (value === null) return RANK.null;
  if (typeof value === 'string') return RANK.string;
  if (typeof value === 'number') return RANK.number;
  if (typeof value === 'boolean') return value ? RANK.true : RANK.false;
  return Array.isArray(value) ? RANK.array : RANK.object;
}

/** Compares strings by code point. `<` in JavaScript compares UTF-16 units, which sorts U+FFFD after every emoji. */
export function compareStrings(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return codePointOrder(a) - codePointOrder(b);
  }
  return left.length - right.length;
}

/**
 * Returns a number that orders a UTF-16 unit by code point. Surrogates encode the highest code points, but their units
 * are below U+E000.
 */
function codePointOrder(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}
