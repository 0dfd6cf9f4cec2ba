import type { Aggregation } from '../../../wire/chart-choices.ts';
import type { ChartSeries } from '../../../wire/charts.ts';
import { addDays, createLocalDateFormat } from '../../../platform/local-date.ts';
import type { ViewGrantRow } from './store.ts';

/** Rules of shared tables and charts, as pure functions. */

/** Returns true if a grant has ended. @param now Unix milliseconds */
export const hasEnded = ({ ends }: Pick<ViewGrantRow, 'ends'>, now: number): boolean => ends !== null && now >= ends;

/** Returns the value of a bucket; null if no record in it has a number. */
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

/** Returns the first of `days` local days, of which today is the last. @param now Unix milliseconds */
export const firstDayOf = (days: number, now: number, timeZone: string): string =>
  addDays(createLocalDateFormat(timeZone)(now), 1 - days);
