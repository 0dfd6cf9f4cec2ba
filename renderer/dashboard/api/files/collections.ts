import { queryOptions } from '@tanstack/react-query';
import { MAX_COLLECTION_FILES_PER_REQUEST } from '../../../../server/wire/limits.ts';
import { call } from '../../../shared/api/client.ts';
import type { Collection } from '../../../shared/api/contract.ts';
import { refreshFiles } from './queries.ts';

/** The query key begins with `files`, the topic that announces changes. */
export const collections = queryOptions({
  queryKey: ['files', 'collections'],
  queryFn: async ({ signal }) => (await call('GET /api/v2.6/owner/collections', {}, signal)).collections,
});

/** Creates an empty collection. The caller must refetch the collections. */
export async function createCollection(name: string): Promise<Collection> {
  return call('POST /api/v2.6/owner/collections', { body: { name } });
}

export async function renameCollection(collectionId: string, name: string): Promise<void> {
  await call('PUT /api/v2.6/owner/collections/:collectionId', { params: { collectionId }, body: { name } });
  await refreshFiles();
}

export async function deleteCollection(collectionId: string): Promise<void> {
  await call('DELETE /api/v2.6/owner/collections/:collectionId', { params: { collectionId } });
  await refreshFiles();
}

/** Sends the ids in requests of the allowed size. If a request fails, the effect of earlier requests remains. */
async function sendFileIds(
  route:
    | 'POST /api/v2.6/owner/collections/:collectionId/files'
    | 'POST /api/v2.6/owner/collections/:collectionId/files/remove',
  collectionId: string,
  fileIds: readonly string[],
): Promise<void> {
  try {
    for (let start = 0; start < fileIds.length; start += MAX_COLLECTION_FILES_PER_REQUEST)
      await call(route, {
        params: { collectionId },
        body: { fileIds: fileIds.slice(start, start + MAX_COLLECTION_FILES_PER_REQUEST) },
      });
  } finally {
    await refreshFiles();
  }
}

export async function addToCollection(collectionId: string, fileIds: readonly string[]): Promise<void> {
  await sendFileIds('POST /api/v2.6/owner/collections/:collectionId/files', collectionId, fileIds);
}

export async function removeFromCollection(collectionId: string, fileIds: readonly string[]): Promise<void> {
  await sendFileIds('POST /api/v2.6/owner/collections/:collectionId/files/remove', collectionId, fileIds);
}
