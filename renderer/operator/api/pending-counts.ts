import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { hasRole } from './account.ts';
import type { Account } from './client.ts';
import { listedApplications, offers, plugs } from './queries.ts';

/** Numbers of items that wait for a decision of an administrator. */

interface PendingCount {
  count: number;
  more: boolean;
}

const toCount = (pages: readonly (readonly unknown[])[] | undefined, more: boolean): PendingCount => ({
  count: pages?.flat().length ?? 0,
  more,
});

export function usePendingCounts(account: Account): Record<'applications' | 'offers' | 'plugs', PendingCount> {
  const enabled = hasRole(account, 'administrator');
  // Poll while the page is open: others submit items.
  const often = { enabled, refetchInterval: 60_000 };
  const applications = useInfiniteQuery({ ...listedApplications('waiting'), ...often });
  const drafts = useInfiniteQuery({ ...offers('draft'), ...often });
  const registered = useQuery({ ...plugs, ...often });
  return {
    applications: toCount(applications.data?.pages, applications.hasNextPage),
    offers: toCount(drafts.data?.pages, drafts.hasNextPage),
    plugs: { count: enabled ? (registered.data?.filter(({ approved }) => !approved).length ?? 0) : 0, more: false },
  };
}
