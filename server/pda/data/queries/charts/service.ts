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
      const rows = await limited(store.series({ endpoint: id, from: start ?? 0, before, time, value, per }));
      const buckets = rows.filter((row) => row.start !== null && row.count > 0);
      const count = (list: readonly { records: number }[]): number => list.reduce((sum, row) => sum + row.records, 0);
      return {
        buckets: buckets.map(({ start: bucket, count: counted, sum, min, max }) => ({
          start: bucket ?? '',
          count: counted,
          ...(value === undefined ? { sum: null, min: null, max: null } : { sum, min, max }),
        })),
        records: count(rows),
        excluded: count(rows) - count(buckets),
        next: start ?? null,
      };
    },

    async distribution(endpoint, field) {
      const { id } = summaryOf(endpoint);
      const { low, high, records, numbers } = await limited(store.range(id, field));
      if (low === null || high === null || !Number.isFinite(high - low)) return { bins: [], excluded: records };
      const width = high === low ? 1 : (high - low) / BINS;
      const bins = high === low ? 1 : BINS;
      const counts = new Map(
        (await limited(store.bins(id, field, low, width, bins))).map(({ bin, count }) => [bin, count]),
      );
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
      const { id } = summaryOf(endpoint);
      const { points, total, records } = await limited(store.points(id, x, y, MAX_CHART_POINTS));
      return { points, total, excluded: records - total };
    },
  };
};
