import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { refreshFiles } from './queries.ts';

/** Folders that are shared with people. The key begins with `files`, the topic of their change events. */
export const sharedFolders = queryOptions({
  queryKey: ['files', 'shared-folders'],
  queryFn: async ({ signal }) => (await call('GET /api/v2.6/owner/shared-folders', {}, signal)).folders,
});

export async function shareFolder(folder: string, userId: string): Promise<void> {
  await call('POST /api/v2.6/owner/shared-folders', { body: { folder, userId } });
  await refreshFiles();
}

export async function unshareFolder(sharedFolderId: string): Promise<void> {
  await call('DELETE /api/v2.6/owner/shared-folders/:sharedFolderId', { params: { sharedFolderId } });
  await refreshFiles();
}
