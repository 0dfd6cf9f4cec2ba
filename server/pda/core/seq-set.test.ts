import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsPlace, NO_PLACES, release, unite } from './seq-set.ts';

const places = fc.array(fc.nat(60), { maxLength: 40 });

describe('places of records', () => {
  it('are each there once and in order, however they come', () => {
    fc.assert(
      fc.property(places, places, fc.boolean(), (some, more, packed) => {
        const known = unite(NO_PLACES, some);
        const all = unite(known, packed ? Float64Array.from(more) : more);
        const expected = [...new Set([...some, ...more])].toSorted((a, b) => a - b);
        expect([...all]).toStrictEqual(expected);
        for (let place = 0; place <= 60; place += 1) expect(holdsPlace(all, place)).toBe(expected.includes(place));
      }),
    );
  });

  it('cost nothing more where all of them are known', () => {
    const known = unite(NO_PLACES, [3, 1, 2]);
    expect(unite(known, Float64Array.from([1, 3]))).toBe(known);
    release(NO_PLACES);
    expect([...unite(NO_PLACES, [5])]).toStrictEqual([5]);
  });
});
