import { instantIn, utcMsOf, ianaZoneOf, type LocalTime } from '../parsing/time-zones.ts';

/**
 * Evaluates time zones that a calendar file defines (VTIMEZONE), for names that the system does not know. Supports the common rules:
 * the last or n-th weekday of a month each year, and single dates.
 */

type Transition = {
  from: number;
  offsetMs: number;
  yearly: { month: number; nth: number; weekday: number } | undefined;
  at: LocalTime;
};
export type CalendarZone = { changes: Transition[]; location: string | undefined };

const DAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

export const offsetMsOf = (text: string): number | undefined => {
  const groups = /^(?<sign>[+-])(?<hours>\d{2}):?(?<minutes>\d{2})/u.exec(text.trim())?.groups;
  if (groups === undefined) return undefined;
  const ms = (Number(groups['hours']) * 60 + Number(groups['minutes'])) * 60_000;
  return groups['sign'] === '-' ? -ms : ms;
};

export const createTransition = (start: LocalTime, offsetMs: number, rule: string | undefined): Transition => {
  const month = /BYMONTH=(?<month>\d{1,2})/u.exec(rule ?? '');
  const day = /BYDAY=(?<nth>[+-]?\d)(?<weekday>SU|MO|TU|WE|TH|FR|SA)/u.exec(rule ?? '');
  const yearly =
    month === null || day === null
      ? undefined
      : {
          month: Number(month.groups?.['month']),
          nth: Number(day.groups?.['nth']),
          weekday: DAYS.indexOf(day.groups?.['weekday'] ?? ''),
        };
  return { from: utcMsOf(start), offsetMs, yearly, at: start };
};

/** Returns the local milliseconds at which a change takes effect in a year. */
const transitionIn = (change: Transition, year: number): number => {
  const { yearly, at } = change;
  if (yearly === undefined) return change.from;
  const { month, nth, weekday } = yearly;
  const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  const last = new Date(Date.UTC(year, month, 0));
  const day =
    nth > 0
      ? 1 + ((weekday - first + 7) % 7) + (nth - 1) * 7
      : last.getUTCDate() - ((last.getUTCDay() - weekday + 7) % 7) + (nth + 1) * 7;
  return utcMsOf({ ...at, year, month, day });
};

/** Returns the instant of a local time. Uses the IANA zone that the name denotes, or else the definition in the file. */
export const instantFor = (
  name: string,
  local: LocalTime,
  definition: CalendarZone | undefined,
): number | undefined => {
  const zone = ianaZoneOf(name) ?? (definition?.location === undefined ? undefined : ianaZoneOf(definition.location));
  if (zone !== undefined) return instantIn(zone, local);
  if (definition === undefined || definition.changes.length === 0) return undefined;
  const wall = utcMsOf(local);
  let best: { at: number; offsetMs: number } | undefined;
  for (const change of definition.changes) {
    for (const year of [local.year - 1, local.year]) {
      const at = transitionIn(change, year);
      if (at <= wall && at >= change.from && (best === undefined || at > best.at))
        best = { at, offsetMs: change.offsetMs };
    }
  }
  // Before the first known change, its previous offset is the best guess.
  return wall - (best?.offsetMs ?? definition.changes[0]?.offsetMs ?? 0);
};
