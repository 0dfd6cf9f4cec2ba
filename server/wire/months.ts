// Months of a calendar, such as `2026-03`, and their days, such as `2026-03-01`. Weeks begin on Monday.

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/u;
const DAYS_PER_WEEK = 7;
const DAY_MS = 86_400_000;

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');

const dayOf = (time: number): string => {
  const date = new Date(time);
  return `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`;
};

const startOf = (month: string): number => Date.parse(`${month}-01T00:00:00Z`);

const shiftedStart = (month: string, steps: number): number => {
  const date = new Date(startOf(month));
  return date.setUTCMonth(date.getUTCMonth() + steps);
};

export const parseMonth = (text: string | null | undefined): string | undefined =>
  text !== null && text !== undefined && MONTH.test(text) ? text : undefined;

export const shiftMonth = (month: string, steps: number): string => dayOf(shiftedStart(month, steps)).slice(0, -3);

export const lastDayOf = (month: string): string => dayOf(shiftedStart(month, 1) - DAY_MS);

/**
 * Returns the time of day in a start such as `2026-03-01 08:30`; empty for a start without a time or on another day.
 */
export const timeOfDay = (start: string, day: string): string =>
  start.startsWith(`${day} `) ? start.slice(day.length + 1) : '';

/** Returns the weekday: 0 for Monday, 6 for Sunday. */
export const weekdayOf = (day: string): number => (new Date(day).getUTCDay() + DAYS_PER_WEEK - 1) % DAYS_PER_WEEK;

export const weeksOf = (month: string): string[][] => {
  const first = startOf(month);
  const monday = first - weekdayOf(`${month}-01`) * DAY_MS;
  const weeks = Math.ceil((shiftedStart(month, 1) - monday) / (DAYS_PER_WEEK * DAY_MS));
  return Array.from({ length: weeks }, (_, week) =>
    Array.from({ length: DAYS_PER_WEEK }, (__, day) => dayOf(monday + (week * DAYS_PER_WEEK + day) * DAY_MS)),
  );
};

/**
 * Returns the month of `dayOrMonth`. If all records are later, returns the month of the first one; if all are earlier,
 * that of the last one.
 * @param dayOrMonth a day or a month
 * @param first first day with a record
 * @param last last day with a record
 */
export const nearestMonth = (dayOrMonth: string, first: string, last: string): string => {
  const month = dayOrMonth.slice(0, 7);
  if (month > last.slice(0, 7)) return last.slice(0, 7);
  return month < first.slice(0, 7) ? first.slice(0, 7) : month;
};
