import { describe, expect, it } from 'vitest';
import { daysOfYear, heatLevelOf, weekColumnOf } from './heat-levels.ts';
import { weekdayOf } from './months.ts';

describe('the colour level of a day', () => {
  it.each([
    [null, 0, 10, 0],
    [0, 0, 10, 0],
    [1, 1, 10, 1],
    [10, 1, 10, 4],
    [5, 5, 5, 4],
    [0, -4, 4, 3],
    [-4, -4, 4, 1],
  ])('for %s between %s and %s is %s', (value, low, high, level) => {
    expect(heatLevelOf(value, low, high)).toBe(level);
  });
});

describe('the days of a year', () => {
  it('are 365, or 366 in leap years, and end with 31 December', () => {
    expect(['2026', '2028', '0001', '9999'].map((year) => daysOfYear(year).length)).toEqual([365, 366, 365, 365]);
    expect(daysOfYear('2028').at(-1)).toBe('2028-12-31');
  });

  it('form a grid with a row per weekday and a column per week', () => {
    // 2026 begins on a Thursday.
    expect(['2026-01-01', '2026-01-04', '2026-01-05', '2026-12-31'].map(weekdayOf)).toEqual([3, 6, 0, 3]);
    expect(['2026-01-01', '2026-01-04', '2026-01-05', '2026-12-31'].map(weekColumnOf)).toEqual([0, 0, 1, 52]);
  });
});
