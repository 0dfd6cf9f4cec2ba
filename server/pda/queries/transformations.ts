import type { DatePart } from '../../wire/query.ts';

/** A moment in UTC: whole days since 1970-01-01, and microseconds since midnight (0 to 86,399,999,999). */
export interface Moment {
  readonly days: number;
  readonly micros: number;
}

const MICROS_PER_SECOND = 1_000_000;
const SECONDS_PER_DAY = 86_400;
const MICROS_PER_DAY = SECONDS_PER_DAY * MICROS_PER_SECOND;
/** The range of JavaScript dates, about 270,000 years either way: beyond it a number is hardly a time. */
const MAX_DAYS = 100_000_000;
const MAX_SECONDS = MAX_DAYS * SECONDS_PER_DAY;
/** Characters. No date is longer; it keeps garbage from costing anything. */
const MAX_DATE_CHARS = 64;

const DATE_AND_TIME =
  /^([+-]\d{6}|\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)? ?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/u;
const BASIC_FORMAT = /^(\d{4})(\d\d)(\d\d)(?:[Tt](\d\d)(\d\d)(?:(\d\d)(?:[.,](\d+))?)?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/u;
const DECIMAL = /^[+-]?\d+(?:\.\d+)?$/u;

/**
 * Reads an ISO 8601 date, with or without time; a time without an offset is in UTC. Digits below the microsecond are dropped.
 * @returns undefined for what is no such date, 30 February included
 */
export function parseDate(text: string): Moment | undefined {
  if (text.length > MAX_DATE_CHARS) return undefined;
  const trimmed = text.trim();
  const match = DATE_AND_TIME.exec(trimmed) ?? BASIC_FORMAT.exec(trimmed);
  if (match === null) return undefined;
  const [, year, month, day, hours = '0', minutes = '0', seconds = '0', fraction = '', offset = 'Z'] = match;
  const days = daysFromDate(Number(year), Number(month), Number(day));
  const fractionMicros = Number(fraction.slice(0, 6).padEnd(6, '0'));
  const micros = microsOfDay(Number(hours), Number(minutes), Number(seconds), fractionMicros);
  const shift = offsetMinutes(offset);
  if (days === undefined || micros === undefined || shift === undefined) return undefined;
  return moment(days, micros - shift * 60 * MICROS_PER_SECOND);
}

/**
 * Reads a time in Unix seconds, fraction allowed; a number written as text counts too, since many sources store ids and times so.
 * @returns undefined for other text and for times out of range
 */
export function parseTimestamp(value: number | string): Moment | undefined {
  const seconds = typeof value === 'number' ? value : decimal(value);
  if (!(Math.abs(seconds) <= MAX_SECONDS)) return undefined;
  const whole = Math.floor(seconds);
  const days = Math.floor(whole / SECONDS_PER_DAY);
  const rest = whole - days * SECONDS_PER_DAY;
  return moment(days, rest * MICROS_PER_SECOND + Math.round((seconds - whole) * MICROS_PER_SECOND));
}

function decimal(text: string): number {
  return text.length <= MAX_DATE_CHARS && DECIMAL.test(text.trim()) ? Number(text) : Number.NaN;
}

function moment(days: number, micros: number): Moment | undefined {
  const carried = Math.floor(micros / MICROS_PER_DAY);
  const result = { days: days + carried, micros: micros - carried * MICROS_PER_DAY };
  return Math.abs(result.days) <= MAX_DAYS ? result : undefined;
}

function microsOfDay(hours: number, minutes: number, seconds: number, fraction: number): number | undefined {
  const micros = ((hours * 60 + minutes) * 60 + seconds) * MICROS_PER_SECOND + fraction;
  if (hours === 24) return micros === MICROS_PER_DAY ? micros : undefined;
  // A leap second is the first second of the next minute.
  return hours < 24 && minutes < 60 && seconds <= 60 ? micros : undefined;
}

function offsetMinutes(offset: string): number | undefined {
  if (offset === 'Z' || offset === 'z') return 0;
  const digits = offset.slice(1).replace(':', '');
  const hours = Number(digits.slice(0, 2));
  const minutes = Number(digits.slice(2));
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** Days since 1970-01-01 in the Gregorian calendar, also before it was one. Years begin in March here: leap days come last. */
function daysFromDate(year: number, month: number, day: number): number | undefined {
  const inMonth = month === 2 && isLeapYear(year) ? 29 : DAYS_IN_MONTH[month - 1];
  if (inMonth === undefined || day < 1 || day > inMonth) return undefined;
  const marchYear = month > 2 ? year : year - 1;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return (
    era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
  );
}

function dateFromDays(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

/** Days from Sunday. */
function dayOfWeek(days: number): number {
  return (((days + 4) % 7) + 7) % 7;
}

function dayOfYear(days: number): number {
  return days - (daysFromDate(dateFromDays(days).year, 1, 1) ?? days) + 1;
}

/** The ISO week belongs to the year in which its Thursday lies. */
function thursdayOf(days: number): number {
  return days - ((dayOfWeek(days) + 6) % 7) + 3;
}

/** Counted from 1 upwards and from -1 downwards, as centuries are: there is no century 0, and no year 0 either. */
function counted(year: number, length: number): number {
  return year > 0 ? Math.ceil(year / length) : -Math.ceil((1 - year) / length);
}

/** One part of a moment, in UTC. Whole numbers but for `second`, `milliseconds` and `epoch`, which carry the fraction. */
export function datePart(moment: Moment, part: DatePart): number {
  const { days, micros } = moment;
  const microsOfMinute = micros % (60 * MICROS_PER_SECOND);
  switch (part) {
    case 'epoch':
      return epoch(moment);
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
      return counted(dateFromDays(thursdayOf(days)).year, 1);
    case 'day':
      return dateFromDays(days).day;
    case 'month':
      return dateFromDays(days).month;
    case 'quarter':
      return Math.ceil(dateFromDays(days).month / 3);
    case 'year':
      return counted(dateFromDays(days).year, 1);
    case 'decade':
      return Math.floor(dateFromDays(days).year / 10);
    case 'century':
      return counted(dateFromDays(days).year, 100);
    case 'millennium':
      return counted(dateFromDays(days).year, 1000);
  }
}

/** Dividing once rounds once, so the result is the double nearest to the decimal number that a client would write. */
function epoch({ days, micros }: Moment): number {
  const total = days * MICROS_PER_DAY + micros;
  return Number.isSafeInteger(total) ? total / MICROS_PER_SECOND : days * SECONDS_PER_DAY + micros / MICROS_PER_SECOND;
}
