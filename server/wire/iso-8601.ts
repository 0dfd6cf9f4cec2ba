// Parses ISO 8601 durations, and calendar dates and times in the extended and the basic format, because clients use
// both.

/** A time in UTC: whole days since 1970-01-01, and microseconds since midnight (0 to 86,399,999,999). */
export interface Moment {
  readonly days: number;
  readonly micros: number;
}

export const MICROS_PER_SECOND = 1_000_000;
export const SECONDS_PER_DAY = 86_400;
export const MICROS_PER_DAY = SECONDS_PER_DAY * MICROS_PER_SECOND;
const MS_PER_DAY = SECONDS_PER_DAY * 1000;
/** Range of JavaScript dates in days in either direction, about 270,000 years. Larger numbers are not times. */
export const MAX_DAYS = 100_000_000;
export const MAX_TIME_TEXT_CHARS = 64;

const DATE_AND_TIME =
  /^([+-]\d{6}|\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)? ?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/u;
const BASIC_FORMAT = /^(\d{4})(\d\d)(\d\d)(?:[Tt](\d\d)(\d\d)(?:(\d\d)(?:[.,](\d+))?)?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/u;

/**
 * Parses a date with an optional time. A time without an offset is in UTC. Digits below the microsecond are dropped.
 * @returns undefined for other texts, invalid dates such as 30 February, and dates beyond `MAX_DAYS`
 */
export function parseDate(text: string): Moment | undefined {
  if (text.length > MAX_TIME_TEXT_CHARS) return undefined;
  const trimmed = text.trim();
  const match = DATE_AND_TIME.exec(trimmed) ?? BASIC_FORMAT.exec(trimmed);
  if (match === null) return undefined;
  const [, year, month, day, hours = '0', minutes = '0', seconds = '0', fraction = '', offset = 'Z'] = match;
  const days = daysFromDate(Number(year), Number(month), Number(day));
  const fractionMicros = Number(fraction.slice(0, 6).padEnd(6, '0'));
  const micros = microsOfDay(Number(hours), Number(minutes), Number(seconds), fractionMicros);
  const shiftMinutes = offsetMinutes(offset);
  if (days === undefined || micros === undefined || shiftMinutes === undefined) return undefined;
  return normalizeMoment(days, micros - shiftMinutes * 60 * MICROS_PER_SECOND);
}

/**
 * Converts an ISO 8601 date to Unix milliseconds. Digits below the millisecond are dropped.
 * @returns undefined for invalid dates and dates beyond the range of `Date`
 */
export function unixMsOf(text: string): number | undefined {
  const moment = parseDate(text);
  if (moment === undefined) return undefined;
  const ms = moment.days * MS_PER_DAY + Math.floor(moment.micros / 1000);
  return ms <= MAX_DAYS * MS_PER_DAY ? ms : undefined;
}

/** Carries microseconds, which may be negative or exceed a day, into days. @returns undefined out of range */
export function normalizeMoment(days: number, micros: number): Moment | undefined {
  const carriedDays = Math.floor(micros / MICROS_PER_DAY);
  const moment = { days: days + carriedDays, micros: micros - carriedDays * MICROS_PER_DAY };
  return Math.abs(moment.days) <= MAX_DAYS ? moment : undefined;
}

function microsOfDay(hours: number, minutes: number, seconds: number, fraction: number): number | undefined {
  const micros = ((hours * 60 + minutes) * 60 + seconds) * MICROS_PER_SECOND + fraction;
  if (hours === 24) return micros === MICROS_PER_DAY ? micros : undefined;
  // A leap second counts as the first second of the next minute.
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

/**
 * Returns the days since 1970-01-01 in the proleptic Gregorian calendar (Howard Hinnant's `days_from_civil`).
 * @returns undefined for invalid dates
 */
export function daysFromDate(year: number, month: number, day: number): number | undefined {
  const daysInMonth = month === 2 && isLeapYear(year) ? 29 : DAYS_IN_MONTH[month - 1];
  if (daysInMonth === undefined || day < 1 || day > daysInMonth) return undefined;
  const marchYear = month > 2 ? year : year - 1;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return (
    era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
  );
}

/** Duration without fractions. Its groups are years, months, weeks, days, hours, minutes and seconds. */
export const DURATION =
  /^P(?=\d|T\d)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/u;
/** Only the last unit may have a fraction (ISO 8601). */
const FRACTION = /[.,](\d+)(?=[A-Z]$)/u;
/** Years and months have no fixed length. */
const SECONDS_PER_UNIT = [0, 0, 604_800, 86_400, 3600, 60, 1];

/** `invalid`: not a duration; `months`: it has months or years; `fraction`: a fraction of a second remains. */
export type DurationProblem = 'invalid' | 'months' | 'fraction';

/** `whole` seconds and `fraction / scale` of a second; `fraction` can be larger than `scale`. */
interface ExactSeconds {
  whole: number;
  fraction: bigint;
  scale: bigint;
}

function exactSecondsOf(text: string): ExactSeconds | 'invalid' | 'months' {
  if (text.length > MAX_TIME_TEXT_CHARS) return 'invalid';
  const [fractionText = '', fraction = ''] = FRACTION.exec(text) ?? [];
  const match = DURATION.exec(text.replace(fractionText, ''));
  if (match === null) return 'invalid';
  const amounts: (string | undefined)[] = match.slice(1);
  const lastUnit = amounts.findLastIndex((amount) => amount !== undefined);
  const hasMonths = Number(amounts[0] ?? 0) + Number(amounts[1] ?? 0) > 0;
  if (hasMonths || (lastUnit < 2 && Number(fraction) > 0)) return 'months';
  return {
    whole: SECONDS_PER_UNIT.reduce((sum, seconds, index) => sum + seconds * Number(amounts[index] ?? 0), 0),
    // Integer arithmetic: 1.1 minutes are 66 seconds, but 66.00000000000001 in floating point.
    fraction: BigInt(fraction) * BigInt(SECONDS_PER_UNIT[lastUnit] ?? 0),
    scale: 10n ** BigInt(fraction.length),
  };
}

export function secondsOf(text: string): number | DurationProblem {
  const exactSeconds = exactSecondsOf(text);
  if (typeof exactSeconds === 'string') return exactSeconds;
  const { whole, fraction, scale } = exactSeconds;
  return fraction % scale === 0n ? whole + Number(fraction / scale) : 'fraction';
}

/** Returns the seconds of a duration with an optional sign; undefined if it is invalid or has months or years. */
export function signedSecondsOf(text: string): number | undefined {
  const exactSeconds = exactSecondsOf(text.replace(/^[+-]/u, ''));
  if (typeof exactSeconds === 'string') return undefined;
  const { whole, fraction, scale } = exactSeconds;
  const seconds = whole + Number(fraction) / Number(scale);
  return text.startsWith('-') ? -seconds : seconds;
}
