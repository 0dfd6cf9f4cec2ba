import { queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import type { NewSharedView, SharedView } from '../../shared/api/contract.ts';
import { refreshFiles } from './files/queries.ts';

/** Tables and charts shared with people. The query key begins with `files`, the topic that announces changes. */
export const sharedViews = queryOptions({
  queryKey: ['files', 'shared-views'],
  queryFn: async ({ signal }) => (await call('GET /api/v2.6/owner/shared-views', {}, signal)).views,
});

/** Shares a table or chart. Replaces the shared view with the same person, endpoint, kind and name, if any. */
export async function shareView(view: NewSharedView): Promise<SharedView> {
  const sharedView = await call('POST /api/v2.6/owner/shared-views', { body: view });
  await refreshFiles();
  return sharedView;
}

export async function unshareView(sharedViewId: string): Promise<void> {
  await call('DELETE /api/v2.6/owner/shared-views/:sharedViewId', { params: { sharedViewId } });
  await refreshFiles();
}
