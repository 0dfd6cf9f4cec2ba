import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { queryClient } from '../../api/queries.ts';
import { type Listed, type Offer, call } from './client.ts';

/** What the pages read, and under which key it is kept. Long lists come page by page: each begins behind the last one of the page before. */

export const PAGE = 100;

export const self = queryOptions({
  queryKey: ['self'],
  queryFn: ({ signal }) => call('GET /api/accounts/self', {}, signal),
  staleTime: 5 * 60_000,
});

export const figures = queryOptions({
  queryKey: ['figures'],
  queryFn: ({ signal }) => call('GET /stats', {}, signal),
});

export const daily = (days: number) =>
  queryOptions({
    queryKey: ['daily', days],
    queryFn: ({ signal }) => call('GET /api/statistics/daily', { query: { days } }, signal),
  });

export const availableData = queryOptions({
  queryKey: ['available-data'],
  queryFn: ({ signal }) => call('GET /stats/available-data', {}, signal),
});

/** `address`: only the one there. */
export const pdas = (address: string) =>
  infiniteQueryOptions({
    queryKey: ['pdas', address],
    queryFn: ({ signal, pageParam }) =>
      call('GET /api/pdas', { query: { take: PAGE, after: pageParam, address: address || undefined } }, signal),
    initialPageParam: '',
    getNextPageParam: (last) => (last.length < PAGE ? undefined : last.at(-1)?.pdaId),
  });

export type ListedState = Listed['state'];

export const listed = (state: ListedState | undefined) =>
  infiniteQueryOptions({
    queryKey: ['applications', state ?? 'all'],
    queryFn: ({ signal, pageParam }) =>
      call('GET /api/applications/listed', { query: { take: PAGE, after: pageParam, state } }, signal),
    initialPageParam: '',
    getNextPageParam: (last) => (last.length < PAGE ? undefined : last.at(-1)?.application.id),
  });

export const oneListed = (id: string) =>
  queryOptions({
    queryKey: ['applications', 'one', id],
    queryFn: async ({ signal }) =>
      (await call('GET /api/applications/listed', { query: { id } }, signal)).at(0) ?? null,
  });

export type OfferState = 'draft' | 'approved' | 'rejected';

export const offers = (status: OfferState | undefined) =>
  infiniteQueryOptions({
    queryKey: ['offers', status ?? 'all'],
    queryFn: ({ signal, pageParam }) =>
      call('GET /api/v2/offers', { query: { take: PAGE, after: pageParam, status } }, signal),
    initialPageParam: '',
    getNextPageParam: (last: Offer[]) => (last.length < PAGE ? undefined : last.at(-1)?.offerId),
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
      call('GET /api/v2/offer/:id/claims', { params: { id }, query: { skip: pageParam, take: PAGE } }, signal),
    initialPageParam: 0,
    getNextPageParam: (last, pages) => (last.claims.length < PAGE ? undefined : pages.length * PAGE),
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
    call('GET /api/audit', { query: { take: PAGE, before: pageParam || undefined } }, signal),
  initialPageParam: '',
  getNextPageParam: (last) => (last.length < PAGE ? undefined : last.at(-1)?.id),
});

/** After something was decided: whatever tells of it asks again. */
export async function refresh(...of: readonly string[]): Promise<void> {
  await Promise.all(
    [...of, 'figures', 'daily', 'audit'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })),
  );
}
