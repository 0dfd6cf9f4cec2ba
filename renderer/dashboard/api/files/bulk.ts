import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { FileArchive, FileMove, FileMoveResult, TagChangeResult, TagGroup } from '../../../shared/api/contract.ts';
import { refreshFiles } from './queries.ts';

// Operations on many files. The query key begins with `files`, the topic of the PDA's change events.

export const tagCounts = (fileIds: readonly string[]) =>
  queryOptions({
    queryKey: ['files', 'tag-counts', fileIds],
    queryFn: ({ signal }) => call('POST /api/v2.6/owner/files/tag-counts', { body: { fileIds: [...fileIds] } }, signal),
    gcTime: 0,
  });

export async function changeTags(
  fileIds: readonly string[],
  change: { add: string[]; remove: string[] },
): Promise<TagChangeResult> {
  const result = await call('POST /api/v2.6/owner/files/tags', { body: { fileIds: [...fileIds], ...change } });
  await refreshFiles();
  return result;
}

export async function assignTags(groups: readonly TagGroup[]): Promise<void> {
  await call('PUT /api/v2.6/owner/files/tags', { body: { groups: [...groups] } });
  await refreshFiles();
}

export async function moveFiles(moves: readonly FileMove[]): Promise<FileMoveResult> {
  try {
    return await call('POST /api/v2.6/owner/files/move', { body: { moves: [...moves] } });
  } finally {
    // After an error, some files may have been moved.
    void refreshFiles();
  }
}

/** Prepares a ZIP archive of the files. Its URL is valid for one download within a minute. */
export function createFileArchive(fileIds: readonly string[]): Promise<FileArchive> {
  return call('POST /api/v2.6/owner/files/archives', { body: { fileIds: [...fileIds] } });
}
