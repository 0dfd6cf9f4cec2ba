import { isolated } from '../../../../server/wire/isolation.ts';
import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { queryClient } from '../../../shared/api/query-client.ts';

/** Applications, the access history and the messages to others. Keys begin with the topic by which the PDA tells of changes. */

export const applications = queryOptions({
  queryKey: ['applications', 'list'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/applications', {}, signal),
});

export const application = (id: string) =>
  queryOptions({
    queryKey: ['applications', 'one', id],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/applications/:id', { params: { id } }, signal),
  });

export const applicationView = (id: string) =>
  queryOptions({
    queryKey: ['applications', 'view', id],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/applications/:id/view', { params: { id } }, signal),
    // What it reaches changes with every record: seen from yesterday it would be wrong.
    staleTime: 0,
  });

/** Which entries of the ledger; all of them without any. Moments are ISO 8601. */
export interface AccessLogFilter {
  application?: string | undefined;
  debit?: string | undefined;
  /** Id of a person. */
  user?: string | undefined;
  contract?: string | undefined;
  record?: string | undefined;
  outcome?: 'allowed' | 'refused' | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** Entries that one request brings. */
const ACCESS_LOG_PAGE_SIZE = 50;

export const accessLog = (selection: AccessLogFilter) =>
  infiniteQueryOptions({
    queryKey: ['ledger', 'list', selection],
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /api/v2.6/owner/ledger',
        { query: { ...NO_FILTER, ...selection, before: pageParam, take: ACCESS_LOG_PAGE_SIZE } },
        signal,
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    gcTime: 60_000,
  });

const NO_FILTER = {
  application: undefined,
  debit: undefined,
  user: undefined,
  contract: undefined,
  record: undefined,
  outcome: undefined,
  from: undefined,
  to: undefined,
  before: undefined,
} as const;

/** The newest few entries of a kind. */
export const latestAccess = (selection: AccessLogFilter, take: number) =>
  queryOptions({
    queryKey: ['ledger', 'latest', selection, take],
    queryFn: ({ signal }) =>
      call('GET /api/v2.6/owner/ledger', { query: { ...NO_FILTER, ...selection, take } }, signal),
  });

/** One entry: the newest one that is not newer than itself. */
export const accessLogEntry = (id: number) =>
  queryOptions({
    queryKey: ['ledger', 'row', id],
    queryFn: async ({ signal }) => {
      const { rows } = await call(
        'GET /api/v2.6/owner/ledger',
        { query: { ...NO_FILTER, before: id + 1, take: 1 } },
        signal,
      );
      return rows.find((row) => row.id === id) ?? null;
    },
  });

export const accessLogRecords = (row: number, take: number) =>
  queryOptions({
    queryKey: ['ledger', 'records', row, take],
    queryFn: ({ signal }) =>
      call(
        'GET /api/v2.6/owner/ledger/:row/records',
        { params: { row: String(row) }, query: { skip: 0, take } },
        signal,
      ),
  });

export const accessLogDays = (days: number) =>
  queryOptions({
    queryKey: ['ledger', 'days', days],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/ledger-days', { query: { days } }, signal),
  });

export const outbox = queryOptions({
  queryKey: ['outbox'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/outbox', {}, signal),
});

/** After an application was set up or stopped: its rights, its Data Debits and its sessions have changed. */
export async function refreshApplications(): Promise<void> {
  await Promise.all(
    ['applications', 'debits', 'ledger', 'sessions', 'outbox'].map((key) =>
      queryClient.invalidateQueries({ queryKey: [key] }),
    ),
  );
}

/** The name of an application by its id, as the catalogue has it; its id while that is not known. */
export function useApplicationName(): (id: string) => string {
  const known = useQuery(applications).data;
  return (id) => {
    const key = id.toLowerCase();
    const found = known?.find(({ item }) => item.application.id.toLowerCase() === key);
    return found === undefined ? id : isolated(found.item.application.info.name);
  };
}
