import { DURATION } from '../../../wire/iso-8601.ts';

// All calculations use UTC.

const DAY_MS = 86_400_000;
const MAX_DATE_MS = 8_640_000_000_000_000;

const daysInMonth = (year: number, month: number): number => new Date(Date.UTC(year, month + 1, 0)).getUTCDate();

/** Returns the same day of the month, or the last day of a shorter month. */
const plusMonths = (ms: number, months: number): number => {
  const date = new Date(ms);
  const target = new Date(ms);
  target.setUTCDate(1);
  target.setUTCMonth(target.getUTCMonth() + months);
  if (Number.isNaN(target.getTime())) return MAX_DATE_MS;
  target.setUTCDate(Math.min(date.getUTCDate(), daysInMonth(target.getUTCFullYear(), target.getUTCMonth())));
  return target.getTime();
};

/**
 * Returns the end of a period in Unix milliseconds, at most the latest time that a Date can represent.
 * @param period ISO 8601 duration or milliseconds; already validated
 * @param from Unix milliseconds
 */
export const periodEnd = (period: string | number, from: number): number => {
  if (typeof period === 'number') return Math.min(MAX_DATE_MS, from + period);
  const match = DURATION.exec(period);
  const component = (index: number): number => Number(match?.[index] ?? 0);
  const date = plusMonths(from, 12 * component(1) + component(2));
  const days = (7 * component(3) + component(4)) * DAY_MS;
  const time = ((component(5) * 60 + component(6)) * 60 + component(7)) * 1000;
  return Math.min(MAX_DATE_MS, date + days + time);
};

/** Readings of the wall clock, which can be set, and of the monotonic counter, which may stop during sleep. */
export type Moment = { wall: number; counter: number };

/**
 * Returns the milliseconds until a period ends by the clock or by the counter, whichever is earlier. Only the clock
 * always includes sleep and restarts, and only the counter continues when the clock is set back.
 */
export const remainingPeriodMs = (
  period: string | number,
  start: { wall: number; counter: number | undefined },
  now: Moment,
): number => {
  const length = periodEnd(period, start.wall) - start.wall;
  const byClock = start.wall + length - now.wall;
  const byCounter = start.counter === undefined ? Number.POSITIVE_INFINITY : start.counter + length - now.counter;
  return Math.min(byClock, byCounter);
};
