import { QueryClient, queryOptions } from '@tanstack/react-query';
import type { PdaApi } from '../../../server/pda/pda.ts';
import { call } from './client.ts';
import type { RequestInput, Route } from './contract.ts';
import { toProblem } from './problem.ts';

/** Age at which cached data is fetched again when a page needs it. */
const STALE_AFTER_MS = 30_000;
const QUERY_MAX_RETRIES = 2;
const FIRST_RETRY_MS = 400;

export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    // The PDA usually runs on this machine, so a browser without internet can still reach it. The default mode
    // ('online') would pause every query and mutation until the browser's `online` event.
    queries: {
      networkMode: 'always',
      staleTime: STALE_AFTER_MS,
      refetchOnWindowFocus: true,
      // A repeated request to a reachable server would get the same error.
      retry: (failures, error) => toProblem(error).code === 'unreachable' && failures < QUERY_MAX_RETRIES,
      retryDelay: (attempt) => FIRST_RETRY_MS * 2 ** attempt,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

/** Invalidates the queries whose keys begin with one of `keys`. Active queries are refetched. */
export async function refresh(...keys: string[]): Promise<void> {
  await Promise.all(keys.map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
}

/** Creates a query for the response of a route: `routeQuery(['sessions'], 'GET /api/v2.6/owner/sessions', {})`. */
export const routeQuery = <R extends Route>(queryKey: readonly unknown[], route: R, request: RequestInput<PdaApi[R]>) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => call(route, request, signal) });
