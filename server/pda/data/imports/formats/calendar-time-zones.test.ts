import { describe, expect, it } from 'vitest';
import { type CalendarZone, createTransition, instantFor, offsetMsOf } from './calendar-time-zones.ts';

const HOUR_MS = 3_600_000;
const noonOn = (year: number, month: number, day: number) => ({
  year,
  month,
  day,
  hour: 12,
  minute: 0,
  second: 0,
});
const offsets = (hours: number, hoursBefore?: number) => ({
  offsetMs: hours * HOUR_MS,
  offsetBeforeMs: hoursBefore === undefined ? undefined : hoursBefore * HOUR_MS,
});
const offsetAt = (zone: CalendarZone, year: number, month: number): number =>
  (Date.UTC(year, month - 1, 15, 12) - (instantFor('Custom zone', noonOn(year, month, 15), zone) ?? Number.NaN)) /
  HOUR_MS;

describe('a time zone that a calendar defines', () => {
  const summer = createTransition(noonOn(2007, 3, 11), offsets(-4, -5), 'FREQ=YEARLY;BYMONTH=3;BYDAY=2SU');
  const winter = createTransition(noonOn(2007, 11, 4), offsets(-5, -4), 'FREQ=YEARLY;BYMONTH=11;BYDAY=1SU');

  it('has the offset of the latest transition', () => {
    const zone = { transitions: [winter, summer], location: undefined };
    expect([offsetAt(zone, 2020, 1), offsetAt(zone, 2020, 7), offsetAt(zone, 2020, 12)]).toEqual([-5, -4, -5]);
  });

  it('uses TZOFFSETFROM of the earliest transition for times before it, whatever the order of the transitions', () => {
    for (const transitions of [
      [summer, winter],
      [winter, summer],
    ])
      expect(offsetAt({ transitions, location: undefined }, 2006, 7)).toBe(-5);
  });

  it('uses the offset of the first transition for times before it if TZOFFSETFROM is missing', () => {
    const transitions = [createTransition(noonOn(2007, 3, 11), offsets(-4), undefined)];
    expect(offsetAt({ transitions, location: undefined }, 2006, 7)).toBe(-4);
  });

  it('is ignored if the system knows its name, and cannot be used without transitions', () => {
    expect(instantFor('Europe/Berlin', noonOn(2020, 1, 1), { transitions: [summer], location: undefined })).toBe(
      Date.UTC(2020, 0, 1, 11),
    );
    expect(instantFor('Custom zone', noonOn(2020, 1, 1), { transitions: [], location: undefined })).toBeUndefined();
  });

  it('has offsets that are written with or without a colon; any other text is not an offset', () => {
    expect([offsetMsOf('+0530'), offsetMsOf('-01:00'), offsetMsOf('1')]).toEqual([5.5 * HOUR_MS, -HOUR_MS, undefined]);
  });
});
