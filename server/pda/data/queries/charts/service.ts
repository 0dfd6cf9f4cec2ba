import { Failure } from '../../../../platform/failure.ts';
import { mapReadErrors } from '../../../../platform/workers/read-limit-failure.ts';
import type {
  ChartBucket,
  ChartDistribution,
  ChartPoints,
  ChartSeries,
  ChartValueCounts,
} from '../../../../wire/charts.ts';
import { MAX_COUNTED_VALUES, SERIES_PAGE_RECORDS } from '../../../../wire/limits.ts';
import type { EndpointStore } from '../../../core/endpoint-store.ts';
import { bucketOf } from '../sql/time-buckets.ts';
import { mergeBuckets } from './rules.ts';
import { retryOnDroppedIndex } from '../indexes/dropped-index.ts';
import type { IndexUses } from '../indexes/index-uses.ts';
import type { IndexManager } from '../indexes/manager.ts';
import { type BucketRow, type ChartStore, defineSeriesIndex, isNativeSeries, type SeriesFields } from './store.ts';

const BIN_COUNT = 30;
/** Maximum pages of a whole series: 5 million records. */
const MAX_SERIES_PAGES = 20;
/** A series with more records gets an index. Without it, such a series takes more than about 0.3 s. */
const UNINDEXED_SERIES_MAX_RECORDS = 100_000;

type SeriesRequest = SeriesFields & {
  endpoint: string;
  per: ChartBucket;
  /** Cursor: only records with a lower sequence number. */
  before?: number | undefined;
};

export type ChartService = ReturnType<typeof createChartService>;

/**
 * Leaves out records above CHARTED_RECORD_MAX_BYTES. All methods throw Failure not_found if the endpoint does not
 * exist, and query_limit_exceeded if a read exceeds its limits.
 */
export const createChartService = (parts: {
  store: ChartStore;
  endpoints: Pick<EndpointStore, 'summary'>;
  indexes: Pick<IndexManager, 'readyNames' | 'generation' | 'checkEndpointId'>;
  indexUses: Pick<IndexUses, 'add'>;
}) => {
  const { store, endpoints, indexes, indexUses } = parts;

  const summaryOf = (endpoint: string): { id: number; records: number } => {
    const row = endpoints.summary(endpoint);
    if (row === undefined) throw new Failure('not_found', 'There are no records at this endpoint.');
    return row;
  };

  const readPage = async (
    endpoint: number,
    { time, value, per }: Omit<SeriesRequest, 'endpoint'>,
    before: number,
  ): Promise<{ rows: BucketRow[]; next: number | null }> => {
    const start = await store.pageStart(endpoint, before, SERIES_PAGE_RECORDS);
    return { rows: await store.buckets({ endpoint, time, value, per, from: start ?? 0, before }), next: start ?? null };
  };

  /** Stores the use in the background, because the write waits while another index is built. */
  const addIndexUse = (endpoint: string, fields: SeriesFields, records: number): void => {
    if (!isNativeSeries(fields)) return;
    void indexUses.add(endpoint, { series: fields }, records > UNINDEXED_SERIES_MAX_RECORDS);
  };

  const readFirstPage = async ({ endpoint, time, value, per }: SeriesRequest) => {
    const fields = { time, value };
    const { id, records } = summaryOf(endpoint);
    indexes.checkEndpointId(endpoint, id);
    try {
      const { name } = defineSeriesIndex(id, fields);
      return await retryOnDroppedIndex(indexes, async (usesIndex) =>
        usesIndex && indexes.readyNames().has(name)
          ? { rows: await store.indexedBuckets(id, fields, per), next: null }
          : readPage(id, { ...fields, per }, Number.MAX_SAFE_INTEGER),
      );
    } finally {
      // The use is stored even if the read exceeded a limit, because the read may be possible with an index.
      addIndexUse(endpoint, fields, records);
    }
  };

  /**
   * Aggregates all records if there is an index for the fields and no cursor; otherwise a page of up to
   * SERIES_PAGE_RECORDS records. The first page has the newest records.
   */
  const series = async (request: SeriesRequest): Promise<ChartSeries> => {
    const { endpoint, value, before } = request;
    const { rows, next } = await mapReadErrors(
      before === undefined ? readFirstPage(request) : readPage(summaryOf(endpoint).id, request, before),
    );
    const buckets: ChartSeries['buckets'] = [];
    let records = 0;
    let includedCount = 0;
    for (const { start, count, sum, min, max, records: recordsOfRow } of rows) {
      records += recordsOfRow;
      if (start === null || count === 0) continue;
      includedCount += count;
      buckets.push({
        start,
        count,
        ...(value === undefined ? { sum: null, min: null, max: null } : { sum, min, max }),
      });
    }
    return { buckets, records, excluded: records - includedCount, next };
  };

  return {
    series,

    /**
     * Aggregates all records, or the newest ones of a large endpoint.
     * @param days first and last local day, such as `2026-03-01`; undefined for all days
     * @returns `isComplete`: false if the oldest records are left out because there are too many
     */
    async wholeSeries(
      request: Omit<SeriesRequest, 'before'>,
      days: { readonly first: string; readonly last: string } | undefined,
    ) {
      let before: number | undefined;
      let buckets: ChartSeries['buckets'] = [];
      for (let page = 0; page < MAX_SERIES_PAGES; page += 1) {
        const { next, ...pageSeries } = await series({ ...request, before });
        buckets = mergeBuckets([...buckets, ...pageSeries.buckets]);
        before = next ?? undefined;
        if (before === undefined) break;
      }
      const isComplete = before === undefined;
      if (days === undefined) return { buckets, isComplete };
      const firstStart = bucketOf(days.first, request.per) ?? '';
      const lastStart = bucketOf(`${days.last} 23`, request.per) ?? '';
      return { buckets: buckets.filter(({ start }) => start >= firstStart && start <= lastStart), isComplete };
    },

    async distribution(endpoint: string, field: string): Promise<ChartDistribution> {
      const { id, records } = summaryOf(endpoint);
      const { low, high, numbers } = await mapReadErrors(store.range(id, field));
      if (low === null || high === null || !Number.isFinite(high - low)) return { bins: [], excluded: records };
      const width = high === low ? 1 : (high - low) / BIN_COUNT;
      const binCount = high === low ? 1 : BIN_COUNT;
      const rows = await mapReadErrors(store.bins({ endpoint: id, field, low, width, binCount }));
      const counts = new Map(rows.map(({ bin, count }) => [bin, count]));
      return {
        bins: Array.from({ length: binCount }, (_, bin) => ({
          from: low + bin * width,
          to: bin === binCount - 1 ? high : low + (bin + 1) * width,
          count: counts.get(bin) ?? 0,
        })),
        excluded: Math.max(0, records - numbers),
      };
    },

    async valueCounts(endpoint: string, field: string): Promise<ChartValueCounts> {
      const { id, records } = summaryOf(endpoint);
      const rows = await mapReadErrors(store.valueCounts(id, field, MAX_COUNTED_VALUES));
      const [firstRow] = rows;
      return {
        values: rows.map(({ value, count }) => ({ value, count })),
        distinct: firstRow?.distinct ?? 0,
        excluded: Math.max(0, records - (firstRow?.counted ?? 0)),
      };
    },

    /** Returns at most `limit` pairs, a sample if there are more, and the sequence numbers of their records. */
    async points(endpoint: string, x: string, y: string, limit: number): Promise<ChartPoints & { seqs: number[] }> {
      const { id, records } = summaryOf(endpoint);
      const rows = await mapReadErrors(store.points(id, x, y, limit));
      const total = rows[0]?.total ?? 0;
      return {
        points: rows.map((row) => ({ x: row.x, y: row.y })),
        total,
        excluded: Math.max(0, records - total),
        seqs: rows.map(({ seq }) => seq),
      };
    },
  };
};
