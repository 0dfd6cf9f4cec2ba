import { Failure } from '../../../../platform/failure.ts';
import { asReadFailure } from '../../../../platform/workers/read-limit-failure.ts';
import type {
  ChartBucket,
  ChartDistribution,
  ChartPoints,
  ChartSeries,
  ChartValueCounts,
} from '../../../../wire/charts.ts';
import { MAX_CHART_POINTS, MAX_COUNTED_VALUES, SERIES_PAGE_RECORDS } from '../../../../wire/limits.ts';
import type { EndpointStore } from '../../../core/endpoint-store.ts';
import { mergeIntoBuckets } from './rules.ts';
import type { ChartStore, TimeField } from './store.ts';

const BINS = 30;

export type SeriesRequest = {
  endpoint: string;
  time: TimeField;
  /** Path of the number to aggregate; undefined: records are counted. */
  value: string | undefined;
  per: ChartBucket;
  /** Cursor: only records with a lower sequence number. */
  before: number | undefined;
};

/** Aggregates for charts. All throw Failure not_found for an endpoint without records and query_limit_exceeded. */
export type ChartService = {
  /** Aggregates up to SERIES_PAGE_RECORDS records, newest first, so that a page can show progress. */
  series(request: SeriesRequest): Promise<ChartSeries>;
  distribution(endpoint: string, field: string): Promise<ChartDistribution>;
  valueCounts(endpoint: string, field: string): Promise<ChartValueCounts>;
  points(endpoint: string, x: string, y: string): Promise<ChartPoints>;
};

/** Maps errors of a read that exceeded its limits to failures. */
const limited = async <Result>(read: Promise<Result>): Promise<Result> => {
  try {
    return await read;
  } catch (error) {
    throw asReadFailure(error);
  }
};

export const createChartService = (parts: {
  store: ChartStore;
  endpoints: Pick<EndpointStore, 'summary'>;
}): ChartService => {
  const { store, endpoints } = parts;

  const summaryOf = (endpoint: string): { id: number; records: number } => {
    const row = endpoints.summary(endpoint);
    if (row === undefined) throw new Failure('not_found', 'There are no records at this endpoint.');
    return row;
  };

  return {
    async series({ endpoint, time, value, per, before = Number.MAX_SAFE_INTEGER }) {
      const { id } = summaryOf(endpoint);
      const start = await limited(store.pageStart(id, before, SERIES_PAGE_RECORDS));
      const groups = await limited(store.groups({ endpoint: id, from: start ?? 0, before, time, value }));
      const count = (list: readonly { records: number }[]): number => list.reduce((sum, row) => sum + row.records, 0);
      const buckets = mergeIntoBuckets(groups, per);
      return {
        buckets:
          value === undefined ? buckets.map((bucket) => ({ ...bucket, sum: null, min: null, max: null })) : buckets,
        records: count(groups),
        excluded: count(groups.filter(({ key }) => key === null)),
        next: start ?? null,
      };
    },

    async distribution(endpoint, field) {
      const { id, records } = summaryOf(endpoint);
      const { low, high, numbers } = await limited(store.range(id, field));
      if (low === null || high === null || !Number.isFinite(high - low)) return { bins: [], excluded: records };
      const width = high === low ? 1 : (high - low) / BINS;
      const bins = high === low ? 1 : BINS;
      const rows = await limited(store.bins({ endpoint: id, field, low, width, bins }));
      const counts = new Map(rows.map(({ bin, count }) => [bin, count]));
      return {
        bins: Array.from({ length: bins }, (_, bin) => ({
          from: low + bin * width,
          to: bin === bins - 1 ? high : low + (bin + 1) * width,
          count: counts.get(bin) ?? 0,
        })),
        excluded: records - numbers,
      };
    },

    async valueCounts(endpoint, field) {
      const { id, records } = summaryOf(endpoint);
      const rows = await limited(store.valueCounts(id, field, MAX_COUNTED_VALUES));
      const [first] = rows;
      return {
        values: rows.map(({ value, count }) => ({ value, count })),
        distinct: first?.distinct ?? 0,
        excluded: Math.max(0, records - (first?.counted ?? 0)),
      };
    },

    async points(endpoint, x, y) {
      const { id, records } = summaryOf(endpoint);
      const rows = await limited(store.points(id, x, y, MAX_CHART_POINTS));
      const total = rows[0]?.total ?? 0;
      return { points: rows.map((row) => ({ x: row.x, y: row.y })), total, excluded: Math.max(0, records - total) };
    },
  };
};
