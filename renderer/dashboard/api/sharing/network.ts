import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { PreviewSource } from './debits.ts';
import { queryClient } from '../../../shared/api/query-client.ts';

/** The exchange and the contracts service. Query keys begin with the topic of the PDA's change events. */

export const network = queryOptions({
  queryKey: ['network', 'view'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/network', {}, signal),
});

/** The exchange's record of this PDA. Always refetched, because the exchange may have changed it. */
export const exchangeRecord = queryOptions({
  queryKey: ['network', 'known'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/network/known', {}, signal),
  staleTime: 0,
});

export const offers = queryOptions({
  queryKey: ['offers', 'list'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/offers', {}, signal),
});

/** Previews what an Offer requests. The owner narrows it later, when deciding its Data Debit. */
export function offerPreview(offerId: string): PreviewSource {
  return {
    queryKey: ['offers', 'preview', offerId],
    load: ({ skip, take }, signal) =>
      call('GET /api/v2.6/owner/offers/:offerId/preview', { params: { offerId }, query: { skip, take } }, signal),
  };
}

export const contracts = queryOptions({
  queryKey: ['contracts'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/contracts', {}, signal),
});

async function refresh(keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
}

/** Refetches everything that depends on the exchange or the registration with it. */
export const refreshNetwork = (): Promise<void> => refresh(['network', 'offers', 'applications', 'contracts']);

/** Refetches after a claim, which creates a request. */
export const refreshOffers = (): Promise<void> => refresh(['offers', 'debits']);

/** Refetches after leaving a contract, which stops its application. */
export const refreshContracts = (): Promise<void> => refresh(['contracts', 'applications', 'ledger']);
