import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { queryClient } from '../../shared/api/query-client.ts';
import { type ListedApplication, type Offer, call } from './client.ts';

/** Number of items per page of a long list. */
const PAGE_SIZE = 100;
const ACCOUNT_STALE_AFTER_MS = 5 * 60_000;

export const ownAccount = queryOptions({
  queryKey: ['self'],
  queryFn: ({ signal }) => call('GET /api/accounts/self', {}, signal),
  staleTime: ACCOUNT_STALE_AFTER_MS,
});

export const figures = queryOptions({
  queryKey: ['figures'],
  queryFn: ({ signal }) => call('GET /stats', {}, signal),
});

export const dailyStatistics = (days: number) =>
  queryOptions({
    queryKey: ['daily', days],
    queryFn: ({ signal }) => call('GET /api/statistics/daily', { query: { days } }, signal),
  });

export const availableData = queryOptions({
  queryKey: ['available-data'],
  queryFn: ({ signal }) => call('GET /stats/available-data', {}, signal),
});

/** @param address empty for all PDAs */
export const pdas = (address: string) =>
  infiniteQueryOptions({
    queryKey: ['pdas', address],
    queryFn: ({ signal, pageParam }) =>
      call(
        'GET /api/pdas',
        { query: { take: PAGE_SIZE, after: pageParam || undefined, address: address || undefined } },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: (last) => (last.length < PAGE_SIZE ? undefined : last.at(-1)?.pdaId),
  });

type ApplicationState = ListedApplication['state'];

export const listedApplications = (state: ApplicationState | undefined) =>
  infiniteQueryOptions({
    queryKey: ['applications', state ?? 'all'],
    queryFn: ({ signal, pageParam }) =>
      call(
        'GET /api/applications/listed',
        { query: { take: PAGE_SIZE, after: pageParam || undefined, state } },
        signal,
      ),
    initialPageParam: '',
    getNextPageParam: (last) => (last.length < PAGE_SIZE ? undefined : last.at(-1)?.application.id),
  });

export const applicationById = (id: string) =>
  queryOptions({
    queryKey: ['applications', 'one', id],
    queryFn: async ({ signal }) =>
      (await call('GET /api/applications/listed', { query: { id } }, signal)).at(0) ?? null,
  });

type OfferState = 'draft' | 'approved' | 'rejected';

export const offers = (status: OfferState | undefined) =>
  infiniteQueryOptions({
    queryKey: ['offers', status ?? 'all'],
    queryFn: ({ signal, pageParam }) =>
      call('GET /api/v2/offers', { query: { take: PAGE_SIZE, after: pageParam || undefined, status } }, signal),
    initialPageParam: '',
    getNextPageParam: (last: Offer[]) => (last.length < PAGE_SIZE ? undefined : last.at(-1)?.offerId),
  });

export const offer = (id: string) =>
  queryOptions({
    queryKey: ['offers', 'one', id],
    queryFn: ({ signal }) => call('GET /api/v2/offer/:id', { params: { id } }, signal),
  });

export const claims = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['offers', 'claims', id],
    queryFn: ({ signal, pageParam }) =>
      call('GET /api/v2/offer/:id/claims', { params: { id }, query: { skip: pageParam, take: PAGE_SIZE } }, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.claims.length < PAGE_SIZE ? undefined : pages.length * PAGE_SIZE),
  });

export const plugs = queryOptions({
  queryKey: ['plugs'],
  queryFn: ({ signal }) => call('GET /api/dataplugs', {}, signal),
});

export const accounts = queryOptions({
  queryKey: ['accounts'],
  queryFn: ({ signal }) => call('GET /api/accounts', {}, signal),
});

export const audit = infiniteQueryOptions({
  queryKey: ['audit'],
  queryFn: ({ signal, pageParam }) =>
    call('GET /api/audit', { query: { take: PAGE_SIZE, before: pageParam || undefined } }, signal),
  initialPageParam: '',
  getNextPageParam: (last) => (last.length < PAGE_SIZE ? undefined : last.at(-1)?.id),
});

/** Invalidates the queries with these keys, and the statistics and the audit log, which most changes affect. */
export async function invalidate(...queryKeys: readonly string[]): Promise<void> {
  await Promise.all(
    [...queryKeys, 'figures', 'daily', 'audit'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })),
  );
}
