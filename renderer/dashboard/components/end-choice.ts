import { localDate } from '../../shared/format/local-date.ts';
import { CUSTOM_DAY, endOfCalendarDay, lastFullDay } from '../consent/duration.ts';

// End of links, invitations and shared views: a fixed choice, such as a number of days, or a chosen day.

const DAY_MS = 86_400_000;
const SUGGESTED_DAYS = 7;

export interface End<Choice extends string> {
  /** One of the fixed choices, or `CUSTOM_DAY` for the end of `day`. */
  choice: Choice | typeof CUSTOM_DAY;
  /** Local calendar day (`2026-03-01`). For a fixed choice, the day to suggest. */
  day: string;
}

const inDays = (days: number, now: Date): number => now.getTime() + days * DAY_MS;

export const fixedEnd = <Choice extends string>(choice: Choice, now = new Date()): End<Choice> => ({
  choice,
  day: localDate(new Date(inDays(SUGGESTED_DAYS, now))),
});

/**
 * Returns the last millisecond of a local calendar day, so that the end is displayed as that day; undefined if the day
 * is invalid, has passed or ends more than `maxDays` from now.
 */
export function endOfDay(day: string, now: Date, maxDays = Number.POSITIVE_INFINITY): number | undefined {
  const time = endOfCalendarDay(day).getTime() - 1;
  return time > now.getTime() && time <= inDays(maxDays, now) ? time : undefined;
}

export function latestEndDay(now: Date, maxDays = Number.POSITIVE_INFINITY): string | undefined {
  return lastFullDay(inDays(maxDays, now));
}

/** Returns Unix milliseconds; undefined for a day that `endOfDay` refuses. A fixed choice must be a number of days. */
export const endTime = ({ choice, day }: End<string>, now: Date, maxDays?: number): number | undefined =>
  choice === CUSTOM_DAY ? endOfDay(day, now, maxDays) : inDays(Number(choice), now);
