import { compareStrings, RANK, rankOf } from '../../../../wire/value-order.ts';
import { isJsonObject, isScalar, type Json } from './json.ts';

// The total order of JSON values: null < string < number < boolean < array < object (docs/decisions.md, section 4).
//
// - false < true; numbers as numbers; strings by Unicode code point, as SQLite compares UTF-8 bytes.
// - Arrays by number of elements, then element by element.
// - Objects by number of members, then by their members, sorted by name: first name, its value, second name, its value,
//   …
//
// Sorting and indexes only use the beginning of a long value: see `orderKey` and ORDERED_JSON_BYTES_MAX.

/** Maximum bytes of the sort key of a string, array or object. Part of index expressions: never change it. */
export const ORDER_KEY_BYTES_MAX = 256;
/**
 * Maximum bytes of the JSON text of an array or object that is sorted by content. Larger values sort after all others
 * of their kind, in the order of creation, because they would have to be parsed for every key. Part of index
 * expressions: never change it.
 */
export const ORDERED_JSON_BYTES_MAX = 4096;

/** Keys of all larger arrays and objects: a member count that a value cannot reach. */
export const LARGE_ARRAY_KEY = Buffer.from([RANK.array, 0xff, 0xff, 0xff, 0xff]);
export const LARGE_OBJECT_KEY = Buffer.from([RANK.object, 0xff, 0xff, 0xff, 0xff]);

/** Returns the key of an array or object in a query, which equals the key of a stored value with the same content. */
export function containerKey(value: Json): Buffer {
  if (Buffer.byteLength(JSON.stringify(value)) <= ORDERED_JSON_BYTES_MAX) return orderKey(value);
  return Array.isArray(value) ? LARGE_ARRAY_KEY : LARGE_OBJECT_KEY;
}

/**
 * Returns bytes that compare like the values, so that SQLite can sort and index arrays and objects as BLOBs. The key
 * has at most ORDER_KEY_BYTES_MAX bytes: values that differ only beyond that have the same key.
 *
 * Each value is its rank, then: string: UTF-8, zero written as 00 FF, end as 00 00; number: the big-endian double
 * with its sign bit flipped, or with all bits flipped if it is negative, so that bytes ascend; array and object: number
 * of elements or members in four bytes, then these; a name is written like a string, without a rank.
 */
export function orderKey(value: Json): Buffer {
  const key = { bytes: Buffer.allocUnsafe(ORDER_KEY_BYTES_MAX), length: 0 };
  writeKey(value, key);
  return key.bytes.subarray(0, key.length);
}

type Key = { readonly bytes: Buffer; length: number };

const isFull = ({ bytes, length }: Key): boolean => length === bytes.length;

function writeByte(byte: number, key: Key): void {
  if (!isFull(key)) key.bytes[key.length++] = byte;
}

function writeKey(value: Json, key: Key): void {
  if (isFull(key)) return;
  writeByte(rankOf(value), key);
  if (typeof value === 'string') writeString(value, key);
  else if (typeof value === 'number') writeNumber(value, key);
  else if (Array.isArray(value)) {
    writeCount(value.length, key);
    for (const element of value) {
      if (isFull(key)) return;
      writeKey(element, key);
    }
  } else if (isJsonObject(value)) {
    const names = Object.keys(value).toSorted(compareStrings);
    writeCount(names.length, key);
    for (const name of names) {
      if (isFull(key)) return;
      writeString(name, key);
      writeKey(value[name] ?? null, key);
    }
  }
}

function writeString(text: string, key: Key): void {
  // A character has at least one byte, so later characters do not fit into the key.
  for (const byte of Buffer.from(text.slice(0, ORDER_KEY_BYTES_MAX), 'utf8')) {
    writeByte(byte, key);
    if (byte === 0) writeByte(0xff, key);
  }
  writeByte(0, key);
  writeByte(0, key);
}

const numberBytes = Buffer.alloc(8);

function writeNumber(value: number, key: Key): void {
  // `+ 0` converts -0 to 0.
  numberBytes.writeDoubleBE(value + 0);
  const high = numberBytes.readInt32BE(0);
  numberBytes.writeInt32BE(high ^ (high < 0 ? -1 : -0x80000000), 0);
  if (high < 0) numberBytes.writeInt32BE(~numberBytes.readInt32BE(4), 4);
  key.length += numberBytes.copy(key.bytes, key.length);
}

const countBytes = Buffer.alloc(4);

function writeCount(count: number, key: Key): void {
  countBytes.writeUInt32BE(count);
  key.length += countBytes.copy(key.bytes, key.length);
}

export function compareJson(left: Json, right: Json): number {
  const rankOrder = rankOf(left) - rankOf(right);
  if (rankOrder !== 0) return rankOrder;
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right);
  if (typeof left === 'number' && typeof right === 'number') return left < right ? -1 : Number(left > right);
  if (isScalar(left) || isScalar(right)) return 0;
  return Buffer.compare(containerKey(left), containerKey(right));
}

/**
 * Returns true if one JSON value contains another. The operators `contains` and `in` are this relation and its inverse.
 *
 * - A scalar contains the equal scalar.
 * - An array contains another if it contains each of the other's elements, in any order and ignoring duplicates.
 *   An element that is an array or object is contained if some element contains it by these rules.
 * - An array also contains a scalar that is one of its elements, but only at the outermost level.
 * - An object contains another if it has each of the other's names, with a value that contains the other's value.
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
    return contained.every((expected) =>
      isScalar(expected)
        ? scalars.has(expected)
        : container.some((element) => !isScalar(element) && containsDeep(element, expected)),
    );
  }
  if (Array.isArray(contained)) return false;
  return Object.entries(contained).every(([name, expected]) => {
    const value = Object.hasOwn(container, name) ? container[name] : undefined;
    return value !== undefined && containsDeep(value, expected);
  });
}

/** Cached sets of scalars by array: a filter value is used for each record and may be a list of thousands. */
const scalarSets = new WeakMap<Json[], Set<Json>>();

function scalarsOf(array: Json[]): Set<Json> {
  let scalars = scalarSets.get(array);
  if (scalars === undefined) {
    scalars = new Set(array.filter(isScalar));
    scalarSets.set(array, scalars);
  }
  return scalars;
}
