import { describe, expect, it } from 'vitest';
import { CUSTOM_DAY, firstDay } from '../../../consent/duration.ts';
import { GRANTED_END, REQUESTED_END, customEndChoice, endChoices } from './end-choices.ts';

const DAY_SECONDS = 86_400;
const now = new Date(2026, 10, 21, 12);
const timeAfter = (days: number): string => new Date(now.getTime() + days * DAY_SECONDS * 1000).toISOString();
const values = (...parameters: Parameters<typeof endChoices>): string[] =>
  endChoices(...parameters).map(({ value }) => value);

describe('end of a changed permission', () => {
  const renewingTiming = { start: timeAfter(-45), period: 30 * DAY_SECONDS, cancelAtPeriodEnd: false };
  const endingTiming = { start: timeAfter(-10), period: 30 * DAY_SECONDS, cancelAtPeriodEnd: true };

  it('can be any later day if the request renews', () => {
    expect(values(renewingTiming, null, now)).toEqual([REQUESTED_END, '7', '30', '90', '365', CUSTOM_DAY]);
    expect(endChoices(renewingTiming, null, now)[1]?.end).toBe(timeAfter(7));
    expect(customEndChoice('2046-01-01', renewingTiming, now)?.end).toBe(new Date(2046, 0, 2).toISOString());
  });

  it('is never later than requested', () => {
    expect(values(endingTiming, timeAfter(20), now)).toEqual([REQUESTED_END, '7', CUSTOM_DAY]);
    expect(customEndChoice('2026-12-10', endingTiming, now)?.end).toBe(new Date(2026, 11, 11).toISOString());
    expect(customEndChoice('2026-12-11', endingTiming, now)).toBeUndefined();
  });

  it('is never in the past', () => {
    expect(customEndChoice('2026-11-20', renewingTiming, now)).toBeUndefined();
    expect(customEndChoice('2026-11-21', renewingTiming, now)?.end).toBe(new Date(2026, 10, 22).toISOString());
    expect(customEndChoice('', renewingTiming, now)).toBeUndefined();
    expect(values({ ...endingTiming, start: timeAfter(-29.9) }, null, now)).toEqual([REQUESTED_END]);
  });

  it('is after the start of a scheduled permission', () => {
    const scheduledTiming = { start: timeAfter(10), period: 30 * DAY_SECONDS, cancelAtPeriodEnd: true };
    expect(values(scheduledTiming, null, now)).toEqual([REQUESTED_END, '30', CUSTOM_DAY]);
    expect(firstDay(scheduledTiming, now)).toBe('2026-12-01');
    expect(customEndChoice('2026-11-30', scheduledTiming, now)).toBeUndefined();
    expect(customEndChoice('2026-12-01', scheduledTiming, now)?.end).toBe(new Date(2026, 11, 2).toISOString());
    expect(firstDay(endingTiming, now)).toBe('2026-11-21');
  });

  it('can be the previously granted end, unless it is in the past', () => {
    expect(endChoices(endingTiming, timeAfter(5), now)[1]).toMatchObject({ value: GRANTED_END, end: timeAfter(5) });
    expect(values(renewingTiming, timeAfter(5), now)).toContain(GRANTED_END);
    expect(values(renewingTiming, timeAfter(-5), now)).not.toContain(GRANTED_END);
  });
});
