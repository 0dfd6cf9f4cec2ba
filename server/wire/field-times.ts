import type { Field } from './fields.ts';
import { daysFromDate, type Moment, parseDate } from './iso-8601.ts';
import { normalizeTime } from './time-formats.ts';

// Reads dates and times in records by the type and format of their field. This file contains no schemas.

export type TimeFieldType = Pick<Field, 'type' | 'timeFormat'>;

/**
 * `isLocal`: the value has no time zone, or only its date counts. Then `ms` results from reading the value
 * as UTC.
 * `hasClock`: the value contains a time of day, in a field of type `dateTime`.
 */
export type StatedTime = { year: number } | { ms: number; isLocal: boolean; hasClock: boolean };

type TimeFormatName = NonNullable<Field['timeFormat']>;

const MS_PER_DAY = 86_400_000;
/** Formats to try if no format other than ISO 8601 was inferred, because the owner can choose the type. */
const TEXT_FORMATS: readonly TimeFormatName[] = ['year-month-day', 'month-name', 'month-day', 'day-month'];
/** A day such as 20240303, as text or number. */
export const COMPACT_DAY = /^(?:19|20)\d{6}$/u;
const WHOLE_NUMBER = /^-?\d{4,16}$/u;
const MAX_TEXT_CHARS = 64;
/**
 * Numbers without a known format are milliseconds from this value on: as seconds, they would be after the year 5138.
 */
export const MIN_UNIX_MILLISECONDS = 1e11;
/** Whole numbers below this limit in a date field whose format is unknown are years. */
export const YEAR_LIMIT = 10_000;
const MAX_DATE_MS = 8.64e15;
/** Time of day in a valid time: after a colon, or in the basic format of ISO 8601 after a T. */
const CLOCK = /[:Tt]\d\d/u;
/** Time zone offset in a valid ISO 8601 time. */
const OFFSET = /[Tt ].*[Zz+-]/u;

const msOf = ({ days, micros }: Moment): number => days * MS_PER_DAY + Math.floor(micros / 1000);

function dayOfText(iso: string): number | undefined {
  const moment = parseDate(iso.slice(0, iso[4] === '-' ? 10 : 8));
  return moment === undefined ? undefined : msOf(moment);
}

function timeOfNumber(value: number, type: Field['type'], format: TimeFormatName | undefined): StatedTime | undefined {
  const isYear = Number.isInteger(value) && Math.abs(value) < YEAR_LIMIT;
  if (format === 'year' || (format === undefined && type === 'date' && isYear))
    return isYear ? { year: value } : undefined;
  const isMilliseconds =
    format === 'milliseconds' || (format !== 'seconds' && Math.abs(value) >= MIN_UNIX_MILLISECONDS);
  const ms = Math.trunc(isMilliseconds ? value : value * 1000);
  return Math.abs(ms) > MAX_DATE_MS ? undefined : { ms, isLocal: false, hasClock: type === 'dateTime' };
}

export function statedTimeOf(value: unknown, { type, timeFormat }: TimeFieldType): StatedTime | undefined {
  // A value such as 20240303 is a day, unless a different format was inferred from the records.
  if ((timeFormat === undefined || timeFormat === 'iso') && COMPACT_DAY.test(String(value))) {
    const ms = dayOfText(String(value));
    if (ms !== undefined) return { ms, isLocal: true, hasClock: false };
  }
  if (typeof value === 'number') return timeOfNumber(value, type, timeFormat);
  if (typeof value !== 'string' || value.length > MAX_TEXT_CHARS) return undefined;
  const text = value.trim();
  if (WHOLE_NUMBER.test(text)) return timeOfNumber(Number(text), type, timeFormat);
  const parsedMoment = parseDate(text);
  const formats = timeFormat === undefined || timeFormat === 'iso' ? TEXT_FORMATS : [timeFormat];
  const iso =
    parsedMoment === undefined
      ? formats.map((name) => normalizeTime(text, name)).find((normalized) => normalized !== undefined)
      : text;
  if (iso === undefined) return undefined;
  if (type === 'dateTime' && CLOCK.test(text)) {
    const moment = parsedMoment ?? parseDate(iso);
    return moment === undefined ? undefined : { ms: msOf(moment), isLocal: !OFFSET.test(iso), hasClock: true };
  }
  // In a date field, a time with an offset counts as the date that its text states.
  const ms = dayOfText(iso);
  return ms === undefined ? undefined : { ms, isLocal: true, hasClock: false };
}

export type TimeKey = { ms: number; isLocal: boolean };

export function timeKeyOf(value: unknown, field: TimeFieldType): TimeKey | undefined {
  const time = statedTimeOf(value, field);
  if (time === undefined) return undefined;
  if (!('year' in time)) return { ms: time.ms, isLocal: time.isLocal };
  const days = daysFromDate(time.year, 1, 1);
  return days === undefined ? undefined : { ms: days * MS_PER_DAY, isLocal: true };
}
