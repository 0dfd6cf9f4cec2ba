import { infiniteQueryOptions, keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import type { ElementOptions, ImportJob } from '../../shared/api/contract.ts';
import { queryClient, refresh, routeQuery } from '../../shared/api/query-client.ts';
import type { TableFilter, TableSort } from '../../../server/wire/table.ts';

const OWNER_STALE_AFTER_MS = 5 * 60_000;
const IMPORT_LIST_POLL_MS = 1000;
const IMPORT_POLL_MS = 500;
const INDEX_POLL_MS = 5000;
/** Time that unused pages stay in the cache. Refetching one is cheap; caching all pages of a million records is not. */
const RECORD_PAGE_CACHE_MS = 60_000;

export const setupState = queryOptions({
  queryKey: ['setup'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/setup', {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
});

export const owner = queryOptions({
  queryKey: ['owner'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner', {}, signal),
  staleTime: OWNER_STALE_AFTER_MS,
});

export const systemStatus = routeQuery(['status'], 'GET /api/v2.6/system/status', {});

export const endpoints = routeQuery(['endpoints'], 'GET /api/v2.6/owner/endpoints', {});

export const endpointFields = (endpoint: string) =>
  routeQuery(['fields', endpoint], 'GET /api/v2.6/owner/fields', { query: { endpoint } });

export const activity = (days: number) =>
  routeQuery(['activity', days], 'GET /api/v2.6/owner/activity', { query: { days } });

export const sessions = routeQuery(['sessions'], 'GET /api/v2.6/owner/sessions', {});

const RECORD_LIST_PAGE_SIZE = 50;
const DELETIONS_PAGE_SIZE = 50;
const DELETED_RECORDS_PAGE_SIZE = 100;

export const deletions = infiniteQueryOptions({
  queryKey: ['deletions'],
  initialPageParam: 0,
  queryFn: ({ signal, pageParam }) =>
    call('GET /api/v2.6/owner/deletions', { query: { skip: pageParam, take: DELETIONS_PAGE_SIZE } }, signal),
  getNextPageParam: (last, pages) =>
    last.length < DELETIONS_PAGE_SIZE ? undefined : pages.length * DELETIONS_PAGE_SIZE,
});

export const deletedRecords = (deletionId: string) =>
  infiniteQueryOptions({
    queryKey: ['deletions', deletionId],
    initialPageParam: 0,
    queryFn: ({ signal, pageParam }) =>
      call(
        'GET /api/v2.6/owner/deletions/:deletionId/records',
        { params: { deletionId }, query: { after: pageParam, take: DELETED_RECORDS_PAGE_SIZE } },
        signal,
      ),
    getNextPageParam: ({ next }) => next,
  });

export const openApi = queryOptions({
  queryKey: ['openapi'],
  queryFn: ({ signal }) => call('GET /api/v2.6/openapi.json', {}, signal),
  staleTime: Number.POSITIVE_INFINITY,
});

export interface RecordSelection {
  endpoint: string;
  search: string;
  filters: readonly TableFilter[];
  /** Empty for creation order. */
  sorts: readonly TableSort[];
  oldestFirst: boolean;
}

const jsonList = (list: readonly unknown[]): string | undefined =>
  list.length === 0 ? undefined : JSON.stringify(list);

export const fetchRecordPage = (selection: RecordSelection, skip: number, take: number, signal: AbortSignal) =>
  call(
    'GET /api/v2.6/owner/records',
    {
      query: {
        endpoint: selection.endpoint,
        search: selection.search,
        filters: jsonList(selection.filters),
        sorts: jsonList(selection.sorts),
        ordering: selection.oldestFirst ? undefined : 'descending',
        skip,
        take,
      },
    },
    signal,
  );

export const recordPage = (selection: RecordSelection, skip: number, take: number) =>
  queryOptions({
    queryKey: ['records', selection.endpoint, selection, skip, take],
    queryFn: ({ signal }) => fetchRecordPage(selection, skip, take, signal),
    // Refetched while an index is being built, so that the page shows when reads have become faster.
    refetchInterval: ({ state }) => (state.data?.indexing === true ? INDEX_POLL_MS : false),
    gcTime: RECORD_PAGE_CACHE_MS,
  });

export const recordList = (selection: RecordSelection) =>
  infiniteQueryOptions({
    queryKey: ['records', selection.endpoint, selection, 'list'],
    initialPageParam: 0,
    queryFn: ({ signal, pageParam }) => fetchRecordPage(selection, pageParam, RECORD_LIST_PAGE_SIZE, signal),
    getNextPageParam: ({ total }, pages) => {
      const skip = pages.length * RECORD_LIST_PAGE_SIZE;
      return skip < total ? skip : undefined;
    },
  });

export const recordFacet = ({ endpoint, search, filters }: RecordSelection, field: string) =>
  queryOptions({
    queryKey: ['records', endpoint, 'facet', field, search, filters],
    queryFn: ({ signal }) =>
      call(
        'GET /api/v2.6/owner/record-facets',
        { query: { endpoint, field, search, filters: jsonList(filters) } },
        signal,
      ),
    placeholderData: keepPreviousData,
    gcTime: RECORD_PAGE_CACHE_MS,
  });

export const record = (id: string) =>
  routeQuery(['record', id], 'GET /api/v2.6/owner/records/:recordId', { params: { recordId: id } });

const isRunning = (job: ImportJob | undefined): boolean => job?.state === 'running';

export const imports = queryOptions({
  queryKey: ['imports'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/imports', {}, signal),
  refetchInterval: (query) => (query.state.data?.some(isRunning) === true ? IMPORT_LIST_POLL_MS : false),
});

export const importJob = (id: string) =>
  queryOptions({
    queryKey: ['import', id],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/imports/:importId', { params: { importId: id } }, signal),
    refetchInterval: (query) => (isRunning(query.state.data) ? IMPORT_POLL_MS : false),
  });

/** The format is detected if none is chosen. */
export type PreviewChoices = { format?: 'known' | 'bank' | undefined } | ElementOptions;

export const importPreview = (importId: string, choices: PreviewChoices) =>
  queryOptions({
    queryKey: ['import-preview', importId, choices],
    queryFn: ({ signal }) => {
      const { format } = choices;
      return format === undefined || format === 'known' || format === 'bank'
        ? call('GET /api/v2.6/owner/imports/:importId/preview', { params: { importId }, query: { format } }, signal)
        : call(
            'POST /api/v2.6/owner/imports/:importId/preview',
            { params: { importId }, body: { ...choices, format } },
            signal,
          );
    },
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  });

export async function refreshData(endpoint?: string): Promise<void> {
  await Promise.all([
    refresh('endpoints', 'activity', 'deletions', 'timeline'),
    queryClient.invalidateQueries({ queryKey: endpoint === undefined ? ['records'] : ['records', endpoint] }),
    queryClient.invalidateQueries({ queryKey: endpoint === undefined ? ['fields'] : ['fields', endpoint] }),
  ]);
}

/** Refetches queries whose results contain names, icons or colours of endpoints. */
export const refreshDisplays = (): Promise<void> => refresh('endpoints', 'timeline', 'record-search');

export function useOwnerName(): string {
  return useQuery(owner).data?.name ?? '';
}

/** Returns the public address, or this page's origin if there is none. */
export function useBaseUrl(): { baseUrl: string; isPublic: boolean } {
  const publicUrl = useQuery(owner).data?.publicUrl ?? null;
  return publicUrl === null
    ? { baseUrl: location.origin, isPublic: false }
    : { baseUrl: publicUrl.replace(/\/+$/, ''), isPublic: true };
}
