import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { PreviewSource } from './debits.ts';
import { queryClient } from '../../../shared/api/query-client.ts';

/** The exchange and the contracts service, as far as the owner meets them. Keys begin with the topic by which the PDA tells of changes. */

export const network = queryOptions({
  queryKey: ['network', 'view'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/network', {}, signal),
});

/** Asked of the exchange each time: what it knew a while ago says little. */
export const knownByExchange = queryOptions({
  queryKey: ['network', 'known'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/network/known', {}, signal),
  staleTime: 0,
});

export const offers = queryOptions({
  queryKey: ['offers', 'list'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/offers', {}, signal),
});

/** What an Offer would share. It is shown as it is asked: what is left out is chosen when its request is decided. */
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

/** Another exchange, or another standing with it: what it offers and publishes is another too. */
export const refreshNetwork = (): Promise<void> => refresh(['network', 'offers', 'applications', 'contracts']);

/** An Offer was claimed: there is a request now. */
export const refreshOffers = (): Promise<void> => refresh(['offers', 'debits']);

/** A contract was left: its application is stopped. */
export const refreshContracts = (): Promise<void> => refresh(['contracts', 'applications', 'ledger']);
