import { isolateText } from '../../../../server/wire/isolation.ts';
import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query';
import type { Act } from '../../../../server/wire/access-kinds.ts';
import { call } from '../../../shared/api/client.ts';
import type { LedgerGroup } from '../../../shared/api/contract.ts';
import { timeZone } from '../../../shared/format/format.ts';
import { refresh, routeQuery } from '../../../shared/api/query-client.ts';

// Query keys begin with the topic of the PDA's change events, except the key of the weekly summary.

export const applications = routeQuery(['applications', 'list'], 'GET /api/v2.6/owner/applications', {});

export const application = (id: string) =>
  routeQuery(['applications', 'one', id], 'GET /api/v2.6/owner/applications/:id', { params: { id } });

export const applicationView = (id: string) =>
  queryOptions({
    queryKey: ['applications', 'view', id],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/applications/:id/view', { params: { id } }, signal),
    // The view changes with every record, so a cached result is never fresh.
    staleTime: 0,
  });

/** An empty filter matches every entry. Times are ISO 8601. */
export interface AccessLogFilter {
  application?: string | undefined;
  debit?: string | undefined;
  user?: string | undefined;
  contract?: string | undefined;
  link?: string | undefined;
  function?: string | undefined;
  who?: 'owner' | 'visitor' | 'exchange' | undefined;
  act?: Act | undefined;
  /** An endpoint, or `files:<source>`. */
  endpoint?: string | undefined;
  /** Words, all of which must occur in names, ids, fields or addresses. */
  search?: string | undefined;
  record?: string | undefined;
  outcome?: 'allowed' | 'refused' | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

const ACCESS_LOG_PAGE_SIZE = 50;

export const accessLogGroups = (filter: AccessLogFilter) =>
  infiniteQueryOptions({
    queryKey: ['ledger', 'groups', filter],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/v2.6/owner/ledger-groups', { query: { ...filter, timeZone, before: pageParam } }, signal),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    gcTime: 60_000,
  });

export const accessLogGroupEntries = (filter: AccessLogFilter, { row, oldest }: LedgerGroup) =>
  infiniteQueryOptions({
    queryKey: ['ledger', 'group', filter, row.id, oldest],
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /api/v2.6/owner/ledger',
        {
          query: {
            ...filter,
            alike: row.id,
            after: oldest - 1,
            before: pageParam,
            take: ACCESS_LOG_PAGE_SIZE,
          },
        },
        signal,
      ),
    initialPageParam: row.id + 1,
    getNextPageParam: ({ next }) => next ?? undefined,
  });

export const latestAccess = (filter: AccessLogFilter, take: number) =>
  routeQuery(['ledger', 'latest', filter, take], 'GET /api/v2.6/owner/ledger', {
    query: { ...filter, take },
  });

/** Query of one entry. Its result is null if the entry does not exist. */
export const accessLogEntry = (id: number) =>
  queryOptions({
    queryKey: ['ledger', 'row', id],
    queryFn: async ({ signal }) => {
      const { rows } = await call('GET /api/v2.6/owner/ledger', { query: { before: id + 1, take: 1 } }, signal);
      return rows.find((row) => row.id === id) ?? null;
    },
  });

export const accessLogRecords = (entryId: number, take: number) =>
  routeQuery(['ledger', 'records', entryId, take], 'GET /api/v2.6/owner/ledger/:row/records', {
    params: { row: String(entryId) },
    query: { skip: 0, take },
  });

export const accessLogDays = (days: number) =>
  routeQuery(['ledger', 'days', days], 'GET /api/v2.6/owner/ledger-days', { query: { days } });

/** Reads and decisions of the last complete week, and items that end within two weeks. */
export const weeklySummary = routeQuery(['weekly-summary'], 'GET /api/v2.6/owner/weekly-summary', {
  query: { timeZone },
});

export const outbox = routeQuery(['outbox'], 'GET /api/v2.6/owner/outbox', {});

export const refreshApplications = (): Promise<void> =>
  refresh('applications', 'debits', 'ledger', 'sessions', 'outbox');

export function useApplicationName(): (id: string) => string {
  const catalogue = useQuery(applications).data;
  return (id) => {
    const key = id.toLowerCase();
    const match = catalogue?.find(({ item }) => item.application.id.toLowerCase() === key);
    return match === undefined ? id : isolateText(match.item.application.info.name);
  };
}
