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

/** Returns the first of `days` local days, the last of which is today. @param now Unix milliseconds */
export const firstDayOf = (days: number, now: number, timeZone: string): string =>
  addDays(createLocalDateFormat(timeZone)(now), 1 - days);
