import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { Narrowing, OwnerDebit, Permission, SharingPreview } from '../../../shared/api/contract.ts';
import { refresh, routeQuery } from '../../../shared/api/query-client.ts';

// The keys of Data Debit queries begin with `debits`, the topic of the PDA's change events.

const PAGE_SIZE = 1000;

/** Query for all Data Debits, including ended and removed ones, newest first. */
export const debitsQuery = queryOptions({
  queryKey: ['debits'],
  queryFn: async ({ signal }) => {
    // A Data Debit that is created during the loop pushes an older one to the next page, which would list it again.
    const debitsByKey = new Map<string, OwnerDebit>();
    for (let skip = 0; ; skip += PAGE_SIZE) {
      const page = await call('GET /api/v2.6/owner/debits', { query: { skip, take: PAGE_SIZE } }, signal);
      for (const item of page) debitsByKey.set(item.debit.dataDebitKey, item);
      if (page.length < PAGE_SIZE) return [...debitsByKey.values()];
    }
  },
});

export const debitQuery = (key: string) =>
  routeQuery(['debits', 'one', key], 'GET /api/v2.6/owner/debits/*key', { params: { key } });

/** Source of a preview of the data that a Data Debit, an Offer or an application shares, loaded page by page. */
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

/** Returns the source of a preview of all requested data, including data that the permission does not grant. */
export function requestedDataPreview(key: string, permissionId: string): PreviewSource {
  const { queryKey, load } = debitPreview(key, permissionId);
  return {
    queryKey: [...queryKey, 'requested'],
    load: ({ narrowing = { drop: [], keep: [] }, ...page }, signal) => load({ narrowing, ...page }, signal),
  };
}

/** The preview shows current records, so it becomes stale quickly. */
const PREVIEW_STALE_MS = 5000;

export const sharingPreview = (source: PreviewSource, narrowing: Narrowing | undefined, skip: number, take: number) =>
  queryOptions({
    queryKey: [...source.queryKey, narrowing ?? null, skip, take],
    queryFn: ({ signal }) => source.load({ narrowing, skip, take }, signal),
    staleTime: PREVIEW_STALE_MS,
    gcTime: 60_000,
    placeholderData: keepPreviousData,
  });

export const refreshDebits = (): Promise<void> => refresh('debits');

export function waitingPermission({ debit: dataDebit, waiting }: OwnerDebit): Permission | undefined {
  return dataDebit.permissions.find(({ permissionId }) => permissionId === waiting);
}

export function waitingDebits(ownerDebits: readonly OwnerDebit[]): OwnerDebit[] {
  return ownerDebits.filter(({ waiting }) => waiting !== null);
}

export function useWaitingDebitCount(): number {
  return waitingDebits(useQuery(debitsQuery).data ?? []).length;
}
