import { addDays, createLocalDateFormat, startOfLocalDate } from '../../../platform/local-date.ts';
import type { WeeklySummary } from '../../../wire/weekly-summary.ts';

export type Week = {
  /** First and last day (Monday and Sunday), such as `2026-03-02`. */
  from: string;
  to: string;
  /** Start (inclusive) and end (exclusive) in Unix milliseconds. */
  start: number;
  end: number;
};

const DAYS_PER_WEEK = 7;
const HOUR_MS = 3_600_000;
/** Hours between the end of a week and the announcement of its summary. */
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

/** Returns true from 9:00 on the Monday after the week. */
export const isAnnouncementDue = (week: Week, now: number): boolean =>
  now >= week.end + ANNOUNCEMENT_DELAY_HOURS * HOUR_MS;

export const isEmptySummary = ({ readers, news, ending }: WeeklySummary): boolean =>
  readers.length === 0 && news.length === 0 && ending.length === 0;
