import { describe, expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/test-pda.ts';
import { createSequence, newId, seqOfId } from './sequence.ts';

const SEQS_PER_MS = 4096;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u;

const take = (count: number, next: () => number): number[] => Array.from({ length: count }, next);

describe('ids of records', () => {
  it('are UUIDs of version 7 that contain the time of creation', () => {
    const clock = createTestClock();
    const id = newId(createSequence(0, clock).next());
    expect(id).toMatch(UUID_V7);
    expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(clock.now());
  });

  it('contain their sequence number, in upper and in lower case', () => {
    const seqs = take(10_000, createSequence(0, createTestClock()).next);
    for (const seq of seqs) {
      const id = newId(seq);
      expect(seqOfId(id)).toBe(seq);
      expect(seqOfId(id.toUpperCase())).toBe(seq);
    }
  });

  it('sort in the order of creation, including thousands of ids in one millisecond', () => {
    const ids = take(3 * SEQS_PER_MS, createSequence(0, createTestClock()).next).map(newId);
    expect(ids).toStrictEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('cannot be guessed: ids of one sequence number differ, and each random bit is set in about half of them', () => {
    const tails = Array.from(
      { length: 2000 },
      () => BigInt(`0x${newId(7).replaceAll('-', '').slice(16)}`) & ((1n << 62n) - 1n),
    );
    expect(new Set(tails).size).toBe(tails.length);
    // Each of the 62 bits is set in about half of the ids. The bound is about eleven standard deviations.
    for (let bit = 0n; bit < 62n; bit += 1n) {
      const setCount = tails.filter((tail) => ((tail >> bit) & 1n) === 1n).length;
      expect(Math.abs(setCount - 1000)).toBeLessThan(250);
    }
  });

  it('are not recognised if they have a different UUID version or format, or are too far in the future', () => {
    const id = newId(1);
    for (const invalidId of [
      '',
      'x',
      id.slice(1),
      `${id}0`,
      `{${id}}`,
      id.replaceAll('-', ''),
      id.replace('-7', '-4'),
      'ffffffff-ffff-7fff-bfff-ffffffffffff',
    ]) {
      expect([invalidId, seqOfId(invalidId)]).toStrictEqual([invalidId, undefined]);
    }
    expect(seqOfId(id.replace(/-[89ab]/u, '-0'))).toBeUndefined();
  });
});

describe('the sequence', () => {
  it('follows the clock', () => {
    const clock = createTestClock();
    const { next } = createSequence(0, clock);
    const firstSeq = next();
    clock.advance(1);
    expect(next()).toBe(firstSeq + SEQS_PER_MS);
  });

  it('continues past the numbers of one millisecond', () => {
    const clock = createTestClock();
    const { next } = createSequence(0, clock);
    const seqs = take(2 * SEQS_PER_MS + 1, next);
    clock.advance(1);
    expect(next()).toBe((seqs.at(-1) ?? 0) + 1);
  });

  it('never repeats a number and never decreases, even if the clock goes back', () => {
    const clock = createTestClock();
    const { next } = createSequence(0, clock);
    const seqs: number[] = [];
    for (const step of [0, 5, -1000, 3, -86_400_000, 10, 86_400_000, -5]) {
      clock.advance(step);
      seqs.push(...take(5, next));
    }
    expect(seqs).toStrictEqual(seqs.toSorted((a, b) => a - b));
    expect(new Set(seqs).size).toBe(seqs.length);
  });

  it('continues after the largest number in use if the clock is behind it or before the epoch', () => {
    const clock = createTestClock();
    const latestSeq = createSequence(0, clock).next();
    clock.set(Date.UTC(2019, 0, 1));
    expect(createSequence(latestSeq, clock).next()).toBe(latestSeq + 1);
    expect(createSequence(0, clock).next()).toBe(1);
  });
});
