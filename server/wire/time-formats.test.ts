import { describe, expect, it } from 'vitest';
import { normalizeTime, rankTimeFormats } from './time-formats.ts';

describe('normalizeTime', () => {
  it.each([
    ['2012/01/31', 'year-month-day', '2012-01-31 00:00:00'],
    ['2001/01/14 21:55', 'year-month-day', '2001-01-14 21:55:00'],
    ['12/31/2001 7:05', 'month-day', '2001-12-31 07:05:00'],
    ['31.12.2001', 'day-month', '2001-12-31 00:00:00'],
    ['Jun 12 1998', 'month-name', '1998-06-12 00:00:00'],
    ['January 5, 2020', 'month-name', '2020-01-05 00:00:00'],
    ['5 Sept. 2020', 'month-name', '2020-09-05 00:00:00'],
  ] as const)('converts %s in the format %s', (text, format, normalized) => {
    expect(normalizeTime(text, format)).toBe(normalized);
  });

  it.each([
    ['2012/02/30', 'year-month-day'],
    ['31/12/2001', 'month-day'],
    ['Foo 12 1998', 'month-name'],
    ['12 1998', 'month-name'],
    [`Jun 12 1998${' '.repeat(100_000)}`, 'month-name'],
  ] as const)('refuses $0 in the format $1', (text, format) => {
    expect(normalizeTime(text, format)).toBeUndefined();
  });
});

describe('rankTimeFormats', () => {
  const bestFormat = (...values: unknown[]) => rankTimeFormats(values)[0];

  it('puts the format that fits most values first', () => {
    expect(bestFormat('2026-03-01', '2026-03-02T10:00:00Z')).toEqual({ format: 'iso', exceptions: 0 });
    expect(bestFormat('Jun 12 1998', '1998')).toEqual({ format: 'month-name', exceptions: 1 });
  });

  it('prefers month-day to day-month unless a first number is above 12', () => {
    expect(bestFormat('01/02/2001', '02/03/2001')?.format).toBe('month-day');
    expect(bestFormat('01/02/2001', '25/03/2001')?.format).toBe('day-month');
  });
});
