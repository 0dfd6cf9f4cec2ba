import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { Narrowing, OwnerDebit, Permission } from '../../../shared/api/contract.ts';
import { queryClient } from '../../../shared/api/query-client.ts';
import type { SharingPreview } from '../../../shared/api/contract.ts';

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
const PREVIEW_STALE_MS = 5000;

export const sharingPreview = (source: PreviewSource, narrowing: Narrowing | undefined, skip: number, take: number) =>
  queryOptions({
    queryKey: [...source.queryKey, narrowing ?? null, skip, take],
    queryFn: ({ signal }) => source.load({ narrowing, skip, take }, signal),
    staleTime: PREVIEW_STALE_MS,
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
export function waitingDebits(all: readonly OwnerDebit[]): OwnerDebit[] {
  return all.filter(({ waiting }) => waiting !== null);
}

export function useWaitingDebitCount(): number {
  return waitingDebits(useQuery(debits).data ?? []).length;
}
