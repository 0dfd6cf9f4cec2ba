import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { isInFolder } from '../../../../../server/wire/share-links.ts';
import type { OwnerFile, ShareLink } from '../../../../shared/api/contract.ts';
import { shareLinks } from '../../../api/files/share-links.ts';

/** Returns true if the link opens the file. */
export const opensFile = ({ files, folder, collection }: ShareLink, file: OwnerFile): boolean =>
  files.some(({ fileId }) => fileId === file.file.fileId) ||
  (folder !== null && isInFolder(folder, file.path)) ||
  file.collections.some(({ collectionId }) => collectionId === collection?.collectionId);

/**
 * Returns the number of active share links that open a file; undefined while they are loading, and if that failed.
 * `retry` is present if it failed.
 */
export function useActiveLinks(file: OwnerFile): { count: number | undefined; retry?: () => void } {
  const { data: links, isError, refetch } = useQuery(shareLinks);
  const count = useMemo(
    () => links?.filter((link) => link.state === 'active' && opensFile(link, file)).length,
    [links, file],
  );
  return count === undefined && isError ? { count, retry: () => void refetch() } : { count };
}
