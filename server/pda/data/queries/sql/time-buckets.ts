import type { ChartBucket } from '../../../../wire/charts.ts';

const TEN_MINUTES_MS = 600_000;

const pad = (value: number): string => String(value).padStart(2, '0');

/** Returns `YYYY-MM-DD HH` in the local time of this computer. */
const localHour = (ms: number): string => {
  const date = new Date(ms);
  const year = String(date.getFullYear()).padStart(4, '0');
  return `${year}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${pad(date.getHours())}`;
};

const mondayOf = (day: string): string => {
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return day;
  date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  return date.toISOString().slice(0, 10);
};

/**
 * Returns the start of the bucket of a group of records.
 * @param key Unix time in units of ten minutes; `Z` and the beginning of a time in UTC, such as `Z2026-03-01T14:3`;
 *   or a local day or hour. A time with an offset keeps its written day and hour.
 */
export const bucketOf = (key: string | number, per: ChartBucket): string => {
  const utcMs =
    typeof key === 'number'
      ? key * TEN_MINUTES_MS
      : key.startsWith('Z')
        ? Date.parse(`${key.slice(1)}0:00Z`)
        : undefined;
  const hour = (utcMs === undefined || Number.isNaN(utcMs) ? String(key).replace(/^Z/u, '') : localHour(utcMs)).replace(
    'T',
    ' ',
  );
  const day = hour.slice(0, 10);
  switch (per) {
    case 'hour':
      return hour.length > 10 ? hour.slice(0, 13) : `${day} 00`;
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
