import { describe, expect, it } from 'vitest';
import { type CalendarZone, createTransition, instantInCalendarZone, offsetMsOf } from './calendar-time-zones.ts';

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
  (Date.UTC(year, month - 1, 15, 12) -
    (instantInCalendarZone('Custom zone', noonOn(year, month, 15), zone) ?? Number.NaN)) /
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
    expect(
      instantInCalendarZone('Europe/Berlin', noonOn(2020, 1, 1), { transitions: [summer], location: undefined }),
    ).toBe(Date.UTC(2020, 0, 1, 11));
    expect(
      instantInCalendarZone('Custom zone', noonOn(2020, 1, 1), { transitions: [], location: undefined }),
    ).toBeUndefined();
  });

  it('takes precedence over the abbreviation that names it', () => {
    const zone = { transitions: [summer, winter], location: undefined };
    for (const name of ['EST', 'BST', 'EST5EDT', 'Eastern'])
      expect(instantInCalendarZone(name, noonOn(2020, 7, 1), zone)).toBe(Date.UTC(2020, 6, 1, 16));
    expect(instantInCalendarZone('EST', noonOn(2020, 7, 1), { ...zone, location: 'Europe/Berlin' })).toBe(
      Date.UTC(2020, 6, 1, 10),
    );
  });

  it('has the offset of the rule that applies in a year, and of the last transition after the end of all rules', () => {
    const transitions = [
      createTransition(noonOn(1987, 4, 5), offsets(-4, -5), 'FREQ=YEARLY;BYMONTH=4;BYDAY=1SU;UNTIL=20060402T070000Z'),
      createTransition(
        noonOn(1967, 10, 29),
        offsets(-5, -4),
        'FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU;UNTIL=20061029T060000Z',
      ),
    ];
    const offsetOn = (zone: CalendarZone, year: number, month: number, day: number): number =>
      (Date.UTC(year, month - 1, day, 12) -
        (instantInCalendarZone('Custom zone', noonOn(year, month, day), zone) ?? Number.NaN)) /
      HOUR_MS;
    const zone = { transitions: [...transitions, summer, winter], location: undefined };
    const days = [
      [2006, 3, 20],
      [2006, 4, 3],
      [2006, 10, 28],
      [2006, 10, 30],
      [2007, 3, 12],
      [2020, 4, 1],
      [2020, 10, 30],
    ] as const;
    expect(days.map(([year, month, day]) => offsetOn(zone, year, month, day))).toEqual([-5, -4, -4, -5, -4, -4, -4]);
    const endedZone = { transitions, location: undefined };
    expect([offsetOn(endedZone, 2006, 7, 1), offsetOn(endedZone, 2020, 7, 1)]).toEqual([-4, -5]);
  });

  it('has offsets that are written with or without a colon; any other text is not an offset', () => {
    expect([offsetMsOf('+0530'), offsetMsOf('-01:00'), offsetMsOf('1')]).toEqual([5.5 * HOUR_MS, -HOUR_MS, undefined]);
  });
});
