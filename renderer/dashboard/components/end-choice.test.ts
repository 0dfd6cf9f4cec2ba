import { describe, expect, it } from 'vitest';
import { CUSTOM_DAY } from '../consent/duration.ts';
import { endOfDay, endTime, fixedEnd, latestEndDay } from './end-choice.ts';

const NOW = new Date(2026, 10, 21, 12);
const DAY_MS = 86_400_000;
const lastMsOf = (year: number, month: number, day: number): number =>
  new Date(year, month - 1, day, 23, 59, 59, 999).getTime();

describe('end date of shared items', () => {
  it('is the chosen number of days from now for a fixed choice, and the suggested custom day is in one week', () => {
    expect(endTime(fixedEnd('30', NOW), NOW)).toBe(NOW.getTime() + 30 * DAY_MS);
    expect(fixedEnd('30', NOW)).toEqual({ choice: '30', day: '2026-11-28' });
  });

  it('is the end of the chosen day in local time', () => {
    expect(endTime({ choice: CUSTOM_DAY, day: '2026-11-21' }, NOW)).toBe(lastMsOf(2026, 11, 21));
    expect(endTime({ choice: CUSTOM_DAY, day: '2031-12-31' }, NOW)).toBe(lastMsOf(2031, 12, 31));
  });

  it('is undefined for a day that is past or invalid', () => {
    for (const day of ['2026-11-20', '0002-11-21', '']) {
      expect(endOfDay(day, NOW)).toBeUndefined();
      expect(endTime({ choice: CUSTOM_DAY, day }, NOW)).toBeUndefined();
    }
  });

  it('is at most the given number of days from now', () => {
    expect(latestEndDay(NOW, 90)).toBe('2027-02-18');
    expect(endOfDay('2027-02-18', NOW, 90)).toBe(lastMsOf(2027, 2, 18));
    expect(endOfDay('2027-02-19', NOW, 90)).toBeUndefined();
  });
});
