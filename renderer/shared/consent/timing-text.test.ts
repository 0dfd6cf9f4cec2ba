import { describe, expect, it } from 'vitest';
import { endText, hasEnded, periodEnd, spanText, startText, untilText } from './timing-text.ts';

const withPlainSpaces = (text: string) => text.replaceAll(/[\u202F\u00A0]/g, ' ');
const DAY_SECONDS = 86_400;
const now = new Date(2026, 10, 21, 12);
const isoTime = (year: number, month: number, day: number, hour = 12) =>
  new Date(year, month - 1, day, hour).toISOString();

describe('permission timing', () => {
  it.each([
    [30 * DAY_SECONDS, '30 days'],
    [3600, '1 hour'],
    [DAY_SECONDS + 6 * 3600, '1 day 6 hours'],
    [61, '1 minute 1 second'],
    [365 * DAY_SECONDS, '365 days'],
  ])('formats %i seconds exactly as %s', (seconds, text) => {
    expect(withPlainSpaces(spanText(seconds))).toBe(text);
  });

  it('states the end and what happens then', () => {
    const endingTiming = { start: isoTime(2026, 11, 21), period: 30 * DAY_SECONDS, cancelAtPeriodEnd: true };
    expect(withPlainSpaces(endText(endingTiming, now))).toBe('Until 21 December 2026. Then it ends automatically.');
    expect(untilText(endingTiming, now)).toBe('until 21 December 2026');
    const renewingTiming = { ...endingTiming, cancelAtPeriodEnd: false };
    expect(withPlainSpaces(endText(renewingTiming, now))).toBe(
      'Until 21 December 2026. Then it renews every 30 days until you stop sharing.',
    );
    expect(endText({ ...renewingTiming, period: DAY_SECONDS }, now)).toContain('Then it renews every day until');
    expect(untilText(renewingTiming, now)).toBe('until you stop sharing');
  });

  it('returns the end of the current period of a renewing permission', () => {
    const pastTiming = { start: isoTime(2026, 1, 1), period: 30 * DAY_SECONDS, cancelAtPeriodEnd: false };
    expect(periodEnd(pastTiming, now).getTime()).toBeGreaterThan(now.getTime());
    expect(periodEnd(pastTiming, now).getTime() - now.getTime()).toBeLessThanOrEqual(30 * DAY_SECONDS * 1000);
  });

  it('states that a permission has ended', () => {
    const pastTiming = { start: isoTime(2026, 1, 1), period: DAY_SECONDS, cancelAtPeriodEnd: true };
    expect(hasEnded(pastTiming, now)).toBe(true);
    expect(endText(pastTiming, now)).toMatch(/^Ended 2 January 2026\./);
  });

  it('states the start', () => {
    expect(startText({ start: isoTime(2026, 11, 21, 9), period: 1, cancelAtPeriodEnd: true }, now)).toBe(
      'As soon as you allow it.',
    );
    expect(startText({ start: isoTime(2027, 3, 3), period: 1, cancelAtPeriodEnd: true }, now)).toBe(
      'From 3 March 2027.',
    );
  });
});
