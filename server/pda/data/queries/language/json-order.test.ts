import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compareJson,
  containerKey,
  containsJson,
  LARGE_ARRAY_KEY,
  LARGE_OBJECT_KEY,
  ORDER_KEY_BYTES_MAX,
  ORDERED_JSON_BYTES_MAX,
  orderKey,
} from './json-order.ts';
import { compareStrings } from '../../../../wire/value-order.ts';
import { compare, contains } from './evaluator.test-support.ts';
import { recordValues } from './generators.test-support.ts';
import type { Json } from './json.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

const ORDERED_VALUES: Json[] = [
  null,
  '',
  '\0',
  'A',
  'a',
  'a\0',
  'b',
  'é',
  '\uffff',
  '😀',
  -1e300,
  -1,
  0,
  5e-324,
  1,
  1e20,
  false,
  true,
  [],
  [null],
  ['b'],
  [1],
  [[]],
  [null, null],
  {},
  { a: 2 },
  { b: 1 },
  { a: 1, b: 0 },
  { a: 1, c: 0 },
];

describe('the order of values', () => {
  it('is null < string < number < boolean < array < object, and is defined within each kind', () => {
    const expected = ORDERED_VALUES.map((_left, leftIndex) =>
      ORDERED_VALUES.map((_right, rightIndex) => Math.sign(leftIndex - rightIndex)),
    );
    const table = (order: (left: Json, right: Json) => number): number[][] =>
      ORDERED_VALUES.map((left) => ORDERED_VALUES.map((right) => Math.sign(order(left, right))));
    expect(table(compareJson)).toEqual(expected);
    expect(table((left, right) => Buffer.compare(orderKey(left), orderKey(right)))).toEqual(expected);
  });

  it('treats -0 and 0 as equal, and ignores the order of names', () => {
    expect(orderKey(-0)).toEqual(orderKey(0));
    expect(orderKey({ a: 1, b: 2 })).toEqual(orderKey({ b: 2, a: 1 }));
  });

  it.skipIf(!IS_THOROUGH_RUN)('compares strings by their UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (left, right) => {
        expect(Math.sign(compareStrings(left, right))).toBe(
          Math.sign(Buffer.compare(Buffer.from(left), Buffer.from(right))),
        );
      }),
    );
  });

  it('agrees with the reference evaluator, for values and for their keys', () => {
    fc.assert(
      fc.property(recordValues, recordValues, (left, right) => {
        const expected = Math.sign(compare(left, right));
        expect(Math.sign(compareJson(left, right))).toBe(expected);
        expect(Math.sign(Buffer.compare(orderKey(left), orderKey(right)))).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});

describe('containment', () => {
  const cases: [Json, Json, boolean][] = [
    ['a', 'a', true],
    ['ab', 'a', false],
    [1, 1, true],
    [1, '1', false],
    [1, true, false],
    [null, null, true],
    [['a', 'b'], 'a', true],
    [['a', 'b'], ['b', 'a', 'a'], true],
    [['a'], ['a', 'b'], false],
    [['a'], [], true],
    ['a', ['a'], false],
    [[['a']], 'a', false],
    [[['a']], ['a'], false],
    [[['a', 'b'], 1], [['b']], true],
    [[{ a: 1, b: 2 }, { c: 3 }], [{ a: 1 }, { c: 3 }], true],
    [[{ a: 1 }], { a: 1 }, false],
    [{ a: 1, b: { c: [1, 2] } }, { b: { c: [2] } }, true],
    [{ a: 1, b: { c: [1, 2] } }, { b: { c: 2 } }, false],
    [{ a: 1 }, {}, true],
    [{}, [], false],
    [{ a: null }, { a: null }, true],
    [{}, { a: null }, false],
    [{}, { constructor: {} }, false],
  ];
  it.each(cases)('%j contains %j: %j', (container, contained, expected) => {
    expect(containsJson(container, contained)).toBe(expected);
  });

  it('agrees with the reference evaluator', () => {
    fc.assert(
      fc.property(recordValues, recordValues, (left, right) => {
        expect(containsJson(left, right)).toBe(contains(left, right));
      }),
      { numRuns: 500 },
    );
  });

  it('is reflexive', () => {
    fc.assert(fc.property(recordValues, (value) => containsJson(value, value)));
  });
});

describe('the key of a large value', () => {
  it('is short, and is computed from the beginning of the value without copying the rest', () => {
    const bytesBefore = process.memoryUsage().arrayBuffers;
    const key = orderKey({ a: Array.from({ length: 1_000_000 }, () => '') });
    expect(key.length).toBe(ORDER_KEY_BYTES_MAX);
    expect(process.memoryUsage().arrayBuffers - bytesBefore).toBeLessThan(1_000_000);
  });

  it('differs if the values differ within the key length', () => {
    const longText = 'x'.repeat(5000);
    expect(Buffer.compare(orderKey([1, longText]), orderKey([2, longText]))).toBe(-1);
    expect(orderKey([1, `${longText}a`])).toEqual(orderKey([1, `${longText}b`]));
  });

  it('sorts after all other keys of its kind if the JSON is too long to be sorted by content', () => {
    const largeArrays: Json[] = [Array.from({ length: 3000 }, () => 1), [['x'.repeat(ORDERED_JSON_BYTES_MAX)]]];
    expect(largeArrays.map(containerKey)).toEqual([LARGE_ARRAY_KEY, LARGE_ARRAY_KEY]);
    expect(Buffer.compare(containerKey(largeArrays), LARGE_ARRAY_KEY)).toBe(0);
    expect(Buffer.compare(containerKey(Array.from({ length: 2000 }, () => 1)), LARGE_ARRAY_KEY)).toBe(-1);
    expect(Buffer.compare(LARGE_ARRAY_KEY, containerKey({}))).toBe(-1);
    expect(containerKey({ a: 'x'.repeat(ORDERED_JSON_BYTES_MAX) })).toEqual(LARGE_OBJECT_KEY);
  });
});
