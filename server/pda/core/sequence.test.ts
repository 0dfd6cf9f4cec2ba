import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/test-pda.ts';
import { createSequence, idAt, placeOf } from './sequence.ts';

const PER_MS = 4096;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u;

const take = (count: number, next: () => number): number[] => Array.from({ length: count }, next);

describe('ids of records', () => {
  it('are UUIDs of version 7 that carry the time of their making', () => {
    const clock = createTestClock();
    const id = idAt(createSequence(0, clock).next());
    expect(id).toMatch(UUID_V7);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(clock.now());
  });

  it('lead back to their place, in either case', () => {
    const seqs = take(10_000, createSequence(0, createTestClock()).next);
    for (const seq of seqs) {
      const id = idAt(seq);
      expect(placeOf(id)).toBe(seq);
      expect(placeOf(id.toUpperCase())).toBe(seq);
    }
  });

  it('sort as their records do, thousands of them in one millisecond too', () => {
    const ids = take(3 * PER_MS, createSequence(0, createTestClock()).next).map(idAt);
    expect(ids).toStrictEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('cannot be guessed: the tail of two at the same place has nothing in common', () => {
    const tails = Array.from(
      { length: 2000 },
      () => BigInt(`0x${idAt(7).replaceAll('-', '').slice(16)}`) & ((1n << 62n) - 1n),
    );
    expect(new Set(tails).size).toBe(tails.length);
    // Each of the 62 bits is set in about half of them; ten standard deviations off would be a constant bit.
    for (let bit = 0n; bit < 62n; bit += 1n) {
      const set = tails.filter((tail) => ((tail >> bit) & 1n) === 1n).length;
      expect(Math.abs(set - 1000)).toBeLessThan(250);
    }
  });

  it('are none of ours when they are of another version, another form, or too far in the future', () => {
    const id = idAt(1);
    for (const other of [
      '',
      'x',
      id.slice(1),
      `${id}0`,
      `{${id}}`,
      id.replaceAll('-', ''),
      id.replace('-7', '-4'),
      'ffffffff-ffff-7fff-bfff-ffffffffffff',
    ]) {
      expect([other, placeOf(other)]).toStrictEqual([other, undefined]);
    }
    expect(placeOf(id.replace(/-[89ab]/u, '-0'))).toBeUndefined();
  });
});

describe('the sequence of places', () => {
  it('follows the clock', () => {
    const clock = createTestClock();
    const { next } = createSequence(0, clock);
    const first = next();
    clock.advance(1);
    expect(next()).toBe(first + PER_MS);
  });

  it('runs on when a millisecond is used up', () => {
    const clock = createTestClock();
    const { next } = createSequence(0, clock);
    const places = take(2 * PER_MS + 1, next);
    clock.advance(1);
    expect(next()).toBe((places.at(-1) ?? 0) + 1);
  });

  it('never goes back with the clock, and never gives a place twice', () => {
    const clock = createTestClock();
    const { next } = createSequence(0, clock);
    const places: number[] = [];
    for (const step of [0, 5, -1000, 3, -86_400_000, 10, 86_400_000, -5]) {
      clock.advance(step);
      places.push(...take(5, next));
    }
    expect(places).toStrictEqual(places.toSorted((a, b) => a - b));
    expect(new Set(places).size).toBe(places.length);
  });

  it('goes on after the newest place that is taken, with a clock that is behind it, or before its beginning', () => {
    const clock = createTestClock();
    const newest = createSequence(0, clock).next();
    clock.set(Date.UTC(2019, 0, 1));
    expect(createSequence(newest, clock).next()).toBe(newest + 1);
    expect(createSequence(0, clock).next()).toBe(1);
  });
});
