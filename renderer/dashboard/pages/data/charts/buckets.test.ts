import { describe, expect, it } from 'vitest';
import { aggregate, finestBucket, pointsOf, possibleBuckets, regroup, shiftStart, suggestBucket } from './buckets.ts';

const bucket = (start: string, count: number, sum: number, min: number, max: number) => ({
  start,
  count,
  sum,
  min,
  max,
});

describe('bucket size of a chart', () => {
  it.each([
    ['2026-03-01', '2026-03-03', 'hour'],
    ['2026-03-01', '2026-03-20', 'day'],
    ['2026-01-01', '2026-12-31', 'week'],
    ['2020-01-01', '2026-12-31', 'month'],
    ['1950-01-01', '2026-12-31', 'year'],
  ] as const)('is suggested for the time span from %s to %s: %s', (first, last, per) => {
    expect(suggestBucket(first, last, 'hour')).toBe(per);
  });

  it('is not shorter than the precision of the times', () => {
    expect(finestBucket({ type: 'date', timeFormat: 'year' })).toBe('year');
    expect(finestBucket({ type: 'date', timeFormat: 'iso' })).toBe('day');
    expect(finestBucket({ type: 'dateTime', timeFormat: 'iso' })).toBe('hour');
    expect(suggestBucket('1931', '1933', 'year')).toBe('year');
    expect(suggestBucket('2026-03-01', '2026-03-02', 'day')).toBe('day');
  });

  it('is offered only if it is a year or divides the time span into at most 1,000 buckets', () => {
    expect(possibleBuckets('1950-01-01', '2026-12-31', 'day')).toEqual(['month', 'year']);
    expect(possibleBuckets('0001-01-01', '9999-12-31', 'day')).toEqual(['year']);
  });
});

describe('regroup', () => {
  it('merges buckets from several pages and omits invalid dates', () => {
    const days = [
      bucket('2026-03-02', 2, 10, 4, 6),
      bucket('2026-03-02', 1, 2, 2, 2),
      bucket('2026-19-39', 1, 1, 1, 1),
    ];
    expect(regroup([...days, bucket('2026-02-28', 1, 9, 9, 9)], 'month')).toEqual([
      bucket('2026-02', 1, 9, 9, 9),
      bucket('2026-03', 3, 12, 2, 6),
    ]);
    expect(regroup(days, 'week')).toEqual([bucket('2026-03-02', 3, 12, 2, 6)]);
  });
});

describe('aggregate', () => {
  it('returns 0 for counts and sums without records, and null for other values', () => {
    expect((['count', 'sum', 'mean', 'min', 'max'] as const).map((name) => aggregate(undefined, name))).toEqual([
      0,
      0,
      null,
      null,
      null,
    ]);
  });

  it('divides the sum by the count for a mean', () => {
    expect(aggregate(bucket('2026', 4, 10, 1, 5), 'mean')).toBe(2.5);
  });
});

describe('pointsOf', () => {
  it('adds buckets without records', () => {
    const days = [bucket('2026-02-27', 1, 5, 5, 5), bucket('2026-03-02', 1, 7, 7, 7)];
    const points = pointsOf(days, { per: 'day', aggregation: 'sum', lastDays: undefined, today: '2026-03-09' });
    expect(points.map(({ start, value }) => [start, value])).toEqual([
      ['2026-02-27', 5],
      ['2026-02-28', 0],
      ['2026-03-01', 0],
      ['2026-03-02', 7],
    ]);
  });

  it('compares the last days with the same number of days before them', () => {
    const days = [bucket('2026-03-02', 1, 5, 5, 5), bucket('2026-03-09', 1, 8, 8, 8)];
    const points = pointsOf(days, { per: 'day', aggregation: 'sum', lastDays: 7, today: '2026-03-09' });
    expect(points).toHaveLength(7);
    expect(points.at(-1)).toEqual({ start: '2026-03-09', value: 8, previousValue: 5 });
  });

  it('leaves gaps if a distant time would need too many buckets', () => {
    const years = [bucket('0001', 1, 1, 1, 1), bucket('9999', 1, 1, 1, 1)];
    expect(pointsOf(years, { per: 'year', aggregation: 'sum', lastDays: undefined, today: '2026-03-09' })).toHaveLength(
      2,
    );
  });
});

describe('shiftStart', () => {
  it('crosses month and year boundaries', () => {
    expect(shiftStart('2026-02-28 23', 'hour', 1)).toBe('2026-03-01 00');
    expect(shiftStart('2026-01', 'month', -1)).toBe('2025-12');
  });
});
