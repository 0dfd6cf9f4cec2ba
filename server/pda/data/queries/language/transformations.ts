import {
  daysFromDate,
  MAX_TIME_TEXT_CHARS,
  MAX_DAYS,
  MICROS_PER_DAY,
  MICROS_PER_SECOND,
  normalizeMoment,
  SECONDS_PER_DAY,
  type Moment,
} from '../../../../wire/iso-8601.ts';
import type { DatePart } from '../../../../wire/query.ts';

const MAX_SECONDS = MAX_DAYS * SECONDS_PER_DAY;
const DECIMAL = /^[+-]?\d+(?:\.\d+)?$/u;

/**
 * Parses Unix seconds. Accepts numeric strings, because many sources store times that way. Returns undefined for other
 * strings, and for times out of range.
 */
export function parseTimestamp(value: number | string): Moment | undefined {
  const seconds = typeof value === 'number' ? value : parseDecimal(value);
  if (!(Math.abs(seconds) <= MAX_SECONDS)) return undefined;
  const wholeSeconds = Math.floor(seconds);
  const days = Math.floor(wholeSeconds / SECONDS_PER_DAY);
  const secondsOfDay = wholeSeconds - days * SECONDS_PER_DAY;
  return normalizeMoment(
    days,
    secondsOfDay * MICROS_PER_SECOND + Math.round((seconds - wholeSeconds) * MICROS_PER_SECOND),
  );
}

function parseDecimal(text: string): number {
  return text.length <= MAX_TIME_TEXT_CHARS && DECIMAL.test(text.trim()) ? Number(text) : Number.NaN;
}

/**
 * Converts days since 1970-01-01 to a date of the proleptic Gregorian calendar, with Howard Hinnant's algorithm
 * `civil_from_days`. Its years begin in March.
 */
function dateFromDays(days: number): { year: number; month: number; day: number } {
  const shiftedDays = days + 719_468;
  const era = Math.floor(shiftedDays / 146_097);
  const dayOfEra = shiftedDays - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfMarchYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfMarchYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const day = dayOfMarchYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

/** Returns the days since Sunday. */
function dayOfWeek(days: number): number {
  return (((days + 4) % 7) + 7) % 7;
}

function dayOfYear(days: number): number {
  return days - (daysFromDate(dateFromDays(days).year, 1, 1) ?? days) + 1;
}

/** Returns the Thursday of a day's ISO week, which determines the year of the week. */
function thursdayOf(days: number): number {
  return days - ((dayOfWeek(days) + 6) % 7) + 3;
}

/**
 * Returns the number of a period of years, such as a century. Periods count from 1 upwards and from -1 downwards,
 * without 0.
 */
function periodOf(year: number, length: number): number {
  return year > 0 ? Math.ceil(year / length) : -Math.ceil((1 - year) / length);
}

/** Returns one part of a moment in UTC. Only `second`, `milliseconds` and `epoch` may have a fraction. */
export function datePart(moment: Moment, part: DatePart): number {
  const { days, micros } = moment;
  const microsOfMinute = micros % (60 * MICROS_PER_SECOND);
  switch (part) {
    case 'epoch':
      return epochOf(moment);
    case 'hour':
      return Math.floor(micros / (3600 * MICROS_PER_SECOND));
    case 'minute':
      return Math.floor(micros / (60 * MICROS_PER_SECOND)) % 60;
    case 'second':
      return microsOfMinute / MICROS_PER_SECOND;
    case 'milliseconds':
      return microsOfMinute / 1000;
    case 'microseconds':
      return microsOfMinute;
    case 'timezone':
    case 'timezone_hour':
    case 'timezone_minute':
      return 0;
    case 'dow':
      return dayOfWeek(days);
    case 'isodow':
      return ((dayOfWeek(days) + 6) % 7) + 1;
    case 'doy':
      return dayOfYear(days);
    case 'week':
      return Math.floor((dayOfYear(thursdayOf(days)) - 1) / 7) + 1;
    case 'isoyear':
      return periodOf(dateFromDays(thursdayOf(days)).year, 1);
    case 'day':
      return dateFromDays(days).day;
    case 'month':
      return dateFromDays(days).month;
    case 'quarter':
      return Math.ceil(dateFromDays(days).month / 3);
    case 'year':
      return periodOf(dateFromDays(days).year, 1);
    case 'decade':
      return Math.floor(dateFromDays(days).year / 10);
    case 'century':
      return periodOf(dateFromDays(days).year, 100);
    case 'millennium':
      return periodOf(dateFromDays(days).year, 1000);
  }
}

/**
 * Returns Unix seconds. If the microseconds are a safe integer, a single division rounds only once, to the nearest
 * double.
 */
function epochOf({ days, micros }: Moment): number {
  const totalMicros = days * MICROS_PER_DAY + micros;
  return Number.isSafeInteger(totalMicros)
    ? totalMicros / MICROS_PER_SECOND
    : days * SECONDS_PER_DAY + micros / MICROS_PER_SECOND;
}
