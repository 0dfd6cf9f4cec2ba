import { DURATION } from '../../../wire/iso-8601.ts';

/** Pure decisions about periods: how long one is, and when the next one is over. All in UTC. */

const DAY_MS = 86_400_000;
/** The last moment that a date can name. */
const LAST_MS = 8_640_000_000_000_000;

const daysInMonth = (year: number, month: number): number => new Date(Date.UTC(year, month + 1, 0)).getUTCDate();

/** The same day of the month `months` later, or the last day of a shorter month. */
const plusMonths = (ms: number, months: number): number => {
  const date = new Date(ms);
  const first = new Date(ms);
  first.setUTCDate(1);
  first.setUTCMonth(first.getUTCMonth() + months);
  if (Number.isNaN(first.getTime())) return LAST_MS;
  first.setUTCDate(Math.min(date.getUTCDate(), daysInMonth(first.getUTCFullYear(), first.getUTCMonth())));
  return first.getTime();
};

/** When a period that began at `from` (Unix milliseconds) is over. @param period ISO 8601 text, or milliseconds; checked before */
export const periodEnd = (period: string | number, from: number): number => {
  if (typeof period === 'number') return Math.min(LAST_MS, from + period);
  const found = DURATION.exec(period);
  const part = (index: number): number => Number(found?.[index] ?? 0);
  const date = plusMonths(from, 12 * part(1) + part(2));
  const days = (7 * part(3) + part(4)) * DAY_MS;
  const time = ((part(5) * 60 + part(6)) * 60 + part(7)) * 1000;
  return Math.min(LAST_MS, date + days + time);
};

/** The wall clock, which can be set, and the monotonic counter, which stops while the machine sleeps. */
export type Moment = { wall: number; counter: number };

/**
 * Milliseconds until a period that began at `begun` is over; 0 or less when it is. It is over when either of the two says so: the clock
 * alone knows of a night's sleep and of a restart, the counter alone goes on when the clock is set back.
 *
 * @param begun.counter undefined: before this start of the server
 */
export const untilPeriodEnd = (
  period: string | number,
  begun: { wall: number; counter: number | undefined },
  now: Moment,
): number => {
  const length = periodEnd(period, begun.wall) - begun.wall;
  const byClock = begun.wall + length - now.wall;
  const byCounter = begun.counter === undefined ? Number.POSITIVE_INFINITY : begun.counter + length - now.counter;
  return Math.min(byClock, byCounter);
};
