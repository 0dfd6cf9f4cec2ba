import { describe, expect, it } from 'vitest';
import { isAnnouncementDue, lastWeek } from './rules.ts';

const BERLIN = 'Europe/Berlin';

describe('the last complete week', () => {
  it.each([
    ['2026-03-04T12:00:00Z', 'UTC', '2026-02-23', '2026-03-01'],
    // Sunday evening belongs to the current week.
    ['2026-03-01T22:59:00Z', BERLIN, '2026-02-16', '2026-02-22'],
    // Monday has begun in Berlin.
    ['2026-03-01T23:00:00Z', BERLIN, '2026-02-23', '2026-03-01'],
    ['2026-03-01T23:00:00Z', 'America/New_York', '2026-02-16', '2026-02-22'],
    ['2026-01-01T12:00:00Z', 'UTC', '2025-12-22', '2025-12-28'],
  ])('at %s in %s is from %s to %s', (now, timeZone, from, to) => {
    expect(lastWeek(Date.parse(now), timeZone)).toMatchObject({ from, to });
  });

  it('has 167 hours when the clocks go forward', () => {
    const week = lastWeek(Date.parse('2026-03-31T12:00:00Z'), BERLIN);
    expect(week.from).toBe('2026-03-23');
    expect((week.end - week.start) / 3_600_000).toBe(167);
  });

  it('is announced from 9:00 local time on Monday', () => {
    const isAnnouncedAt = (time: string) => isAnnouncementDue(lastWeek(Date.parse(time), BERLIN), Date.parse(time));
    expect(isAnnouncedAt('2026-03-02T07:59:00Z')).toBe(false);
    expect(isAnnouncedAt('2026-03-02T08:00:00Z')).toBe(true);
    expect(isAnnouncedAt('2026-03-08T22:00:00Z')).toBe(true);
  });
});
