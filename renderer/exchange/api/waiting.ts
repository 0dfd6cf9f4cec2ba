import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { can } from './account.ts';
import type { Account } from './client.ts';
import { listed, offers, plugs } from './queries.ts';

/** What waits for a decision of an administrator: how many, and whether there are more than were read. */

interface Waiting {
  count: number;
  more: boolean;
}

const counted = (pages: readonly (readonly unknown[])[] | undefined, more: boolean): Waiting => ({
  count: pages?.flat().length ?? 0,
  more,
});

export function useWaiting(account: Account): Record<'applications' | 'offers' | 'plugs', Waiting> {
  const enabled = can(account, 'administrator');
  // Asked again while the page stays open: others hand in.
  const often = { enabled, refetchInterval: 60_000 };
  const applications = useInfiniteQuery({ ...listed('waiting'), ...often });
  const drafts = useInfiniteQuery({ ...offers('draft'), ...often });
  const registered = useQuery({ ...plugs, ...often });
  return {
    applications: counted(applications.data?.pages, applications.hasNextPage),
    offers: counted(drafts.data?.pages, drafts.hasNextPage),
    plugs: { count: enabled ? (registered.data?.filter(({ approved }) => !approved).length ?? 0) : 0, more: false },
  };
}
