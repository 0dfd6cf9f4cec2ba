import { isObject, isScalar, type Json, type JsonObject } from './json.ts';

/**
 * The one order of JSON values: null < string < number < boolean < array < object (decisions, section 4).
 *
 * - false < true; numbers as numbers; strings by Unicode code point, as SQLite compares UTF-8 bytes.
 * - Arrays: the one with fewer elements first, then element by element.
 * - Objects: the one with fewer members first, then, names in code point order: first name, its value, second name, its value, …
 */

/** The place of each kind of value in the order. The numbers are part of index expressions: never change them. */
export const RANK = { null: 0, string: 1, number: 2, false: 3, true: 4, array: 5, object: 6 } as const;

export function rankOf(value: Json): number {
  if (value === null) return RANK.null;
  if (typeof value === 'string') return RANK.string;
  if (typeof value === 'number') return RANK.number;
  if (typeof value === 'boolean') return value ? RANK.true : RANK.false;
  return Array.isArray(value) ? RANK.array : RANK.object;
}

/** By code point: `<` of JavaScript goes by UTF-16 units, which puts U+FFFD above every emoji. */
export function compareStrings(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return codePointOrder(a) - codePointOrder(b);
  }
  return left.length - right.length;
}

/** Surrogates stand for code points above all others, but lie below U+E000 as units. */
function codePointOrder(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/**
 * Bytes that compare as the values do, so that SQLite can sort and index arrays and objects: a BLOB compares byte by byte.
 * Each value is its rank, then: string: UTF-8, zero written as 00 FF, end as 00 00; number: the double with its sign turned so that
 * bytes ascend; array and object: number of members in four bytes, then the members.
 */
export function orderKey(value: Json): Buffer {
  const parts: Uint8Array[] = [];
  writeKey(value, parts);
  return Buffer.concat(parts);
}

function writeKey(value: Json, parts: Uint8Array[]): void {
  parts.push(Uint8Array.of(rankOf(value)));
  if (typeof value === 'string') writeString(value, parts);
  else if (typeof value === 'number') parts.push(numberKey(value));
  else if (Array.isArray(value)) {
    parts.push(countKey(value.length));
    for (const element of value) writeKey(element, parts);
  } else if (isObject(value)) {
    const names = sortedNames(value);
    parts.push(countKey(names.length));
    for (const name of names) {
      writeString(name, parts);
      writeKey(value[name] ?? null, parts);
    }
  }
}

function writeString(text: string, parts: Uint8Array[]): void {
  const bytes = Buffer.from(text, 'utf8');
  let start = 0;
  for (let zero = bytes.indexOf(0); zero !== -1; zero = bytes.indexOf(0, start)) {
    parts.push(bytes.subarray(start, zero + 1), Uint8Array.of(0xff));
    start = zero + 1;
  }
  parts.push(bytes.subarray(start), Uint8Array.of(0, 0));
}

function numberKey(value: number): Uint8Array {
  const key = Buffer.allocUnsafe(8);
  // `+ 0` makes -0 the same number as 0.
  key.writeDoubleBE(value + 0);
  const negative = ((key[0] ?? 0) & 0x80) !== 0;
  for (let at = 0; at < 8; at += 1) key[at] = (key[at] ?? 0) ^ (negative ? 0xff : at === 0 ? 0x80 : 0);
  return key;
}

function countKey(count: number): Uint8Array {
  const key = Buffer.allocUnsafe(4);
  key.writeUInt32BE(count);
  return key;
}

function sortedNames(value: JsonObject): string[] {
  return Object.keys(value).toSorted(compareStrings);
}

/** Negative, zero or positive, as for `Array.prototype.sort`. */
export function compareJson(left: Json, right: Json): number {
  const ranks = rankOf(left) - rankOf(right);
  if (ranks !== 0) return ranks;
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right);
  if (typeof left === 'number' && typeof right === 'number') return left < right ? -1 : Number(left > right);
  if (isScalar(left) || isScalar(right)) return 0;
  return Buffer.compare(orderKey(left), orderKey(right));
}

/**
 * Whether one JSON value contains another; the operators `contains` and `in` are this, read from either side.
 *
 * - A scalar contains the equal scalar.
 * - An array contains an array if it contains each of its elements, in any order, repetitions not counted. An element that is an
 *   array or object is contained when some element contains it by these same rules.
 * - An array also contains a scalar that is one of its elements, but only at the outermost level.
 * - An object contains an object if it has each of its names with a value that contains the one there.
 */
export function containsJson(container: Json, contained: Json): boolean {
  if (Array.isArray(container) && isScalar(contained)) return scalarsOf(container).has(contained);
  return containsDeep(container, contained);
}

function containsDeep(container: Json, contained: Json): boolean {
  if (isScalar(container) || isScalar(contained)) return container === contained;
  if (Array.isArray(container)) {
    if (!Array.isArray(contained)) return false;
    const scalars = scalarsOf(container);
    return contained.every((wanted) =>
      isScalar(wanted)
        ? scalars.has(wanted)
        : container.some((element) => !isScalar(element) && containsDeep(element, wanted)),
    );
  }
  if (Array.isArray(contained)) return false;
  return Object.entries(contained).every(([name, wanted]) => {
    const value = Object.hasOwn(container, name) ? container[name] : undefined;
    return value !== undefined && containsDeep(value, wanted);
  });
}

/** Remembered per array: the value of a filter is asked for each record, and may be a list of thousands. */
const scalarSets = new WeakMap<Json[], Set<Json>>();

function scalarsOf(array: Json[]): Set<Json> {
  let scalars = scalarSets.get(array);
  if (scalars === undefined) {
    scalars = new Set(array.filter(isScalar));
    scalarSets.set(array, scalars);
  }
  return scalars;
}
