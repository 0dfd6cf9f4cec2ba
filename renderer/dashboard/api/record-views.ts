import { queryOptions } from '@tanstack/react-query';
import type { RecordViewsChange } from '../../../server/wire/record-views.ts';
import { call } from '../../shared/api/client.ts';
import { queryClient } from '../../shared/api/query-client.ts';

/** Saved views of the records of an endpoint. */

export const recordViews = (endpoint: string) =>
  queryOptions({
    queryKey: ['record-views', endpoint],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/record-views', { query: { endpoint } }, signal),
  });

/** Replaces the views of an endpoint. */
export async function saveRecordViews(endpoint: string, views: RecordViewsChange): Promise<void> {
  const savedViews = await call('PUT /api/v2.6/owner/record-views', { query: { endpoint }, body: views });
  queryClient.setQueryData(recordViews(endpoint).queryKey, savedViews);
}
