import type { ChartBucket } from '../../../../wire/charts.ts';
import { parseDate, unixMsOf } from '../../../../wire/iso-8601.ts';

/** Time zones in use differ from UTC by whole quarters of an hour, so a quarter is within one local hour. */
export const QUARTER_HOUR_MS = 900_000;
const HOUR = /^(?:[01]\d|2[0-3])$/u;

const pad = (value: number): string => String(value).padStart(2, '0');

/** Returns `YYYY-MM-DD HH:MM` in the local time of this computer; undefined before the year 0 and after 9999. */
const localMinute = (ms: number): string | undefined => {
  const date = new Date(ms);
  const year = date.getFullYear();
  if (!(year >= 0 && year <= 9999)) return undefined;
  const day = `${String(year).padStart(4, '0')}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}`;
};

/**
 * Converts Unix milliseconds, or an ISO 8601 time with a UTC offset, to `YYYY-MM-DD HH:MM` in the local time of this
 * computer; undefined if it is not a time from the year 0 to 9999. SQLite would use the rules of the years 2000 to 2003
 * for times before 1970 and after 2037, and accepts days such as 30 February.
 */
export const localMinuteOf = (time: string | number): string | undefined => {
  const ms = typeof time === 'number' ? time : unixMsOf(time);
  return ms === undefined ? undefined : localMinute(ms);
};

const mondayOf = (day: string): string => {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
};

/** Returns the local day of a key, followed by a separator and the hour if the key has one. */
const localTimeOf = (key: string | number): string => {
  if (typeof key === 'number') return localMinute(key * QUARTER_HOUR_MS) ?? '';
  if (!key.startsWith('Z')) return key;
  const utcTime = key.slice(1);
  const ms = unixMsOf(`${utcTime}Z`);
  return ms === undefined ? utcTime : (localMinute(ms) ?? '');
};

/**
 * Returns the start of the bucket of a group of records; null if the day does not exist, such as 2026-02-31, or is
 * after the year 9999.
 * @param key Unix time in quarters of an hour; `Z` and a time in UTC, such as `Z2026-03-01T14:30`; or a local day or
 *   hour, such as `2026-03-01T14`. A time with an offset keeps its written day and hour.
 */
export const bucketOf = (key: string | number, per: ChartBucket): string | null => {
  const time = localTimeOf(key);
  const day = time.slice(0, 'YYYY-MM-DD'.length);
  if (parseDate(day) === undefined) return null;
  switch (per) {
    case 'hour': {
      const hour = time.slice('YYYY-MM-DD '.length, 'YYYY-MM-DD HH'.length);
      return `${day} ${HOUR.test(hour) ? hour : '00'}`;
    }
    case 'day':
      return day;
    case 'week':
      return mondayOf(day);
    case 'month':
      return day.slice(0, 7);
    case 'year':
      return day.slice(0, 4);
  }
};
