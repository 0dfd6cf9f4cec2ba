import { instantIn, utcOf, zoneNamed, type LocalTime } from '../parsing/time-zones.ts';

/**
 * Time zones that a calendar file defines (VTIMEZONE), for names that the system does not know. Supports the common rules:
 * the last or n-th weekday of a month each year, and single dates.
 */

type Change = {
  from: number;
  offsetMs: number;
  yearly: { month: number; nth: number; weekday: number } | undefined;
  at: LocalTime;
};
export type CalendarZone = { changes: Change[]; location: string | undefined };

const DAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

export const offsetMsOf = (text: string): number | undefined => {
  const found = /^(?<sign>[+-])(?<hours>\d{2}):?(?<minutes>\d{2})/u.exec(text.trim())?.groups;
  if (found === undefined) return undefined;
  const ms = (Number(found['hours']) * 60 + Number(found['minutes'])) * 60_000;
  return found['sign'] === '-' ? -ms : ms;
};

export const changeOf = (start: LocalTime, offsetMs: number, rule: string | undefined): Change => {
  const found = /BYMONTH=(?<month>\d{1,2})/u.exec(rule ?? '');
  const day = /BYDAY=(?<nth>[+-]?\d)(?<weekday>SU|MO|TU|WE|TH|FR|SA)/u.exec(rule ?? '');
  const yearly =
    found === null || day === null
      ? undefined
      : {
          month: Number(found.groups?.['month']),
          nth: Number(day.groups?.['nth']),
          weekday: DAYS.indexOf(day.groups?.['weekday'] ?? ''),
        };
  return { from: utcOf(start), offsetMs, yearly, at: start };
};

/** Local milliseconds at which a change happens in a year. */
const inYear = (change: Change, year: number): number => {
  const { yearly, at } = change;
  if (yearly === undefined) return change.from;
  const { month, nth, weekday } = yearly;
  const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  const last = new Date(Date.UTC(year, month, 0));
  const day =
    nth > 0
      ? 1 + ((weekday - first + 7) % 7) + (nth - 1) * 7
      : last.getUTCDate() - ((last.getUTCDay() - weekday + 7) % 7) + (nth + 1) * 7;
  return utcOf({ ...at, year, month, day });
};

/** The instant of a local time: by the world's zones where the name means one, else by what the file says of it. */
export const instantFor = (name: string, local: LocalTime, described: CalendarZone | undefined): number | undefined => {
  const zone = zoneNamed(name) ?? (described?.location === undefined ? undefined : zoneNamed(described.location));
  if (zone !== undefined) return instantIn(zone, local);
  if (described === undefined || described.changes.length === 0) return undefined;
  const wall = utcOf(local);
  let best: { at: number; offsetMs: number } | undefined;
  for (const change of described.changes) {
    for (const year of [local.year - 1, local.year]) {
      const at = inYear(change, year);
      if (at <= wall && at >= change.from && (best === undefined || at > best.at))
        best = { at, offsetMs: change.offsetMs };
    }
  }
  // Before the first known change, its previous offset is the best guess.
  return wall - (best?.offsetMs ?? described.changes[0]?.offsetMs ?? 0);
};
