import { parseDate, unixMsOf } from '../../../../../server/wire/iso-8601.ts';
import { normalizeTime } from '../../../../../server/wire/time-formats.ts';
import type { Field } from '../../../../shared/api/contract.ts';

/** Time that a value states: a date, with or without a time of day, or only a year. */
type FieldTime = { date: Date; hasClock: boolean } | { year: number };
type TimeFormatName = NonNullable<Field['timeFormat']>;

const MS_PER_DAY = 86_400_000;
/** Formats to try if the owner chose the type and no format was inferred. */
const TEXT_FORMATS: readonly TimeFormatName[] = ['year-month-day', 'month-name', 'month-day', 'day-month'];
const COMPACT_DAY = /^(?:19|20)\d{6}$/u;
const WHOLE_NUMBER = /^-?\d{4,16}$/u;
const MAX_TEXT_CHARS = 64;
/** Larger numbers without a known format are milliseconds: in seconds, the limit is the year 5138. */
const MAX_UNIX_SECONDS = 1e11;
/** Matches a time zone offset at the end of a time. */
const OFFSET = /(?:[Zz]|\d:\d\d(?::\d\d(?:[.,]\d+)?)? ?[+-]\d\d(?::?\d\d)?)$/u;

function dateOf(ms: number): Date | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Returns the local date with the year, month, day and time of day that a text states without a time zone. */
function wallClock(text: string, hasClock: boolean): Date | undefined {
  const moment = parseDate(text);
  if (moment === undefined) return undefined;
  const utc = dateOf(moment.days * MS_PER_DAY + Math.floor(moment.micros / 1000));
  if (utc === undefined) return undefined;
  // A day without a time is at noon: midnight does not exist on every day in every time zone.
  const local = new Date(2000, 0, 1, 12);
  local.setFullYear(utc.getUTCFullYear(), utc.getUTCMonth(), utc.getUTCDate());
  if (hasClock) local.setHours(utc.getUTCHours(), utc.getUTCMinutes(), utc.getUTCSeconds(), utc.getUTCMilliseconds());
  return local;
}

function timeOfNumber(value: number, type: Field['type'], format: TimeFormatName | undefined): FieldTime | undefined {
  const isYear = Number.isInteger(value) && Math.abs(value) < 10_000;
  if (format === 'year' || (format === undefined && type === 'date' && isYear))
    return isYear ? { year: value } : undefined;
  const isMilliseconds = format === 'milliseconds' || (format !== 'seconds' && Math.abs(value) >= MAX_UNIX_SECONDS);
  const date = dateOf(isMilliseconds ? value : value * 1000);
  return date === undefined ? undefined : { date, hasClock: type === 'dateTime' };
}

/** Returns the time that a value of a date or time field states; undefined if it is not a time. */
export function timeOfValue(
  value: unknown,
  { type, timeFormat }: Pick<Field, 'type' | 'timeFormat'>,
): FieldTime | undefined {
  // A number such as 20240303 is a day, unless another format was inferred from the records.
  if (timeFormat === undefined && COMPACT_DAY.test(String(value))) {
    const date = wallClock(String(value), false);
    if (date !== undefined) return { date, hasClock: false };
  }
  if (typeof value === 'number') return timeOfNumber(value, type, timeFormat);
  if (typeof value !== 'string' || value.length > MAX_TEXT_CHARS) return undefined;
  const text = value.trim();
  if (WHOLE_NUMBER.test(text)) return timeOfNumber(Number(text), type, timeFormat);
  const formats = timeFormat === undefined || timeFormat === 'iso' ? TEXT_FORMATS : [timeFormat];
  const iso =
    parseDate(text) === undefined
      ? formats.map((name) => normalizeTime(text, name)).find((normalized) => normalized !== undefined)
      : text;
  if (iso === undefined) return undefined;
  const hasClock = type === 'dateTime' && text.includes(':');
  if (hasClock && OFFSET.test(iso)) {
    const date = dateOf(unixMsOf(iso) ?? Number.NaN);
    return date === undefined ? undefined : { date, hasClock };
  }
  // A time with an offset, in a field of days, is the day that its text states.
  const date = wallClock(hasClock ? iso : iso.slice(0, iso[4] === '-' ? 10 : 8), hasClock);
  return date === undefined ? undefined : { date, hasClock };
}
