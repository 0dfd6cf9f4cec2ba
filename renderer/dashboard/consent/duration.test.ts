import { describe, expect, it } from 'vitest';
import { finalEnd, periodEnd } from '../../shared/consent/timing-text.ts';
import { AS_REQUESTED, CUSTOM_DAY, lastFullDay, limitChoices, limitToEndOf, withLimit } from './duration.ts';

const withPlainSpaces = (text: string) => text.replaceAll(/[\u202F\u00A0]/g, ' ');
const DAY_SECONDS = 86_400;
const now = new Date(2026, 10, 21, 12);
const timeAt = (year: number, month: number, day: number, hour = 12) =>
  new Date(year, month - 1, day, hour).toISOString();

describe('shortening the duration', () => {
  const requested = { start: timeAt(2026, 11, 21), period: 30 * DAY_SECONDS, cancelAtPeriodEnd: false };

  it('offers the requested duration and shorter ones, labelled with their ends, and a custom day', () => {
    const choices = limitChoices(requested, now);
    expect(choices.map(({ value }) => value)).toEqual([
      AS_REQUESTED,
      String(30 * DAY_SECONDS),
      String(7 * DAY_SECONDS),
      String(DAY_SECONDS),
      CUSTOM_DAY,
    ]);
    expect(withPlainSpaces(choices[1]?.label ?? '')).toBe('Until 21 December 2026 (30 days), then it ends');
    expect(choices[1]?.limit).toEqual({ cancelAtPeriodEnd: true });
    expect(choices[2]?.limit).toEqual({ period: 7 * DAY_SECONDS, cancelAtPeriodEnd: true });
    expect(limitChoices({ ...requested, cancelAtPeriodEnd: true }, now)[1]?.limit).toEqual({ period: 7 * DAY_SECONDS });
  });

  it('omits durations that have already ended', () => {
    const pastRequest = { start: timeAt(2026, 11, 1), period: 30 * DAY_SECONDS, cancelAtPeriodEnd: true };
    expect(limitChoices(pastRequest, now).map(({ value }) => value)).toEqual([AS_REQUESTED, CUSTOM_DAY]);
  });

  it('accepts a custom last day only within the requested duration', () => {
    expect(lastFullDay(finalEnd({ ...requested, cancelAtPeriodEnd: true }))).toBe('2026-12-20');
    expect(limitToEndOf('2026-12-20', requested, now)).toBeDefined();
    expect(limitToEndOf('2026-12-21', requested, now)).toBeUndefined();
    const limit = limitToEndOf('2026-11-25', requested, now);
    expect(limit?.cancelAtPeriodEnd).toBe(true);
    const end = periodEnd(withLimit(requested, limit ?? {}), now);
    expect([end.getFullYear(), end.getMonth() + 1, end.getDate(), end.getHours()]).toEqual([2026, 11, 26, 0]);
    expect(limitToEndOf('2026-12-25', requested, now)).toBeUndefined();
    expect(limitToEndOf('2026-11-01', requested, now)).toBeUndefined();
    expect(limitToEndOf('', requested, now)).toBeUndefined();
    const laterNow = new Date(2026, 10, 26, 12);
    expect(limitToEndOf('2026-11-25', requested, laterNow), 'a day that has ended').toBeUndefined();
    expect(limitToEndOf('2026-11-26', requested, laterNow), 'today').toBeDefined();
  });
});

describe('lastFullDay', () => {
  it('is the day before the end, even if the end is at midnight', () => {
    expect(lastFullDay(new Date(2026, 2, 4, 12).getTime())).toBe('2026-03-03');
    expect(lastFullDay(new Date(2026, 2, 4).getTime())).toBe('2026-03-03');
    expect(lastFullDay(new Date(2026, 2, 4).getTime() - 1)).toBe('2026-03-02');
    expect(lastFullDay(new Date(2026, 2, 1, 1).getTime())).toBe('2026-02-28');
    expect(lastFullDay(Number.POSITIVE_INFINITY)).toBeUndefined();
  });
});
