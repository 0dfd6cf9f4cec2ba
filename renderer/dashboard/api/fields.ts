import { queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';

/** Query for the names, types and units of an endpoint's fields. */

export const endpointFields = (endpoint: string) =>
  queryOptions({
    queryKey: ['fields', endpoint],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/fields', { query: { endpoint } }, signal),
  });
