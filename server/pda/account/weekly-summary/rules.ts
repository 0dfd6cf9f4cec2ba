import { addDays, createLocalDateFormat, startOfLocalDate } from '../../../platform/local-date.ts';
import type { WeeklySummary } from '../../../wire/weekly-summary.ts';

/** A calendar week from Monday to Sunday. */
export type Week = {
  /** First and last day, such as `2026-03-02`. */
  from: string;
  to: string;
  /** Start (inclusive) and end (exclusive) in Unix milliseconds. */
  start: number;
  end: number;
};

const DAYS_PER_WEEK = 7;
const HOUR_MS = 3_600_000;
/** Hours after the end of the week after which its summary is announced. */
const ANNOUNCEMENT_DELAY_HOURS = 9;

/** Returns the last complete week. @param now Unix milliseconds */
export const lastWeek = (now: number, timeZone: string): Week => {
  const today = createLocalDateFormat(timeZone)(now);
  const daysSinceMonday = (new Date(today).getUTCDay() + DAYS_PER_WEEK - 1) % DAYS_PER_WEEK;
  const monday = addDays(today, -daysSinceMonday);
  const from = addDays(monday, -DAYS_PER_WEEK);
  return {
    from,
    to: addDays(monday, -1),
    start: startOfLocalDate(from, timeZone),
    end: startOfLocalDate(monday, timeZone),
  };
};

/** Returns true from Monday morning on, when the summary of the week is announced. */
export const isAnnounced = (week: Week, now: number): boolean => now >= week.end + ANNOUNCEMENT_DELAY_HOURS * HOUR_MS;

/** Returns true if the summary is empty: no requests of others, no news, and nothing that ends soon. */
export const isQuiet = ({ readers, news, ending }: WeeklySummary): boolean =>
  readers.length === 0 && news.length === 0 && ending.length === 0;
