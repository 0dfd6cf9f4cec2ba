import { describe, expect, it } from 'vitest';
import { bucketOf } from './time-buckets.ts';

describe('bucketOf', () => {
  it.each([
    ['2026-03-01', 'hour', '2026-03-01 00'],
    ['2026-03-01T14', 'hour', '2026-03-01 14'],
    ['2026-03-01 14', 'day', '2026-03-01'],
    ['2026-03-01', 'week', '2026-02-23'],
    ['2026-03-02', 'week', '2026-03-02'],
    ['2026-03-01', 'month', '2026-03'],
    ['2026-03-01', 'year', '2026'],
    ['2026-03-01T9:', 'hour', '2026-03-01 00'],
  ] as const)('puts %s into the %s %s', (key, per, start) => {
    expect(bucketOf(key, per)).toBe(start);
  });

  it('converts UTC to the local time of this computer', () => {
    const date = new Date(Date.UTC(2026, 2, 1, 23, 30));
    const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
      .map((part) => String(part).padStart(2, '0'))
      .join('-');
    expect(bucketOf('Z2026-03-01T23:30', 'day')).toBe(day);
    expect(bucketOf(date.getTime() / 900_000, 'day')).toBe(day);
  });

  it.each(['2026-19-39', '2026-02-31T10', 'Z2026-02-31T10:00', '0000-00-00', Date.UTC(10_001, 0, 1) / 900_000])(
    'returns null for %s, which does not exist or is after the year 9999',
    (key) => {
      expect(bucketOf(key, 'week')).toBeNull();
    },
  );

  it('keeps the date of a text that is not a valid time', () => {
    expect(bucketOf('Z2026-03-01Tab:00', 'day')).toBe('2026-03-01');
  });
});
