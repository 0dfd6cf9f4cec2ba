import { type Aggregation, CHART_BUCKETS } from '../../../../../server/wire/chart-choices.ts';
import type { ChartBucket, ChartSeries } from '../../../../../server/wire/charts.ts';
import type { ValueType } from '../records/field-format.ts';

// Start times are local times without a time zone, so all arithmetic is in UTC.

export type SeriesBucket = ChartSeries['buckets'][number];

export interface SeriesPoint {
  start: string;
  value: number | null;
  /** Value of the previous period; null without a value or a comparison. */
  previousValue: number | null;
}

/**
 * Approximate maximum number of buckets. A chart that would need more omits buckets without records, and bucket sizes
 * that would need more are not offered, except `year`.
 */
export const MAX_BUCKETS = 1000;
const SUGGESTED_MAX_BUCKETS = 120;

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');

/** Parses a start such as `2026`, `2026-03`, `2026-03-01` or `2026-03-01 14`. Returns NaN if it is invalid. */
const timeOf = (start: string): number => {
  const [day = '', hour = '00'] = start.split(' ');
  return Date.parse(`${day.length === 4 ? `${day}-01-01` : day.length === 7 ? `${day}-01` : day}T${hour}:00:00Z`);
};

const startOfDate = (date: Date, per: ChartBucket): string => {
  const day = `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`;
  switch (per) {
    case 'hour':
      return `${day} ${pad(date.getUTCHours())}`;
    case 'day':
      return day;
    case 'week': {
      const monday = new Date(date);
      monday.setUTCDate(monday.getUTCDate() - ((monday.getUTCDay() + 6) % 7));
      return startOfDate(monday, 'day');
    }
    case 'month':
      return day.slice(0, 7);
    case 'year':
      return day.slice(0, 4);
  }
};

/** Returns the start of the coarser bucket in which a finer bucket begins. */
const startOfBucket = (start: string, per: ChartBucket): string => startOfDate(new Date(timeOf(start)), per);

export const shiftStart = (start: string, per: ChartBucket, steps: number): string => {
  const date = new Date(timeOf(start));
  if (per === 'hour') date.setUTCHours(date.getUTCHours() + steps);
  else if (per === 'day') date.setUTCDate(date.getUTCDate() + steps);
  else if (per === 'week') date.setUTCDate(date.getUTCDate() + 7 * steps);
  else if (per === 'month') date.setUTCMonth(date.getUTCMonth() + steps);
  else date.setUTCFullYear(date.getUTCFullYear() + steps);
  return startOfDate(date, per);
};

const HOUR_MS = 3_600_000;
const AVERAGE_LENGTH_HOURS = { hour: 1, day: 24, week: 168, month: 730.5, year: 8766 } as const;

const bucketCountBetween = (first: string, last: string, per: ChartBucket): number =>
  (timeOf(last) - timeOf(first)) / (AVERAGE_LENGTH_HOURS[per] * HOUR_MS) + 1;

/** Returns the finest bucket size that the precision of the times allows. @param time undefined for storage times */
export const finestBucket = (time: Pick<ValueType, 'type' | 'timeFormat'> | undefined): ChartBucket =>
  time?.timeFormat === 'year' ? 'year' : time?.type === 'date' ? 'day' : 'hour';

export const suggestBucket = (first: string, last: string, finest: ChartBucket): ChartBucket =>
  CHART_BUCKETS.slice(CHART_BUCKETS.indexOf(finest)).find(
    (per) => bucketCountBetween(first, last, per) <= SUGGESTED_MAX_BUCKETS,
  ) ?? 'year';

/** Returns `year`, and the sizes from `finest` up that divide the time span into at most MAX_BUCKETS buckets. */
export const possibleBuckets = (first: string, last: string, finest: ChartBucket): ChartBucket[] =>
  CHART_BUCKETS.slice(CHART_BUCKETS.indexOf(finest)).filter(
    (per) => per === 'year' || bucketCountBetween(first, last, per) <= MAX_BUCKETS,
  );

const combine = (a: number | null, b: number | null, choose: (a: number, b: number) => number): number | null =>
  a === null || b === null ? (a ?? b) : choose(a, b);

/** Merges buckets into longer buckets, in chronological order. Omits buckets with invalid dates. */
export const regroup = (buckets: readonly SeriesBucket[], per: ChartBucket): SeriesBucket[] => {
  const bucketsByStart = new Map<string, SeriesBucket>();
  for (const bucket of buckets) {
    if (Number.isNaN(timeOf(bucket.start))) continue;
    const start = startOfBucket(bucket.start, per);
    const existing = bucketsByStart.get(start);
    bucketsByStart.set(start, {
      start,
      count: bucket.count + (existing?.count ?? 0),
      sum: combine(existing?.sum ?? null, bucket.sum, (a, b) => a + b),
      min: combine(existing?.min ?? null, bucket.min, Math.min),
      max: combine(existing?.max ?? null, bucket.max, Math.max),
    });
  }
  return [...bucketsByStart.values()].toSorted((a, b) => (a.start < b.start ? -1 : 1));
};

/** Returns the value of a bucket. Without records, counts and sums are 0, and other values are null. */
export const aggregate = (bucket: SeriesBucket | undefined, aggregation: Aggregation): number | null => {
  switch (aggregation) {
    case 'count':
      return bucket?.count ?? 0;
    case 'sum':
      return bucket?.sum ?? 0;
    case 'mean':
      return bucket === undefined || bucket.sum === null ? null : bucket.sum / bucket.count;
    case 'min':
      return bucket?.min ?? null;
    case 'max':
      return bucket?.max ?? null;
  }
};

interface PointsRequest {
  per: ChartBucket;
  aggregation: Aggregation;
  /** Undefined for all days. */
  lastDays: number | undefined;
  today: string;
}

/** Returns the points of a chart, including those of buckets without records unless there would be too many. */
export const pointsOf = (buckets: readonly SeriesBucket[], request: PointsRequest): SeriesPoint[] => {
  const { per, aggregation, lastDays, today } = request;
  const byStart = new Map(buckets.map((bucket) => [bucket.start, bucket]));
  const valueAt = (start: string) => aggregate(byStart.get(start), aggregation);
  const end =
    lastDays === undefined ? buckets.at(-1)?.start : startOfBucket(per === 'hour' ? `${today} 23` : today, per);
  const begin = lastDays === undefined ? buckets[0]?.start : startOfBucket(shiftStart(today, 'day', 1 - lastDays), per);
  if (begin === undefined || end === undefined) return [];
  if (bucketCountBetween(begin, end, per) > MAX_BUCKETS + 1)
    return buckets
      .filter(({ start }) => start >= begin && start <= end)
      .map(({ start }) => ({ start, value: valueAt(start), previousValue: null }));
  const starts: string[] = [];
  for (let start = begin; start <= end; start = shiftStart(start, per, 1)) starts.push(start);
  return starts.map((start) => ({
    start,
    value: valueAt(start),
    previousValue: lastDays === undefined ? null : valueAt(shiftStart(start, per, -starts.length)),
  }));
};
