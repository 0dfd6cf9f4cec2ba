import { describe, expect, it } from 'vitest';
import { bucketValue, hasGrantEnded, lastDaysOf } from './rules.ts';

const bucket = { start: '2026-03-01', count: 2, sum: 5, min: 1, max: 4 };

describe('a shared view', () => {
  it.each([
    [null, false],
    [1001, false],
    [1000, true],
    [999, true],
  ])('that ends at %s has ended at 1000: %s', (ends, expected) => {
    expect(hasGrantEnded({ ends }, 1000)).toBe(expected);
  });

  it('of the last days ends today, in local time', () => {
    const now = Date.parse('2026-03-02T23:30:00Z');
    expect(lastDaysOf(1, now, 'UTC')).toEqual({ first: '2026-03-02', last: '2026-03-02' });
    expect(lastDaysOf(7, now, 'UTC')).toEqual({ first: '2026-02-24', last: '2026-03-02' });
    expect(lastDaysOf(1, now, 'Europe/Berlin')).toEqual({ first: '2026-03-03', last: '2026-03-03' });
  });
});

describe('the value of a bucket', () => {
  it.each([
    ['count', 2],
    ['sum', 5],
    ['mean', 2.5],
    ['min', 1],
    ['max', 4],
  ] as const)('is its %s', (aggregation, expected) => {
    expect(bucketValue(bucket, aggregation)).toBe(expected);
  });

  it('is null without numbers, except for the count', () => {
    const emptyBucket = { ...bucket, count: 0, sum: null, min: null, max: null };
    expect(
      (['sum', 'mean', 'min', 'max'] as const).map((aggregation) => bucketValue(emptyBucket, aggregation)),
    ).toEqual([null, null, null, null]);
    expect(bucketValue(emptyBucket, 'count')).toBe(0);
  });
});
