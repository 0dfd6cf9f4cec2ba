import type { OwnerFile } from '../../../shared/api/contract.ts';

export interface UploadTarget {
  name: string;
  source: string;
  tags: readonly string[];
}

export interface UploadSource extends UploadTarget {
  file: File;
  fileId: string | undefined;
}

/**
 * Returns true for an unfinished upload of the owner with the same name, source, tags and modification time. The tags
 * are the subfolders of a dropped folder, in which files of the same name often have the same modification time, for
 * example after an archive was unpacked.
 */
export function isUploadOf(
  { name, source, tags, file }: UploadSource,
  { file: existing, from, received }: OwnerFile,
): boolean {
  const sortedTags = (list: readonly string[] = []): string => JSON.stringify([...new Set(list)].toSorted());
  return (
    from === 'owner' &&
    existing.status.status === 'New' &&
    existing.name === name &&
    existing.source === source &&
    sortedTags(existing.tags) === sortedTags(tags) &&
    existing.lastUpdated === file.lastModified &&
    (received ?? 0) <= file.size
  );
}
