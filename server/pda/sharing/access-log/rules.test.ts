import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ascendingInTurns } from './entries/cooperative-sort.ts';
import {
  ascending,
  blockOf,
  countRuns,
  holdsPlace,
  pack,
  placesIn,
  rowAt,
  runsOf,
  splitInBlocks,
  timeOf,
  unite,
  unpack,
  withinBlock,
} from './rules.ts';

/** Sets as they come: pages of neighbours, scattered ones, both, repeated and in any order. */
const places = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 40 }),
  fc.array(fc.integer({ min: 0, max: 2 ** 40 }), { maxLength: 40 }),
  fc
    .tuple(fc.integer({ min: 0, max: 2 ** 31 }), fc.integer({ min: 1, max: 1000 }))
    .map(([first, length]) => Array.from({ length }, (_, index) => first + index)),
);
const sorted = (list: readonly number[]): number[] => [...new Set(list)].toSorted((a, b) => a - b);
const packed = (list: readonly number[]): Uint8Array => pack(runsOf(list));

describe('a packed set of records', () => {
  it('gives back exactly what was put in', () => {
    fc.assert(
      fc.property(places, (list) => {
        const set = packed(list);
        expect(placesIn(set, 0, Infinity)).toStrictEqual(sorted(list));
        expect(countRuns(unpack(set))).toBe(new Set(list).size);
      }),
    );
  });

  it('gives any part of it, in order', () => {
    fc.assert(
      fc.property(places, fc.nat(80), fc.nat(80), (list, skip, take) => {
        expect(placesIn(packed(list), skip, take)).toStrictEqual(sorted(list).slice(skip, skip + take));
      }),
    );
  });

  it('tells of each place whether it is in it', () => {
    fc.assert(
      fc.property(places, fc.nat(70), (list, other) => {
        const set = packed(list);
        expect(list.filter((place) => !holdsPlace(set, place))).toStrictEqual([]);
        expect(holdsPlace(set, other)).toBe(list.includes(other));
        for (const place of list) expect(holdsPlace(set, place + 1)).toBe(list.includes(place + 1));
      }),
    );
  });

  it('united with others holds what they hold, and nothing else', () => {
    fc.assert(
      fc.property(fc.array(places, { maxLength: 6 }), (lists) => {
        expect(placesIn(unite(lists.map(packed)), 0, Infinity)).toStrictEqual(sorted(lists.flat()));
      }),
    );
  });

  it('cut into blocks is the same set', () => {
    fc.assert(
      fc.property(places, fc.nat(2 ** 31), (list, other) => {
        const blocks = splitInBlocks(packed(list));
        const held = (place: number): boolean => {
          const found = blocks.find(({ block }) => block === blockOf(place));
          return found !== undefined && holdsPlace(found.places, withinBlock(place));
        };
        expect(list.filter((place) => !held(place))).toStrictEqual([]);
        expect(blocks.reduce((sum, block) => sum + countRuns(unpack(block.places)), 0)).toBe(new Set(list).size);
        expect(held(other)).toBe(list.includes(other));
      }),
    );
  });

  it('costs a few bytes for a run however long, and at most five for a place far from the others', () => {
    const run = (first: number, length: number) => Array.from({ length }, (_, index) => first + index);
    expect(packed(run(1_000_000, 100)).length).toBeLessThanOrEqual(5);
    expect(packed(run(1_000_000, 100_000)).length).toBeLessThanOrEqual(7);
    fc.assert(
      fc.property(fc.array(fc.nat(2 ** 31), { minLength: 1, maxLength: 200 }), (list) => {
        expect(packed(list).length).toBeLessThanOrEqual(5 * new Set(list).size);
      }),
    );
  });
});

describe('numbers in order', () => {
  it('are each there once, also when there are many of them', async () => {
    const start = fc.oneof(fc.constant([] as number[]), fc.array(fc.integer({ min: 0, max: 300_000 })));
    await fc.assert(
      fc.asyncProperty(
        start,
        fc.integer({ min: 0, max: 170_000 }),
        fc.integer({ min: -7, max: 7 }),
        async (some, more, step) => {
          const list = [...some, ...Array.from({ length: more }, (_, index) => 1_000_000 + index * step)];
          expect(await ascendingInTurns(list)).toStrictEqual(sorted(list));
          expect(ascending(list)).toStrictEqual(sorted(list));
        },
      ),
      { numRuns: Number(process.env['PDA_RUNS'] ?? 4) },
    );
  });
});

describe('the number of a row', () => {
  it('tells its time to the millisecond, and later times have larger numbers', () => {
    fc.assert(
      fc.property(fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2140, 0, 1) }), (time) => {
        expect(timeOf(rowAt(time))).toBe(time);
        expect(rowAt(time + 1)).toBeGreaterThan(rowAt(time));
        // As the address of a page it has at most fifteen digits.
        expect(String(rowAt(time)).length).toBeLessThanOrEqual(15);
      }),
    );
  });
});
