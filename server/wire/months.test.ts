import { describe, expect, it } from 'vitest';
import { lastDayOf, parseMonth, nearestMonth, shiftMonth, timeOfDay, weeksOf } from './months.ts';

describe('weeksOf', () => {
  it('returns whole weeks from Monday', () => {
    const weeks = weeksOf('2026-03');
    expect(weeks).toHaveLength(6);
    expect(weeks.map(([monday]) => monday)).toEqual([
      '2026-02-23',
      '2026-03-02',
      '2026-03-09',
      '2026-03-16',
      '2026-03-23',
      '2026-03-30',
    ]);
    expect(weeks.at(-1)?.at(-1)).toBe('2026-04-05');
  });

  it('ends with the week of the last day, even at the end of a year', () => {
    expect(weeksOf('2027-02').flat()).toHaveLength(28);
    expect(weeksOf('2026-12').at(-1)?.at(-1)).toBe('2027-01-03');
    expect(weeksOf('9999-12').at(-1)?.at(0)).toBe('9999-12-27');
    expect(weeksOf('0001-01').at(-1)?.at(-1)).toBe('0001-02-04');
  });
});

describe('nearestMonth', () => {
  it.each([
    ['2026-03-09', '2026-01-01', '2026-12-31', '2026-03'],
    ['2026-03-09', '2020-01-01', '2021-05-31', '2021-05'],
    ['2026-03-09', '2027-01-01', '2027-02-01', '2027-01'],
    ['2026-05', '2026-01-01', '2026-12-31', '2026-05'],
  ])('to %s of records from %s to %s is %s', (dayOrMonth, first, last, month) => {
    expect(nearestMonth(dayOrMonth, first, last)).toBe(month);
  });
});

describe('parseMonth', () => {
  it('accepts months only', () => {
    expect(['2026-03', '2026-13', '2026-3', '2026-03-01', '', null].map(parseMonth)).toEqual([
      '2026-03',
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('shiftMonth', () => {
  it('continues in the previous or next year', () => {
    expect(shiftMonth('2026-01', -1)).toBe('2025-12');
    expect(shiftMonth('2025-12', 1)).toBe('2026-01');
  });
});

describe('lastDayOf', () => {
  it('returns 29 February in leap years', () => {
    expect(['2026-02', '2028-02', '2026-12', '9999-12'].map(lastDayOf)).toEqual([
      '2026-02-28',
      '2028-02-29',
      '2026-12-31',
      '9999-12-31',
    ]);
  });
});

describe('timeOfDay', () => {
  it('is empty for a start without a time or on another day', () => {
    const starts = ['2026-03-01 08:30', '2026-03-01', '2026-02-28 08:30'];
    expect(starts.map((start) => timeOfDay(start, '2026-03-01'))).toEqual(['08:30', '', '']);
  });
});
