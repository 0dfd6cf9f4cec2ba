import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { NewShareLink, OwnerFile, ResponseOf } from '../../../shared/api/contract.ts';
import { type FileSelection, filtersOf } from './selection.ts';
import { queryClient, refresh, routeQuery } from '../../../shared/api/query-client.ts';

// Every query key begins with `files`, the topic of the PDA's change events.

type Page = ResponseOf<'GET /api/v2.6/owner/files'>;

/** Signed content URLs are valid for at least four minutes. Older results are refetched. */
const CONTENT_URL_STALE_MS = 4 * 60_000;

export const filePage = (selection: FileSelection, skip: number, take: number) =>
  queryOptions({
    queryKey: ['files', 'page', selection, skip, take],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/files', { query: { ...selection, skip, take } }, signal),
    // Refetching a page is cheap; caching every page of 100,000 files is not.
    gcTime: 60_000,
  });

/** Query of the number of files per month of their date taken. The month is null for files without a date taken. */
export const fileMonths = (selection: FileSelection) => {
  const query = { ...filtersOf(selection), order: selection.order };
  return routeQuery(['files', 'months', query], 'GET /api/v2.6/owner/files/months', { query });
};

export type SharedContent = Pick<NewShareLink, 'fileIds' | 'folder' | 'collectionId'>;

export const placeCounts = (content: SharedContent) =>
  queryOptions({
    queryKey: ['files', 'place-counts', content],
    queryFn: ({ signal }) => call('POST /api/v2.6/owner/files/place-counts', { body: content }, signal),
    gcTime: 0,
  });

export const ownerFile = (fileId: string) =>
  queryOptions({
    queryKey: ['files', 'one', fileId],
    queryFn: ({ signal }) => call('GET /api/v2.6/owner/files/file/:fileId', { params: { fileId } }, signal),
    staleTime: CONTENT_URL_STALE_MS,
  });

/** Query of the file id that belongs to a file's id in the access log; null if there is no such completed file. */
export const fileByLedgerId = (ledgerId: string) =>
  queryOptions({
    queryKey: ['files', 'ledger', ledgerId],
    queryFn: async ({ signal }) => {
      const { files } = await call('GET /api/v2.6/owner/files', { query: { ledgerId, take: 1 } }, signal);
      return files[0]?.file.fileId ?? null;
    },
  });

export const fileSummary = routeQuery(['files', 'summary'], 'GET /api/v2.6/owner/files/summary', {});

/** @param folder empty for the top level */
export const fileFolders = (folder: string) =>
  routeQuery(['files', 'folders', folder], 'GET /api/v2.6/owner/files/folders', { query: { folder } });

export const fileReaders = routeQuery(['files', 'readers'], 'GET /api/v2.6/owner/files/readers', {});

export const UNFILTERED = {
  search: '',
  source: '',
  tag: '',
  kind: undefined,
  folder: '',
  collection: undefined,
  visibleTo: undefined,
} as const;
const DELETED_PAGE_SIZE = 50;

export const deletedFiles = infiniteQueryOptions({
  queryKey: ['files', 'deleted'],
  queryFn: ({ pageParam, signal }) =>
    call(
      'GET /api/v2.6/owner/files',
      { query: { show: 'deleted', sort: 'changed', order: 'descending', skip: pageParam, take: DELETED_PAGE_SIZE } },
      signal,
    ),
  initialPageParam: 0,
  getNextPageParam: (last: Page, pages: readonly Page[]) => {
    const loadedCount = pages.reduce((sum, page) => sum + page.files.length, 0);
    return last.files.length > 0 && loadedCount < last.total ? loadedCount : undefined;
  },
});

export async function fetchUnfinishedFiles(take: number, signal?: AbortSignal): Promise<Page> {
  const query = { show: 'unfinished', sort: 'added', order: 'descending', take } as const;
  return call('GET /api/v2.6/owner/files', { query }, signal);
}

export const unfinishedFiles = (take: number) =>
  queryOptions({
    queryKey: ['files', 'unfinished', take],
    queryFn: ({ signal }) => fetchUnfinishedFiles(take, signal),
  });

export const refreshFiles = (): Promise<void> => refresh('files');

export interface FileMetadata {
  name: string;
  title: string;
  description: string;
  tags: string[];
}

export function metadataOf({ file: { name, title = '', description = '', tags = [] } }: OwnerFile): FileMetadata {
  return { name, title, description, tags };
}

/** Changes the metadata of a file. Updates the cache optimistically and rolls it back on error. */
export async function changeFile(original: OwnerFile, change: FileMetadata): Promise<void> {
  const { fileId } = original.file;
  const { queryKey } = ownerFile(fileId);
  await queryClient.cancelQueries({ queryKey });
  queryClient.setQueryData(queryKey, { ...original, file: { ...original.file, ...change } });
  try {
    await call('PUT /api/v2.6/files/file/:fileId', { params: { fileId }, body: change });
  } catch (error) {
    queryClient.setQueryData(queryKey, original);
    throw error;
  } finally {
    void refreshFiles();
  }
}

/** @param includesContent false to share only the file's details */
export async function allowUser(fileId: string, userId: string, includesContent: boolean): Promise<void> {
  await call('GET /api/v2.6/files/allowAccess/:fileId/:userId', {
    params: { fileId, userId },
    query: { content: includesContent ? 'true' : 'false' },
  });
  await refreshFiles();
}

export async function restrictUser(fileId: string, userId: string): Promise<void> {
  await call('GET /api/v2.6/files/restrictAccess/:fileId/:userId', { params: { fileId, userId } });
  await refreshFiles();
}

export async function revokeAllFileAccess(userId: string): Promise<void> {
  await call('DELETE /api/v2.6/owner/files/readers/:userId', { params: { userId } });
  await refreshFiles();
}

export async function makeAllFilesPrivate(): Promise<void> {
  await call('POST /api/v2.6/owner/files/make-private', {});
  await refreshFiles();
}

export async function makeFilePublic(fileId: string): Promise<void> {
  await call('GET /api/v2.6/files/allowAccessPublic/:fileId', { params: { fileId } });
  await refreshFiles();
}

export async function makeFilePrivate(fileId: string): Promise<void> {
  await call('GET /api/v2.6/files/restrictAccessPublic/:fileId', { params: { fileId } });
  await refreshFiles();
}

export async function deleteFile(fileId: string): Promise<void> {
  await call('DELETE /api/v2.6/files/file/:fileId', { params: { fileId } });
}

export async function restoreFile(fileId: string): Promise<void> {
  await call('POST /api/v2.6/owner/files/file/:fileId/restore', { params: { fileId } });
}

/** Returns the URL of a public file, which works without signing in. */
export function publicFileUrl(baseUrl: string, fileId: string): string {
  return `${baseUrl}/api/v2.6/files/content/${encodeURIComponent(fileId)}`;
}
