import { hashKey, infiniteQueryOptions, queryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../../shared/api/client.ts';
import type { ChartBucket, ChartSeries } from '../../../server/wire/charts.ts';
import type { TimeFormat } from '../../../server/wire/fields.ts';

// Chart queries. The data is fetched again when `revision` changes.

const CHART_CACHE_MS = 60_000;

interface SeriesQuery {
  endpoint: string;
  /** Path of the time field; undefined for storage times. */
  time: string | undefined;
  format: TimeFormat | undefined;
  /** Path of the numeric field; undefined to count records. */
  value: string | undefined;
  per: ChartBucket;
}

const chartSeries = (request: SeriesQuery, revision: string) =>
  infiniteQueryOptions({
    queryKey: ['charts', request, revision],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ signal, pageParam }) =>
      call('GET /api/v2.6/owner/charts/series', { query: { ...request, before: pageParam } }, signal),
    getNextPageParam: ({ next }: ChartSeries) => next ?? undefined,
    placeholderData: (previous, query) =>
      query !== undefined && hashKey([query.queryKey[1]]) === hashKey([request]) ? previous : undefined,
    gcTime: CHART_CACHE_MS,
  });

/** Loads all pages of a series, one after the other. */
export function useSeries(request: SeriesQuery, revision: string, enabled: boolean) {
  const query = useInfiniteQuery({ ...chartSeries(request, revision), enabled });
  const { fetchNextPage } = query;
  const canContinue = enabled && query.hasNextPage && !query.isFetching && !query.isError && !query.isPlaceholderData;
  useEffect(() => {
    if (canContinue) void fetchNextPage();
  }, [canContinue, fetchNextPage]);
  return query;
}

export const chartDistribution = (endpoint: string, field: string, revision: string) =>
  queryOptions({
    queryKey: ['charts', endpoint, 'distribution', field, revision],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/charts/distribution', { query: { endpoint, field } }, signal),
    gcTime: CHART_CACHE_MS,
  });

export const chartValues = (endpoint: string, field: string, revision: string) =>
  queryOptions({
    queryKey: ['charts', endpoint, 'values', field, revision],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/charts/values', { query: { endpoint, field } }, signal),
    gcTime: CHART_CACHE_MS,
  });

export const chartPoints = (endpoint: string, x: string, y: string, revision: string) =>
  queryOptions({
    queryKey: ['charts', endpoint, 'points', x, y, revision],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/charts/points', { query: { endpoint, x, y } }, signal),
    gcTime: CHART_CACHE_MS,
  });
