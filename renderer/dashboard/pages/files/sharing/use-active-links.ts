import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { shareLinks } from '../../../api/files/share-links.ts';
import { countActiveLinks } from './active-links.ts';

/**
 * Returns the number of active share links that open a file; undefined while the links are loading, and if they could
 * not be loaded. `retry` is present only after such a failure.
 */
export function useActiveLinks(file: OwnerFile): { count: number | undefined; retry?: () => void } {
  const { data: links, isError, refetch } = useQuery(shareLinks);
  const count = useMemo(() => (links === undefined ? undefined : countActiveLinks(links, file)), [links, file]);
  return count === undefined && isError ? { count, retry: () => void refetch() } : { count };
}
