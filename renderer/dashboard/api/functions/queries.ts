import { isolateText } from '../../../../server/wire/isolation.ts';
import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { FunctionRunPage, OwnerFunction } from '../../../shared/api/contract.ts';
import { queryClient, refresh, routeQuery } from '../../../shared/api/query-client.ts';

// Query keys begin with `functions`, the topic of the PDA's change events, except the key of a function's input.

export const functions = routeQuery(['functions', 'list'], 'GET /api/v2.6/owner/functions', {});

export const functionsPaused = routeQuery(['functions', 'paused'], 'GET /api/v2.6/owner/functions-paused', {});

export async function setFunctionsPaused(paused: boolean): Promise<void> {
  const response = await call(
    paused ? 'POST /api/v2.6/owner/pause-functions' : 'POST /api/v2.6/owner/resume-functions',
    {},
  );
  queryClient.setQueryData(functionsPaused.queryKey, response);
  await refreshFunctions();
}

export const functionById = (id: string) =>
  routeQuery(['functions', 'one', id], 'GET /api/v2.6/owner/functions/:id', { params: { id } });

const RUNS_PAGE_SIZE = 50;

const fetchRunPage = (id: string, skip: number, take: number, signal: AbortSignal): Promise<FunctionRunPage> =>
  call('GET /api/v2.6/she/function/:id/runs', { params: { id }, query: { skip, take } }, signal);

export const functionRuns = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['functions', 'runs', id],
    queryFn: ({ pageParam, signal }) => fetchRunPage(id, pageParam, RUNS_PAGE_SIZE, signal),
    initialPageParam: 0,
    getNextPageParam: ({ total, runs }, _pages, skip) =>
      runs.length > 0 && skip + runs.length < total ? skip + runs.length : undefined,
    gcTime: 60_000,
  });

export const latestRuns = (id: string, take: number) =>
  queryOptions({
    queryKey: ['functions', 'latest', id, take],
    queryFn: ({ signal }) => fetchRunPage(id, 0, take, signal),
  });

export const functionRun = (id: string, runId: string) =>
  routeQuery(['functions', 'run', id, runId], 'GET /api/v2.6/she/function/:id/runs/:runId', { params: { id, runId } });

/**
 * Query of the input that a function would receive if it ran now. The function itself receives no data. A remote
 * function is only asked which data it would read for a time window.
 * @param requestKey key of the function's request; when it changes, the input is fetched again
 */
export const functionInput = (id: string, requestKey: string) =>
  queryOptions({
    queryKey: ['function-input', id, requestKey],
    queryFn: ({ signal }) =>
      call('POST /api/v2.6/she/function/:id/dry-run', { params: { id }, body: { useAll: false, send: false } }, signal),
    // Each fetch sends a request to a remote function, so the input is not refetched while the key stays the same.
    staleTime: 'static',
    gcTime: 0,
    retry: false,
  });

export const refreshFunctions = (): Promise<void> => refresh('functions', 'ledger');

export function cacheFunction(ownerFunction: OwnerFunction): void {
  queryClient.setQueryData(functionById(ownerFunction.id).queryKey, ownerFunction);
}

export function useFunctionName(): (id: string) => string {
  const installedFunctions = useQuery(functions).data;
  return (id) =>
    isolateText(installedFunctions?.find((candidate) => candidate.id === id)?.configuration?.info.name ?? id);
}
