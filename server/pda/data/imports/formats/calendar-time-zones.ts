import { instantIn, utcMsOf, ianaZoneOf, type LocalTime } from '../parsing/time-zones.ts';

/*
 * Evaluates time zones that a calendar defines (VTIMEZONE). Supports transitions on a single date, and yearly ones on a
 * weekday of a month with an optional end (UNTIL). Ignores COUNT.
 */

type Transition = {
  /** First time at which the transition takes effect, as milliseconds of local time. */
  startMs: number;
  /** UTC offset after the transition. */
  offsetMs: number;
  /** UTC offset before the transition; undefined if the file does not contain it. */
  offsetBeforeMs: number | undefined;
  /** Weekday of a month on which the transition repeats each year; undefined for a single date. */
  yearly: { month: number; nth: number; weekday: number } | undefined;
  /** End of the yearly rule: the year of UNTIL, and a time after the last transition; undefined without an end. */
  end: { year: number; afterMs: number } | undefined;
  startTime: LocalTime;
};
/** `location`: name of the zone in the IANA database, if the file contains it (`X-LIC-LOCATION`). */
export type CalendarZone = { transitions: Transition[]; location: string | undefined };

const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** Parses a UTC offset such as "+0100" into milliseconds; undefined if the text is not an offset. */
export const offsetMsOf = (text: string): number | undefined => {
  const groups = /^(?<sign>[+-])(?<hours>\d{2}):?(?<minutes>\d{2})/u.exec(text.trim())?.groups;
  if (groups === undefined) return undefined;
  const ms = (Number(groups['hours']) * 60 + Number(groups['minutes'])) * 60_000;
  return groups['sign'] === '-' ? -ms : ms;
};

/** Ignores the time of day of UNTIL, because transitions of a yearly rule are further than a day from each other. */
const endOfRule = (rule: string | undefined): Transition['end'] => {
  const groups = /UNTIL=(?<year>\d{4})-?(?<month>\d{2})-?(?<day>\d{2})/u.exec(rule ?? '')?.groups;
  if (groups === undefined) return undefined;
  const [year = 0, month = 1, day = 1] = ['year', 'month', 'day'].map((name) => Number(groups[name]));
  // The local day of a time in UTC can be the next day.
  return { year, afterMs: utcMsOf({ year, month, day: day + 2, hour: 0, minute: 0, second: 0 }) };
};

/** @param rule recurrence rule (RRULE) of the transition, if it has one */
export const createTransition = (
  start: LocalTime,
  { offsetMs, offsetBeforeMs }: Pick<Transition, 'offsetMs' | 'offsetBeforeMs'>,
  rule: string | undefined,
): Transition => {
  const month = /BYMONTH=(?<month>\d{1,2})/u.exec(rule ?? '');
  const day = /BYDAY=(?<nth>[+-]?\d)(?<weekday>SU|MO|TU|WE|TH|FR|SA)/u.exec(rule ?? '');
  const yearly =
    month === null || day === null
      ? undefined
      : {
          month: Number(month.groups?.['month']),
          nth: Number(day.groups?.['nth']),
          weekday: WEEKDAYS.indexOf(day.groups?.['weekday'] ?? ''),
        };
  return { startMs: utcMsOf(start), offsetMs, offsetBeforeMs, yearly, end: endOfRule(rule), startTime: start };
};

const transitionMsIn = ({ yearly, startMs, startTime }: Transition, year: number): number => {
  if (yearly === undefined) return startMs;
  const { month, nth, weekday } = yearly;
  const firstWeekday = new Date(Date.UTC(year, month - 1, 1)).getUTCDay();
  const lastDate = new Date(Date.UTC(year, month, 0));
  const day =
    nth > 0
      ? 1 + ((weekday - firstWeekday + 7) % 7) + (nth - 1) * 7
      : lastDate.getUTCDate() - ((lastDate.getUTCDay() - weekday + 7) % 7) + (nth + 1) * 7;
  return utcMsOf({ ...startTime, year, month, day });
};

/**
 * Returns the Unix milliseconds of a local time; undefined if the zone is neither known nor defined, or if it is known
 * and the time is out of range. A definition takes precedence over a name such as "EST", which is ambiguous.
 */
export const instantInCalendarZone = (
  name: string,
  local: LocalTime,
  definition: CalendarZone | undefined,
): number | undefined => {
  const zones = [name, definition?.location].flatMap((text) => (text === undefined ? [] : (ianaZoneOf(text) ?? [])));
  const isDefined = definition !== undefined && definition.transitions.length > 0;
  const zone = zones.find((candidate) => candidate.includes('/')) ?? (isDefined ? undefined : zones[0]);
  if (zone !== undefined) return instantIn(zone, local);
  if (!isDefined) return undefined;
  const localMs = utcMsOf(local);
  let latest: { ms: number; offsetMs: number } | undefined;
  for (const transition of definition.transitions) {
    const { startMs, end } = transition;
    const lastYear = Math.min(local.year, end?.year ?? local.year);
    for (const year of [lastYear - 1, lastYear]) {
      const ms = transitionMsIn(transition, year);
      const isInRange = ms >= startMs && ms < (end?.afterMs ?? Number.POSITIVE_INFINITY);
      if (isInRange && ms <= localMs && (latest === undefined || ms > latest.ms))
        latest = { ms, offsetMs: transition.offsetMs };
    }
  }
  if (latest !== undefined) return localMs - latest.offsetMs;
  // RFC 5545: before the first transition, its TZOFFSETFROM applies. The file may list transitions in any order.
  const [first] = definition.transitions.toSorted((a, b) => a.startMs - b.startMs);
  return localMs - (first?.offsetBeforeMs ?? first?.offsetMs ?? 0);
};
