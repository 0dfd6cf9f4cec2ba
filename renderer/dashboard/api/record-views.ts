import type { NewRecordView, RecordView, RecordViewsChange } from '../../../server/wire/record-views.ts';
import { call } from '../../shared/api/client.ts';
import { queryClient, routeQuery } from '../../shared/api/query-client.ts';

export const recordViews = (endpoint: string) =>
  routeQuery(['record-views', endpoint], 'GET /api/v2.6/owner/record-views', { query: { endpoint } });

/** Caches the views. First cancels a pending request, whose response would restore the earlier views. */
async function cacheViews(endpoint: string, views: RecordView[]): Promise<void> {
  const { queryKey } = recordViews(endpoint);
  await queryClient.cancelQueries({ queryKey });
  queryClient.setQueryData(queryKey, views);
}

/** Adds a view. The endpoint's views need not be loaded. */
export async function addRecordView(endpoint: string, view: NewRecordView): Promise<void> {
  await cacheViews(endpoint, await call('POST /api/v2.6/owner/record-views', { query: { endpoint }, body: view }));
}

export async function saveRecordViews(endpoint: string, views: RecordViewsChange): Promise<void> {
  await cacheViews(endpoint, await call('PUT /api/v2.6/owner/record-views', { query: { endpoint }, body: views }));
}
