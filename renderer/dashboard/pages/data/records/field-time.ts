import { type StatedTime, type TimeFieldType, statedTimeOf } from '../../../../../server/wire/field-times.ts';

/** Date in the reader's time zone, with or without a time of day, or only a year. */
type FieldTime = { date: Date; hasClock: boolean } | { year: number };

function localDate(ms: number, hasClock: boolean): Date {
  const utc = new Date(ms);
  // A day without a time is at noon: midnight does not exist on every day in every time zone.
  const local = new Date(2000, 0, 1, 12);
  local.setFullYear(utc.getUTCFullYear(), utc.getUTCMonth(), utc.getUTCDate());
  if (hasClock) local.setHours(utc.getUTCHours(), utc.getUTCMinutes(), utc.getUTCSeconds(), utc.getUTCMilliseconds());
  return local;
}

/** Returns undefined if the value is not a time. */
export function timeOfValue(value: unknown, field: TimeFieldType): FieldTime | undefined {
  const time: StatedTime | undefined = statedTimeOf(value, field);
  if (time === undefined || 'year' in time) return time;
  const { ms, isLocal, hasClock } = time;
  const date = isLocal ? localDate(ms, hasClock) : new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : { date, hasClock };
}
