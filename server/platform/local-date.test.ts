import { describe, expect, it } from 'vitest';
import { addDays, createLocalDateFormat, startOfLocalDate } from './local-date.ts';

describe('local dates', () => {
  it('depend on the time zone', () => {
    const ms = Date.parse('2026-03-01T23:30:00Z');
    expect(createLocalDateFormat('UTC')(ms)).toBe('2026-03-01');
    expect(createLocalDateFormat('Europe/Berlin')(ms)).toBe('2026-03-02');
    expect(createLocalDateFormat('America/Los_Angeles')(ms)).toBe('2026-03-01');
  });

  it.each([
    ['2026-03-01', 'UTC', '2026-03-01T00:00:00.000Z'],
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
    ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
    ['2026-01-15', 'Pacific/Kiritimati', '2026-01-14T10:00:00.000Z'],
    // Clocks in Lebanon go forward from 00:00 to 01:00 on this date.
    ['2026-03-29', 'Asia/Beirut', '2026-03-28T22:00:00.000Z'],
  ])('begin at the first instant of the day: %s in %s', (date, timeZone, start) => {
    expect(new Date(startOfLocalDate(date, timeZone)).toISOString()).toBe(start);
  });

  it('can be moved across the ends of months and years', () => {
    expect(addDays('2026-02-27', 3)).toBe('2026-03-02');
    expect(addDays('2026-01-01', -7)).toBe('2025-12-25');
  });
});
