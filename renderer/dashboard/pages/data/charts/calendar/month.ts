import { shiftStart, startOfBucket } from '../buckets.ts';

// Months of a calendar: `2026-03`, and its days: `2026-03-01`. Weeks begin on Monday.

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/u;
const DAYS_PER_WEEK = 7;

/** Returns the month that a text names; undefined if it names none. */
export const monthOf = (text: string | null): string | undefined =>
  text !== null && MONTH.test(text) ? text : undefined;

/** Returns the month `steps` later. */
export const shiftMonth = (month: string, steps: number): string => shiftStart(month, 'month', steps);

/** Returns the weeks that contain the days of a month, each from Monday to Sunday. There are four to six. */
export const weeksOf = (month: string): string[][] => {
  const weeks: string[][] = [];
  for (
    let monday = startOfBucket(`${month}-01`, 'week');
    monday.slice(0, 7) <= month;
    monday = shiftStart(monday, 'day', DAYS_PER_WEEK)
  )
    weeks.push(Array.from({ length: DAYS_PER_WEEK }, (_, day) => shiftStart(monday, 'day', day)));
  return weeks;
};

/** Returns the month to show first: this month if the records include it, else the nearest month with records. */
export const firstMonth = (today: string, first: string, last: string): string => {
  const month = today.slice(0, 7);
  if (month > last.slice(0, 7)) return last.slice(0, 7);
  return month < first.slice(0, 7) ? first.slice(0, 7) : month;
};
