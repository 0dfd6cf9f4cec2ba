import { describe, expect, it } from 'vitest';
import { bucketOf, mergeIntoBuckets } from './rules.ts';

describe('bucketOf', () => {
  it.each([
    ['2026-03-01', 'hour', '2026-03-01 00'],
    ['2026-03-01T14', 'hour', '2026-03-01 14'],
    ['2026-03-01 14', 'day', '2026-03-01'],
    ['2026-03-01', 'week', '2026-02-23'],
    ['2026-03-02', 'week', '2026-03-02'],
    ['2026-03-01', 'month', '2026-03'],
    ['2026-03-01', 'year', '2026'],
    ['2026-19-39', 'week', '2026-19-39'],
  ] as const)('puts %s into the %s %s', (key, per, start) => {
    expect(bucketOf(key, per)).toBe(start);
  });

  it('converts UTC to the local time of this computer', () => {
    const date = new Date(Date.UTC(2026, 2, 1, 23, 30));
    const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
      .map((part) => String(part).padStart(2, '0'))
      .join('-');
    expect(bucketOf('Z2026-03-01T23:3', 'day')).toBe(day);
    expect(bucketOf(date.getTime() / 600_000, 'day')).toBe(day);
  });

  it('keeps the date of a text that is not a valid time', () => {
    expect(bucketOf('Z2026-03-01Tab:c', 'day')).toBe('2026-03-01');
  });
});

describe('mergeIntoBuckets', () => {
  it('adds counts and sums, keeps minimum and maximum, and omits groups without a time', () => {
    const groups = [
      { key: '2026-03-02 09', count: 1, sum: 5, min: 5, max: 5, records: 1 },
      { key: '2026-03-01 10', count: 2, sum: 4, min: 1, max: 3, records: 2 },
      { key: '2026-03-01 11', count: 1, sum: 9, min: 9, max: 9, records: 1 },
      { key: null, count: 0, sum: null, min: null, max: null, records: 7 },
    ];
    expect(mergeIntoBuckets(groups, 'day')).toEqual([
      { start: '2026-03-01', count: 3, sum: 13, min: 1, max: 9 },
      { start: '2026-03-02', count: 1, sum: 5, min: 5, max: 5 },
    ]);
  });
});
