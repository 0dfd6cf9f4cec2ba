import { localDate } from '../../../../shared/format/local-date.ts';
import { describe, expect, it } from 'vitest';
import { CUSTOM_DAY } from '../../../consent/duration.ts';
import { customPauseChoice, lastPauseDay, pauseChoices } from './pause-choices.ts';

const NOW = new Date(2026, 2, 1, 12);
const inDays = (days: number): string => new Date(NOW.getTime() + days * 86_400_000).toISOString();
const valuesUntil = (end: string | null): string[] => pauseChoices(end, NOW).map(({ value }) => value);

describe('pause choices', () => {
  it('all end before the consent ends', () => {
    expect(valuesUntil(null)).toEqual(['1', '7', '30', CUSTOM_DAY]);
    expect(valuesUntil(inDays(30))).toEqual(['1', '7', CUSTOM_DAY]);
    expect(valuesUntil(inDays(0.1))).toEqual([]);
    expect(pauseChoices(null, NOW)[1]?.until).toBe(inDays(7));
  });

  it('accept today or any later day that ends before the consent does', () => {
    const dayOf = (days: number): string => localDate(new Date(Date.parse(inDays(days))));
    expect(customPauseChoice(dayOf(3), null, NOW)?.value).toBe(CUSTOM_DAY);
    expect(customPauseChoice(dayOf(0), null, NOW)).toBeDefined();
    expect(customPauseChoice(dayOf(-1), null, NOW)).toBeUndefined();
    expect(customPauseChoice(dayOf(3), inDays(3), NOW)).toBeUndefined();
    expect(customPauseChoice(dayOf(2), inDays(3), NOW)).toBeDefined();
  });

  it('end with the last day that is over before the consent ends', () => {
    expect(lastPauseDay(null)).toBeUndefined();
    const lastDay = lastPauseDay(inDays(3)) ?? '';
    expect(lastDay).toBe('2026-03-03');
    expect(customPauseChoice(lastDay, inDays(3), NOW)).toBeDefined();
    const midnight = new Date(2026, 2, 4).toISOString();
    expect(lastPauseDay(midnight)).toBe('2026-03-02');
    expect(customPauseChoice('2026-03-02', midnight, NOW)).toBeDefined();
    expect(customPauseChoice('2026-03-03', midnight, NOW)).toBeUndefined();
  });
});
