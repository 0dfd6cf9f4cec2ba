import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortUniqueInSlices } from './entries/cooperative-sort.ts';
import {
  sortUnique,
  blockOf,
  countNumbers,
  containsNumber,
  pack,
  numbersIn,
  rowAt,
  toRuns,
  splitIntoBlocks,
  timeOf,
  unionOf,
  unpack,
  offsetInBlock,
} from './rules.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

const numberLists = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 40 }),
  fc.array(fc.integer({ min: 0, max: 2 ** 40 }), { maxLength: 40 }),
  fc
    .tuple(fc.integer({ min: 0, max: 2 ** 31 }), fc.integer({ min: 1, max: 1000 }))
    .map(([first, length]) => Array.from({ length }, (_, index) => first + index)),
);
const uniqueSorted = (list: readonly number[]): number[] => [...new Set(list)].toSorted((a, b) => a - b);
const packNumbers = (list: readonly number[]): Uint8Array => pack(toRuns(list));

describe('a packed set of record numbers', () => {
  it('unpacks to exactly the numbers that were packed', () => {
    fc.assert(
      fc.property(numberLists, (list) => {
        const set = packNumbers(list);
        expect(numbersIn(set, 0, Infinity)).toStrictEqual(uniqueSorted(list));
        expect(countNumbers(unpack(set))).toBe(new Set(list).size);
      }),
    );
  });

  it('returns any page of its numbers in ascending order', () => {
    fc.assert(
      fc.property(numberLists, fc.nat(80), fc.nat(80), (list, skip, take) => {
        expect(numbersIn(packNumbers(list), skip, take)).toStrictEqual(uniqueSorted(list).slice(skip, skip + take));
      }),
    );
  });

  it('contains exactly the numbers that were packed', () => {
    fc.assert(
      fc.property(numberLists, fc.nat(70), (list, otherNumber) => {
        const set = packNumbers(list);
        expect(list.filter((number) => !containsNumber(set, number))).toStrictEqual([]);
        expect(containsNumber(set, otherNumber)).toBe(list.includes(otherNumber));
        for (const number of list) expect(containsNumber(set, number + 1)).toBe(list.includes(number + 1));
      }),
    );
  });

  it('has unions that contain exactly the numbers of their members', () => {
    fc.assert(
      fc.property(fc.array(numberLists, { maxLength: 6 }), (lists) => {
        expect(numbersIn(unionOf(lists.map(packNumbers)), 0, Infinity)).toStrictEqual(uniqueSorted(lists.flat()));
      }),
    );
  });

  it('contains the same numbers after it is split into blocks', () => {
    fc.assert(
      fc.property(numberLists, fc.nat(2 ** 31), (list, otherNumber) => {
        const blocks = splitIntoBlocks(packNumbers(list));
        const isInBlocks = (number: number): boolean => {
          const block = blocks.find((candidate) => candidate.block === blockOf(number));
          return block !== undefined && containsNumber(block.offsets, offsetInBlock(number));
        };
        expect(list.filter((number) => !isInBlocks(number))).toStrictEqual([]);
        expect(blocks.reduce((sum, block) => sum + countNumbers(unpack(block.offsets)), 0)).toBe(new Set(list).size);
        expect(isInBlocks(otherNumber)).toBe(list.includes(otherNumber));
      }),
    );
  });

  it('takes at most 5 bytes per number and at most 7 bytes for a run of 100,000 numbers', () => {
    const run = (first: number, length: number) => Array.from({ length }, (_, index) => first + index);
    expect(packNumbers(run(1_000_000, 100)).length).toBeLessThanOrEqual(5);
    expect(packNumbers(run(1_000_000, 100_000)).length).toBeLessThanOrEqual(7);
    fc.assert(
      fc.property(fc.array(fc.nat(2 ** 31), { minLength: 1, maxLength: 200 }), (list) => {
        expect(packNumbers(list).length).toBeLessThanOrEqual(5 * new Set(list).size);
      }),
    );
  });
});

describe('sorting numbers', () => {
  it.skipIf(!IS_THOROUGH_RUN)('removes duplicates, even in lists longer than one slice', async () => {
    const prefixes = fc.oneof(fc.constant([] as number[]), fc.array(fc.integer({ min: 0, max: 300_000 })));
    await fc.assert(
      fc.asyncProperty(
        prefixes,
        fc.integer({ min: 0, max: 170_000 }),
        fc.integer({ min: -7, max: 7 }),
        async (prefix, count, step) => {
          const list = [...prefix, ...Array.from({ length: count }, (_, index) => 1_000_000 + index * step)];
          expect(await sortUniqueInSlices(list)).toStrictEqual(uniqueSorted(list));
          expect(sortUnique(list)).toStrictEqual(uniqueSorted(list));
        },
      ),
      { numRuns: Number(process.env['PDA_RUNS'] ?? 4) },
    );
  });
});

describe('a row id', () => {
  it('contains the time in milliseconds and increases with it', () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2140, 0, 1) }), (time) => {
        expect(timeOf(rowAt(time))).toBe(time);
        expect(rowAt(time + 1)).toBeGreaterThan(rowAt(time));
        // The routes accept at most 15 digits.
        expect(String(rowAt(time)).length).toBeLessThanOrEqual(15);
      }),
    );
  });
});
