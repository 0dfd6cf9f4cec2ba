import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { hasRole } from './account.ts';
import type { Account } from './client.ts';
import { listedApplications, offers, plugs } from './queries.ts';

/** What waits for a decision of an administrator: how many, and whether there are more than were read. */

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
  // Asked again while the page stays open: others hand in.
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
