import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { hasRole } from './account.ts';
import type { Account } from './client.ts';
import { listedApplications, offers, plugs } from './queries.ts';

const POLL_INTERVAL_MS = 60_000;

interface PendingCount {
  count: number;
  /** True if `count` is a minimum, because not all pending items are loaded. */
  hasMore: boolean;
  isLoaded: boolean;
}

const toPendingCount = (pages: readonly (readonly unknown[])[] | undefined, hasMore: boolean): PendingCount => ({
  count: pages?.flat().length ?? 0,
  hasMore,
  isLoaded: pages !== undefined,
});

export function usePendingCounts(account: Account): Record<'applications' | 'offers' | 'plugs', PendingCount> {
  const isAdministrator = hasRole(account, 'administrator');
  // Polls, because other accounts submit items.
  const polling = { enabled: isAdministrator, refetchInterval: POLL_INTERVAL_MS };
  const applications = useInfiniteQuery({ ...listedApplications('waiting'), ...polling });
  const drafts = useInfiniteQuery({ ...offers('draft'), ...polling });
  const allPlugs = useQuery({ ...plugs, ...polling });
  return {
    applications: toPendingCount(applications.data?.pages, applications.hasNextPage),
    offers: toPendingCount(drafts.data?.pages, drafts.hasNextPage),
    plugs: {
      count: isAdministrator ? (allPlugs.data?.filter(({ approved }) => !approved).length ?? 0) : 0,
      hasMore: false,
      isLoaded: allPlugs.data !== undefined,
    },
  };
}
