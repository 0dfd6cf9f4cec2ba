import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { OwnerFile } from '../../../shared/api/contract.ts';
import { refreshFiles } from './queries.ts';

export interface ShareTarget {
  kind: 'folder' | 'collection';
  /** Path of a folder, or collection id. */
  id: string;
  /** Last segment of a path, or name of a collection. */
  name: string;
}

export interface TargetShare {
  shareId: string;
  target: ShareTarget;
  userId: string;
  name: string;
}

export const folderTarget = (folder: string): ShareTarget => ({
  kind: 'folder',
  id: folder,
  name: folder.slice(folder.lastIndexOf('/') + 1),
});

export const collectionTarget = ({ collectionId, name }: { collectionId: string; name: string }): ShareTarget => ({
  kind: 'collection',
  id: collectionId,
  name,
});

export const contentOfTarget = ({ kind, id }: ShareTarget): { folder: string } | { collectionId: string } =>
  kind === 'folder' ? { folder: id } : { collectionId: id };

export function targetSharesOf({
  sharedFolders,
  sharedCollections,
}: Pick<OwnerFile, 'sharedFolders' | 'sharedCollections'>): TargetShare[] {
  return [
    ...sharedFolders.map(({ sharedFolderId, folder, userId, name }) => ({
      shareId: sharedFolderId,
      target: folderTarget(folder),
      userId,
      name,
    })),
    ...sharedCollections.map(({ sharedCollectionId, collectionId, collection, userId, name }) => ({
      shareId: sharedCollectionId,
      target: collectionTarget({ collectionId, name: collection }),
      userId,
      name,
    })),
  ];
}

/** Folders and collections shared with people. The query key begins with `files`, the topic that announces changes. */
export const targetShares = queryOptions({
  queryKey: ['files', 'target-shares'],
  queryFn: async ({ signal }) => {
    const [{ folders }, { collections }] = await Promise.all([
      call('GET /api/v2.6/owner/shared-folders', {}, signal),
      call('GET /api/v2.6/owner/shared-collections', {}, signal),
    ]);
    return targetSharesOf({ sharedFolders: folders, sharedCollections: collections });
  },
});

export async function shareWithPerson({ kind, id }: ShareTarget, userId: string): Promise<void> {
  if (kind === 'folder') await call('POST /api/v2.6/owner/shared-folders', { body: { folder: id, userId } });
  else await call('POST /api/v2.6/owner/shared-collections', { body: { collectionId: id, userId } });
  await refreshFiles();
}

export async function endShare({ target, shareId }: TargetShare): Promise<void> {
  if (target.kind === 'folder')
    await call('DELETE /api/v2.6/owner/shared-folders/:sharedFolderId', { params: { sharedFolderId: shareId } });
  else
    await call('DELETE /api/v2.6/owner/shared-collections/:sharedCollectionId', {
      params: { sharedCollectionId: shareId },
    });
  await refreshFiles();
}
