import { describe, expect, it } from 'vitest';
import { createOccurrenceCounter } from './occurrence-counter.ts';

describe('the counter of equal transactions', () => {
  it('counts the occurrences of each transaction of a day', () => {
    const counter = createOccurrenceCounter(10);
    const rows = [
      ['2026-01-01', 'coffee'],
      ['2026-01-01', 'lunch'],
      ['2026-01-01', 'coffee'],
      ['2026-01-02', 'coffee'],
    ] as const;
    expect(rows.map(([date, hash]) => counter.count(date, hash))).toEqual([1, 1, 2, 1]);
  });

  it('counts exactly beyond its maximum if the transactions are sorted by date', () => {
    const counter = createOccurrenceCounter(5);
    for (let day = 0; day < 100; day += 1) {
      const occurrences = ['coffee', 'bus', 'coffee', 'lunch', 'bus', 'coffee'].map((hash) =>
        counter.count(`day ${day}`, hash),
      );
      expect(occurrences).toEqual([1, 1, 2, 1, 2, 3]);
    }
  });

  it('evicts the day that was counted least recently', () => {
    const counter = createOccurrenceCounter(2);
    counter.count('a', 'x');
    counter.count('b', 'x');
    expect(counter.count('a', 'x')).toBe(2);
    counter.count('c', 'x');
    expect([counter.count('a', 'x'), counter.count('b', 'x')]).toEqual([3, 1]);
  });

  it('continues to count if one date has more transactions than the maximum', () => {
    const counter = createOccurrenceCounter(3);
    for (let row = 0; row < 10; row += 1) expect(counter.count('day', `row ${row}`)).toBe(1);
    expect(counter.count('day', 'row 9')).toBe(2);
  });
});
