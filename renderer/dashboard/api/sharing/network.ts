import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { PreviewSource } from './debits.ts';
import { refresh, routeQuery } from '../../../shared/api/query-client.ts';

// Query keys begin with the topic of the PDA's change events.

export const network = routeQuery(['network', 'view'], 'GET /api/v2.6/owner/network', {});

/** Always refetched, because the exchange may have changed the data. */
export const exchangeData = queryOptions({
  queryKey: ['network', 'known'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/network/known', {}, signal),
  staleTime: 0,
});

export const offers = routeQuery(['offers', 'list'], 'GET /api/v2.6/owner/offers', {});

/**
 * Returns the source of a preview of the data that an Offer requests. The owner can narrow the data only when deciding
 * on the Data Debit.
 */
export function offerPreview(offerId: string): PreviewSource {
  return {
    queryKey: ['offers', 'preview', offerId],
    load: ({ skip, take }, signal) =>
      call('GET /api/v2.6/owner/offers/:offerId/preview', { params: { offerId }, query: { skip, take } }, signal),
  };
}

export const contracts = routeQuery(['contracts'], 'GET /api/v2.6/owner/contracts', {});

export const refreshNetwork = (): Promise<void> => refresh('network', 'offers', 'applications', 'contracts');

/** Refetches Offers and Data Debits, because a claim creates a Data Debit. */
export const refreshOffers = (): Promise<void> => refresh('offers', 'debits');

/** Refetches contracts, applications and the access log: leaving a contract stops its application. */
export const refreshContracts = (): Promise<void> => refresh('contracts', 'applications', 'ledger');
