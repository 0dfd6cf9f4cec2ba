import { QueryClient } from '@tanstack/react-query';
import { toProblem } from './problem.ts';

/** Milliseconds until cached data is fetched again when a page needs it. */
const STALE_AFTER_MS = 30_000;
const QUERY_MAX_RETRIES = 2;
const FIRST_RETRY_MS = 400;

/** The cache of server data, shared by all pages of a document. */
export const queryClient: QueryClient = new QueryClient({
  defaultOptions: {
    // The PDA usually runs on this machine, so a browser without internet can still reach it. The default mode
    // ('online') would pause every query and mutation until the browser's `online` event.
    queries: {
      networkMode: 'always',
      staleTime: STALE_AFTER_MS,
      refetchOnWindowFocus: true,
      // Retry only if the server is unreachable: a repeated request would get the same error response.
      retry: (failures, error) => toProblem(error).code === 'unreachable' && failures < QUERY_MAX_RETRIES,
      retryDelay: (attempt) => FIRST_RETRY_MS * 2 ** attempt,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});
