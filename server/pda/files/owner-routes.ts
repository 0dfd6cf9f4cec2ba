import { z } from 'zod';
import { ownerOnly } from '../../platform/auth/principal.ts';
import { createRouteDeclarer, json, messageResponse, type Caller } from '../../platform/http/route.ts';
import { messageSchema } from '../../wire/common.ts';
import {
  fileFoldersQuery,
  fileFoldersSchema,
  fileIdSchema,
  fileReaderSchema,
  fileSummarySchema,
  ownerFileSchema,
  ownerFilesQuery,
  ownerFilesSchema,
  chunkQuery,
  uploadStateSchema,
} from '../../wire/files.ts';
import { MAX_FILE_CHUNK_BYTES } from '../../wire/limits.ts';
import { userIdSchema } from '../../wire/users.ts';
import type { UserService } from '../identity/users/service.ts';
import { cutPage } from './rules.ts';
import { FOLDERS_MAX, type createFolderStore } from './search/folders.ts';
import type { ShareCounts } from './search/share-counts.ts';
import type { FileSearchStore } from './search/store.ts';
import type { FileService } from './service.ts';
import type { FileRow } from './store.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Your files', access: ownerOnly });
const PATH = '/api/v2.6/owner/files';
const FILE_PATH = `${PATH}/file/:fileId`;

const fileParams = z.strictObject({ fileId: fileIdSchema });
const PAGE_FILES_MAX = 500;

/** These routes are the project's own additions to the specified interface (docs/decisions.md, section 11). */
export const ownerFileRoutes = (parts: {
  files: FileService;
  search: FileSearchStore;
  folders: ReturnType<typeof createFolderStore>;
  shareCounts: Pick<ShareCounts, 'countSharedFiles' | 'readers'>;
  users: Pick<UserService, 'find' | 'nameOf'>;
  isWatching: () => boolean;
  baseOf: (host: string) => string;
}) => {
  const { files, search, folders, shareCounts, users, isWatching, baseOf } = parts;
  const toOwnerFile = (row: FileRow, { principal, host }: Caller) => files.view.ownerFile(row, principal, baseOf(host));
  const fileResponse = { 200: { description: 'The file with all details', schema: ownerFileSchema } };
  return [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'List files',
      query: ownerFilesQuery,
      responses: {
        200: {
          description: `At most ${PAGE_FILES_MAX} files, and the number and size of all matches`,
          schema: ownerFilesSchema,
        },
      },
      handler: ({ query, caller }) => {
        const { total, rows } = search.findOwnerFiles({ ...query, take: Math.min(query.take, PAGE_FILES_MAX) });
        return json(200, {
          total: total.files,
          bytes: total.bytes,
          files: rows.map((row) => toOwnerFile(row, caller)),
        });
      },
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/summary`,
      summary: 'Get the storage used by files',
      responses: {
        200: { description: 'Numbers and sizes of files, and the limits of their storage', schema: fileSummarySchema },
      },
      handler: async () => {
        const { quota, folder } = files.disk;
        const { kinds, sources } = search.amounts();
        return json(200, {
          files: kinds.reduce((sum, { files: count }) => sum + count, 0),
          bytes: kinds.reduce((sum, { bytes }) => sum + bytes, 0),
          sources,
          kinds,
          tags: search.tags(),
          public: search.countPublicFiles(),
          shared: shareCounts.countSharedFiles(),
          deleted: search.restorableAmount(),
          quotaBytes: quota.limit(),
          freeBytes: await quota.freeDiskBytes(),
          folder,
          watching: isWatching(),
        });
      },
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/folders`,
      summary: 'List the subfolders of a folder',
      query: fileFoldersQuery,
      responses: { 200: { description: `At most ${FOLDERS_MAX} subfolders with files`, schema: fileFoldersSchema } },
      handler: ({ query }) => {
        const { rows, hasMore } = cutPage(folders.subfolders(query.folder, FOLDERS_MAX + 1), FOLDERS_MAX);
        return json(200, { folders: rows, more: hasMore });
      },
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/readers`,
      summary: 'List users with access to files',
      responses: {
        200: {
          description:
            'Users who can sign in and with whom files, folders or collections are shared, those with the most files first',
          schema: z.array(fileReaderSchema),
        },
      },
      handler: () =>
        json(
          200,
          shareCounts.readers().flatMap((reader) => {
            const user = users.find(reader.userId);
            return user?.enabled === true ? [{ ...reader, name: user.name }] : [];
          }),
        ),
    }),
    ownerRoute({
      method: 'DELETE',
      path: `${PATH}/readers/:userId`,
      summary: 'Stop sharing files, folders and collections with a user',
      description:
        'Access ends immediately. Running downloads are aborted. Public files stay accessible, and tables and charts stay shared.',
      params: z.strictObject({ userId: userIdSchema }),
      responses: {
        200: { description: 'No files, folders or collections are shared with the user', schema: messageSchema },
      },
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params: { userId }, caller }) => {
        caller.trace.consent = { kind: 'user', name: userId, detail: users.nameOf(userId) };
        await files.revokeUser(userId);
        return messageResponse(200, 'Files, folders and collections are no longer shared with this user.');
      },
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/make-private`,
      summary: 'Make all public files private',
      responses: {
        200: { description: 'Number of files that were public', schema: z.strictObject({ files: z.int().min(0) }) },
      },
      ownerDecision: true,
      handler: async () => json(200, { files: await files.makeAllPrivate() }),
    }),
    ownerRoute({
      method: 'GET',
      path: FILE_PATH,
      summary: 'Get a file with all details',
      params: fileParams,
      responses: fileResponse,
      errors: ['not_found'],
      handler: ({ params, caller }) => json(200, toOwnerFile(files.requireRow(params.fileId), caller)),
    }),
    ownerRoute({
      method: 'POST',
      path: `${FILE_PATH}/restore`,
      summary: 'Restore a deleted file',
      params: fileParams,
      responses: fileResponse,
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, caller }) => json(200, toOwnerFile(await files.restore(params.fileId), caller)),
    }),
    ownerRoute({
      method: 'GET',
      path: `${FILE_PATH}/upload`,
      summary: 'Get the progress of an upload',
      params: fileParams,
      responses: { 200: { description: 'Offset at which to continue', schema: uploadStateSchema } },
      errors: ['not_found'],
      handler: async ({ params }) => json(200, await files.uploadState(params.fileId)),
    }),
    ownerRoute({
      method: 'PUT',
      path: `${FILE_PATH}/upload`,
      summary: 'Upload a chunk of a file',
      description:
        'Send the chunks in order. After an interruption or a restart of the server, continue at the offset of the upload.',
      params: fileParams,
      query: chunkQuery,
      body: { as: 'bytes', maxBytes: MAX_FILE_CHUNK_BYTES, contentType: 'application/octet-stream' },
      responses: { 200: { description: 'Offset at which to continue', schema: uploadStateSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, query, body }) => json(200, await files.receiveChunk(params.fileId, query, body)),
    }),
    ownerRoute({
      method: 'DELETE',
      path: `${FILE_PATH}/upload`,
      summary: 'Cancel an upload',
      params: fileParams,
      responses: { 200: { description: 'The upload was cancelled', schema: messageSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params }) => {
        await files.abandonUpload(params.fileId);
        return messageResponse(200, 'The upload was cancelled.');
      },
    }),
  ] as const;
};
