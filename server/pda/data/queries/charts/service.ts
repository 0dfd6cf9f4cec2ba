import { Failure } from '../../../../platform/failure.ts';
import type { Log } from '../../../../platform/log.ts';
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
import { bucketOf, mergeIntoBuckets } from './rules.ts';
import { retryOnDroppedIndex } from '../indexes/dropped-index.ts';
import type { IndexUses } from '../indexes/index-uses.ts';
import type { IndexManager } from '../indexes/manager.ts';
import { type ChartStore, defineSeriesIndex, type GroupRow, isNativeSeries, type SeriesFields } from './store.ts';

const BIN_COUNT = 30;
/** Maximum pages of a whole series: 5 million records. */
const MAX_SERIES_PAGES = 20;
/** Groups that are read from an index at once. More would block the event loop for longer than about 20 ms. */
const INDEXED_PAGE_GROUPS = 10_000;
/** An index is built for series of endpoints with more records. Without it, they take more than about 0.3 s. */
const UNINDEXED_SERIES_MAX_RECORDS = 100_000;

/** Returns buckets as groups, which `mergeIntoBuckets` can merge with others. */
const groupsOf = (buckets: ChartSeries['buckets']): GroupRow[] =>
  buckets.map(({ start, ...bucket }) => ({ ...bucket, key: start, records: bucket.count }));

/** Returns the number of records without a time or number. */
const countExcluded = (groups: readonly GroupRow[]): number =>
  groups.reduce((sum, { key, count, records }) => sum + records - (key === null ? 0 : count), 0);

/** Merges the groups of each bucket into one, so that a long series takes little memory. */
const coarsen = (groups: readonly GroupRow[], per: ChartBucket): GroupRow[] => [
  ...groupsOf(mergeIntoBuckets(groups, per)),
  { key: null, count: 0, sum: null, min: null, max: null, records: countExcluded(groups) },
];

export type SeriesRequest = SeriesFields & {
  endpoint: string;
  per: ChartBucket;
  /** Cursor: only records with a lower sequence number. */
  before?: number | undefined;
};

export type ChartService = ReturnType<typeof createChartService>;

/** All methods throw Failure not_found if the endpoint does not exist, and query_limit_exceeded. */
export const createChartService = (parts: {
  store: ChartStore;
  endpoints: Pick<EndpointStore, 'summary'>;
  indexes: Pick<IndexManager, 'ready' | 'generation' | 'checkEndpointId'>;
  indexUses: Pick<IndexUses, 'add'>;
  log: Pick<Log, 'warn'>;
  /** For tests. */
  pageGroups?: number;
}) => {
  const { store, endpoints, indexes, indexUses, log, pageGroups = INDEXED_PAGE_GROUPS } = parts;

  const summaryOf = (endpoint: string): { id: number; records: number } => {
    const row = endpoints.summary(endpoint);
    if (row === undefined) throw new Failure('not_found', 'There are no records at this endpoint.');
    return row;
  };

  const readPage = async (
    endpoint: number,
    fields: SeriesFields,
    before: number,
  ): Promise<{ groups: GroupRow[]; next: number | null }> => {
    const start = await store.pageStart(endpoint, before, SERIES_PAGE_RECORDS);
    return { groups: await store.groups({ ...fields, endpoint, from: start ?? 0, before }), next: start ?? null };
  };

  const readFromIndex = async (
    endpoint: number,
    fields: SeriesFields,
    per: ChartBucket,
  ): Promise<{ groups: GroupRow[]; next: null }> => {
    const groups: GroupRow[] = [];
    let after: string | number | undefined;
    do {
      const page = await store.indexedGroups(endpoint, fields, after, pageGroups);
      groups.push(...coarsen(page, per));
      after = page.length < pageGroups ? undefined : (page.at(-1)?.key ?? undefined);
    } while (after !== undefined);
    return { groups, next: null };
  };

  /** In the background, because the write waits while another index is built, and fails if the disk is full. */
  const addIndexUse = (endpoint: string, fields: SeriesFields, records: number): void => {
    if (!isNativeSeries(fields)) return;
    indexUses
      .add(endpoint, { series: fields }, records > UNINDEXED_SERIES_MAX_RECORDS)
      .catch((error: unknown) => log.warn({ err: error }, 'failed to store the use of a chart index'));
  };

  const readStart = async (endpoint: string, fields: SeriesFields, per: ChartBucket) => {
    const { id, records } = summaryOf(endpoint);
    indexes.checkEndpointId(endpoint, id);
    try {
      const { name } = defineSeriesIndex(id, fields);
      return await retryOnDroppedIndex(indexes, (usesIndex) =>
        usesIndex && indexes.ready().has(name)
          ? readFromIndex(id, fields, per)
          : readPage(id, fields, Number.MAX_SAFE_INTEGER),
      );
    } finally {
      // Also if the read exceeded a limit, because it may be possible with an index.
      addIndexUse(endpoint, fields, records);
    }
  };

  /**
   * Aggregates all records if there is an index for the fields; otherwise a page of up to SERIES_PAGE_RECORDS records.
   * The first page has the newest.
   */
  const series = async ({ endpoint, time, value, per, before }: SeriesRequest): Promise<ChartSeries> => {
    const { groups, next } = await mapReadErrors(
      before === undefined
        ? readStart(endpoint, { time, value }, per)
        : readPage(summaryOf(endpoint).id, { time, value }, before),
    );
    const buckets = mergeIntoBuckets(groups, per);
    return {
      buckets:
        value === undefined ? buckets.map((bucket) => ({ ...bucket, sum: null, min: null, max: null })) : buckets,
      records: groups.reduce((sum, row) => sum + row.records, 0),
      excluded: countExcluded(groups),
      next,
    };
  };

  return {
    series,

    /**
     * Aggregates all records, or the newest ones of a large endpoint.
     * @param since first local day, such as `2026-03-01`; undefined for all days
     * @returns `isComplete`: false if older records are left out
     */
    async wholeSeries(request: Omit<SeriesRequest, 'before'>, since: string | undefined) {
      let before: number | undefined;
      let buckets: ChartSeries['buckets'] = [];
      for (let page = 0; page < MAX_SERIES_PAGES; page += 1) {
        const { next, ...part } = await series({ ...request, before });
        buckets = mergeIntoBuckets(groupsOf([...buckets, ...part.buckets]), request.per);
        before = next ?? undefined;
        if (before === undefined) break;
      }
      const first = since === undefined ? '' : bucketOf(since, request.per);
      return { buckets: buckets.filter(({ start }) => start >= first), isComplete: before === undefined };
    },

    async distribution(endpoint: string, field: string): Promise<ChartDistribution> {
      const { id, records } = summaryOf(endpoint);
      const { low, high, numbers } = await mapReadErrors(store.range(id, field));
      if (low === null || high === null || !Number.isFinite(high - low)) return { bins: [], excluded: records };
      const width = high === low ? 1 : (high - low) / BIN_COUNT;
      const bins = high === low ? 1 : BIN_COUNT;
      const rows = await mapReadErrors(store.bins({ endpoint: id, field, low, width, bins }));
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

    async valueCounts(endpoint: string, field: string): Promise<ChartValueCounts> {
      const { id, records } = summaryOf(endpoint);
      const rows = await mapReadErrors(store.valueCounts(id, field, MAX_COUNTED_VALUES));
      const [first] = rows;
      return {
        values: rows.map(({ value, count }) => ({ value, count })),
        distinct: first?.distinct ?? 0,
        excluded: Math.max(0, records - (first?.counted ?? 0)),
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
