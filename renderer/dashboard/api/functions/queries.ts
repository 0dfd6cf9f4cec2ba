import { isolated } from '../../../../server/wire/isolation.ts';
import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { FunctionRunPage, OwnerFunction } from '../../../shared/api/contract.ts';
import { queryClient } from '../../../shared/api/query-client.ts';

/** Functions and their runs. Every key begins with `functions`: the PDA says so when one of them changes. */

export const functions = queryOptions({
  queryKey: ['functions', 'list'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/functions', {}, signal),
});

/** Whether all of them are paused. */
export const functionsPaused = queryOptions({
  queryKey: ['functions', 'paused'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/functions-paused', {}, signal),
});

export async function setFunctionsPaused(paused: boolean): Promise<void> {
  const now = await call(paused ? 'POST /api/v2.6/owner/pause-functions' : 'POST /api/v2.6/owner/resume-functions', {});
  queryClient.setQueryData(functionsPaused.queryKey, now);
  await refreshFunctions();
}

export const functionById = (id: string) =>
  queryOptions({
    queryKey: ['functions', 'one', id],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/functions/:id', { params: { id } }, signal),
  });

/** Runs that one request brings. */
const RUNS_PAGE_SIZE = 50;

const runPage = (id: string, skip: number, take: number, signal: AbortSignal): Promise<FunctionRunPage> =>
  call('GET /api/v2.6/she/function/:id/runs', { params: { id }, query: { skip, take } }, signal);

export const functionRuns = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['functions', 'runs', id],
    queryFn: ({ pageParam, signal }) => runPage(id, pageParam, RUNS_PAGE_SIZE, signal),
    initialPageParam: 0,
    getNextPageParam: ({ total, runs: some }, _pages, skip) =>
      some.length > 0 && skip + some.length < total ? skip + some.length : undefined,
    gcTime: 60_000,
  });

/** The newest few. */
export const latestRuns = (id: string, take: number) =>
  queryOptions({
    queryKey: ['functions', 'latest', id, take],
    queryFn: ({ signal }) => runPage(id, 0, take, signal),
  });

export const functionRun = (id: string, runId: string) =>
  queryOptions({
    queryKey: ['functions', 'run', id, runId],
    queryFn: ({ signal }) => call('GET /api/v2.6/she/function/:id/runs/:runId', { params: { id, runId } }, signal),
  });

/** What it would be handed now. `asked`: what it publishes. Nothing is handed over: one elsewhere is only told for which window it is asked. */
export const functionInput = (id: string, asked: string) =>
  queryOptions({
    queryKey: ['function-input', id, asked],
    queryFn: ({ signal }) =>
      call('POST /api/v2.6/she/function/:id/dry-run', { params: { id }, body: { useAll: false, send: false } }, signal),
    // The function itself is asked: once for each look at it, whatever changes meanwhile.
    staleTime: 'static',
    gcTime: 0,
    retry: false,
  });

export interface FeedSelection {
  /** Only of this endpoint. */
  endpoint: string | undefined;
  /** Unix seconds: no later ones. The PDA's own choice without it. */
  until: number | undefined;
}

const FEED_PAGE_SIZE = 50;
/** Unix seconds: before anything that anybody remembers. */
const BEGINNING = -99_999_999_999;

/** The timeline, newest first: each page begins where the one before it ended. */
export const feed = ({ endpoint, until }: FeedSelection) =>
  infiniteQueryOptions({
    queryKey: ['feed', endpoint ?? null, until ?? null],
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /api/v2.6/owner/feed',
        { query: { endpoint, since: BEGINNING, until: pageParam.until, skip: pageParam.skip, take: FEED_PAGE_SIZE } },
        signal,
      ),
    initialPageParam: { until, skip: 0 },
    getNextPageParam: ({ next }): { until: number | undefined; skip: number } | undefined => next ?? undefined,
    gcTime: 60_000,
  });

export async function refreshFunctions(): Promise<void> {
  await Promise.all(['functions', 'ledger'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
}

/** Another answer about one function, shown at once. */
export function cacheFunction(one: OwnerFunction): void {
  queryClient.setQueryData(functionById(one.id).queryKey, one);
}

/** What a function calls itself, by its id; the id while that is not known. */
export function useFunctionName(): (id: string) => string {
  const known = useQuery(functions).data;
  return (id) => isolated(known?.find((one) => one.id === id)?.configuration?.info.name ?? id);
}
