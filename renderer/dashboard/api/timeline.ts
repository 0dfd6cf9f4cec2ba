import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';

const TIMELINE_CACHE_MS = 30_000;
const COUNTING_POLL_MS = 10_000;
const INDEXING_POLL_MS = 2000;
const ITEMS_PAGE_SIZE = 50;

/** @param source undefined for all sources */
export const timeline = (source: string | undefined) =>
  queryOptions({
    queryKey: ['timeline', 'months', source ?? null],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/timeline', { query: { source } }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.counting === true ? COUNTING_POLL_MS : false),
    gcTime: TIMELINE_CACHE_MS,
  });

/** @param month such as `2026-03` */
export const timelineDays = (month: string, source: string | undefined) =>
  queryOptions({
    queryKey: ['timeline', 'days', month, source ?? null],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/timeline/days', { query: { month, source } }, signal),
    gcTime: TIMELINE_CACHE_MS,
  });

/** Query of the items of a source on a day, latest first. */
export const timelineItems = (source: string, day: string) =>
  infiniteQueryOptions({
    queryKey: ['timeline', 'items', source, day],
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /api/v2.6/owner/timeline/items',
        { query: { source, day, skip: pageParam, take: ITEMS_PAGE_SIZE } },
        signal,
      ),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.more ? pages.length * ITEMS_PAGE_SIZE : undefined),
    gcTime: TIMELINE_CACHE_MS,
  });

/** Query of the most recently stored records that match, sorted by their time, latest first. */
export const timelineSearch = (text: string, source: string | undefined) =>
  queryOptions({
    queryKey: ['timeline', 'search', text, source ?? null],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/timeline/search', { query: { text, source } }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.enabled === true && !state.data.complete ? INDEXING_POLL_MS : false),
    gcTime: TIMELINE_CACHE_MS,
  });
