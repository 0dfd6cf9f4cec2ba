import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { authorised, call } from './client.ts';
import type { Narrowing, OwnerDebit, Permission } from './contract.ts';
import { queryClient } from './queries.ts';
import type { SharingPreview } from './contract.ts';

/** What is asked and what is shared. Every key begins with `debits`: the PDA says so when one of them changes. */

export const debits = queryOptions({
  queryKey: ['debits'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/debits', {}, signal),
});

export const debit = (key: string) =>
  queryOptions({
    queryKey: ['debits', 'one', key],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/debits/*key', { params: { key } }, signal),
  });

/** Where a preview comes from: a Data Debit that waits or runs, or the sign-in of an application that is not set up yet. */
export interface PreviewSource {
  queryKey: readonly unknown[];
  load: (
    page: { narrowing: Narrowing | undefined; skip: number; take: number },
    signal: AbortSignal,
  ) => Promise<SharingPreview>;
}

export function debitPreview(key: string, permissionId: string): PreviewSource {
  return {
    queryKey: ['debits', 'preview', key, permissionId],
    load: ({ narrowing, skip, take }, signal) =>
      call(
        'POST /api/v2.6/owner/debits/*key/preview',
        {
          params: { key },
          body: { permissionId, skip, take, ...(narrowing === undefined ? {} : { narrowing }) },
        },
        signal,
      ),
  };
}

/** Milliseconds. What would leave "now" is asked again before long. */
const NOW = 5000;

export const preview = (source: PreviewSource, narrowing: Narrowing | undefined, skip: number, take: number) =>
  queryOptions({
    queryKey: [...source.queryKey, narrowing ?? null, skip, take],
    queryFn: ({ signal }) => source.load({ narrowing, skip, take }, signal),
    staleTime: NOW,
    gcTime: 60_000,
    placeholderData: keepPreviousData,
  });

export async function refreshDebits(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['debits'] });
}

export function waitingPermission({ debit: one, waiting }: OwnerDebit): Permission | undefined {
  return one.permissions.find(({ permissionId }) => permissionId === waiting);
}

/** Requests that want a decision, the oldest last. */
export function waitingOf(all: readonly OwnerDebit[]): OwnerDebit[] {
  return all.filter(({ waiting }) => waiting !== null);
}

export function useWaiting(): number {
  return waitingOf(useQuery(debits).data ?? []).length;
}

/** A logo, fetched by the PDA: whoever is shown does not learn where it is looked at. Kept until the window is closed. */
export const picture = (url: string) =>
  queryOptions({
    queryKey: ['picture', url],
    queryFn: async ({ signal }) => {
      const answer = await authorised(`/api/v2.6/owner/picture?url=${encodeURIComponent(url)}`, { signal });
      return URL.createObjectURL(await answer.blob());
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
  });
