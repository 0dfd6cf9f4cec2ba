import { queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import type { FieldCorrections } from '../../shared/api/contract.ts';
import { queryClient } from '../../shared/api/query-client.ts';

/** Queries for the names, types and units of an endpoint's fields. */

export const endpointFields = (endpoint: string) =>
  queryOptions({
    queryKey: ['fields', endpoint],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/fields', { query: { endpoint } }, signal),
  });

/** Stores corrections of the owner and updates the cached fields. */
export async function correctFields(endpoint: string, corrections: FieldCorrections): Promise<void> {
  const corrected = await call('PUT /api/v2.6/owner/fields', { query: { endpoint }, body: corrections });
  queryClient.setQueryData(endpointFields(endpoint).queryKey, corrected);
}
