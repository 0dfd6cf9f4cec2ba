import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasSeq, EMPTY_SEQ_SET, releaseBuffer, addSeqs } from './seq-set.ts';

const seqs = fc.array(fc.nat(60), { maxLength: 40 });

describe('a sequence set', () => {
  it('contains each number once and in ascending order, for any order of insertion', () => {
    fc.assert(
      fc.property(seqs, seqs, fc.boolean(), (initial, added, isTyped) => {
        const firstSet = addSeqs(EMPTY_SEQ_SET, initial);
        const union = addSeqs(firstSet, isTyped ? Float64Array.from(added) : added);
        const expected = [...new Set([...initial, ...added])].toSorted((a, b) => a - b);
        expect([...union]).toStrictEqual(expected);
        for (let seq = 0; seq <= 60; seq += 1) expect(hasSeq(union, seq)).toBe(expected.includes(seq));
      }),
    );
  });

  it('is returned unchanged if it contains all of the added numbers', () => {
    const set = addSeqs(EMPTY_SEQ_SET, [3, 1, 2]);
    expect(addSeqs(set, Float64Array.from([1, 3]))).toBe(set);
  });

  it('can be extended if it is empty and its buffer was released', () => {
    releaseBuffer(EMPTY_SEQ_SET);
    expect([...addSeqs(EMPTY_SEQ_SET, [5])]).toStrictEqual([5]);
  });
});
