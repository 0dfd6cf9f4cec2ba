import type { Aggregation } from '../../../wire/chart-choices.ts';
import type { ChartSeries } from '../../../wire/charts.ts';
import { addDays, createLocalDateFormat } from '../../../platform/local-date.ts';
import type { ViewGrantRow } from './store.ts';

/** @param now Unix milliseconds */
export const hasGrantEnded = ({ ends }: Pick<ViewGrantRow, 'ends'>, now: number): boolean =>
  ends !== null && now >= ends;

/** Returns null if no record in the bucket has a number, except for `count`. */
export const bucketValue = (bucket: ChartSeries['buckets'][number], aggregation: Aggregation): number | null => {
  switch (aggregation) {
    case 'count':
      return bucket.count;
    case 'sum':
      return bucket.sum;
    case 'mean':
      return bucket.sum === null || bucket.count === 0 ? null : bucket.sum / bucket.count;
    case 'min':
      return bucket.min;
    case 'max':
      return bucket.max;
  }
};

/** First and last local day, such as `2026-03-01`. */
export type DayRange = { first: string; last: string };

/** Returns the last `days` local days, including today. @param now Unix milliseconds */
export const lastDaysOf = (days: number, now: number, timeZone: string): DayRange => {
  const today = createLocalDateFormat(timeZone)(now);
  return { first: addDays(today, 1 - days), last: today };
};
