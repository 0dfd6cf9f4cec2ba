import { expect, it } from 'vitest';
import { mergeBuckets } from './rules.ts';

it('adds counts and sums of buckets with the same start, and keeps the lowest minimum and highest maximum', () => {
  const buckets = [
    { start: '2026-03-02', count: 1, sum: 5, min: 5, max: 5 },
    { start: '2026-03-01', count: 2, sum: 4, min: 1, max: 3 },
    { start: '2026-03-01', count: 1, sum: 9, min: 9, max: 9 },
    { start: '2026-02-28', count: 1, sum: null, min: null, max: null },
    { start: '2026-02-28', count: 1, sum: 2, min: 2, max: 2 },
  ];
  expect(mergeBuckets(buckets)).toEqual([
    { start: '2026-02-28', count: 2, sum: 2, min: 2, max: 2 },
    { start: '2026-03-01', count: 3, sum: 13, min: 1, max: 9 },
    { start: '2026-03-02', count: 1, sum: 5, min: 5, max: 5 },
  ]);
});
