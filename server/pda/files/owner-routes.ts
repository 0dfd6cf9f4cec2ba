import { z } from 'zod';
import { ownerOnly } from '../../platform/auth/principal.ts';
import { json, messageResponse, route, type Caller } from '../../platform/http/route.ts';
import { messageSchema } from '../../wire/common.ts';
import {
  fileIdSchema,
  fileSummarySchema,
  ownerFileSchema,
  ownerFilesQuery,
  ownerFilesSchema,
  pieceQuery,
  uploadStateSchema,
} from '../../wire/files.ts';
import { MAX_FILE_CHUNK_BYTES } from '../../wire/limits.ts';
import type { FileSearchStore } from './search/store.ts';
import type { FileService } from './service.ts';
import type { FileRow } from './store.ts';

const TAG = 'Your files';
const PATH = '/api/v2.6/owner/files';
const ONE = `${PATH}/file/:fileId`;

const fileParams = z.strictObject({ fileId: fileIdSchema });
/** Files of one page, however many are asked for. */
const MAX_PAGE = 500;

/** The owner's own view of files (ours, decisions 11). */
export const ownerFileRoutes = (parts: {
  files: FileService;
  search: FileSearchStore;
  isWatching: () => boolean;
  baseOf: (host: string) => string;
}) => {
  const { files, search, isWatching, baseOf } = parts;
  const told = (row: FileRow, { principal, host }: Caller) => files.view.ownerFile(row, principal, baseOf(host));
  const oneFile = { 200: { description: 'All that is known of it', schema: ownerFileSchema } };
  return [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'Files, a page at a time',
      access: ownerOnly,
      query: ownerFilesQuery,
      responses: {
        200: { description: `At most ${MAX_PAGE} of them, and how many there are`, schema: ownerFilesSchema },
      },
      handler: ({ query, caller }) => {
        const { total, rows } = search.ofOwner({ ...query, take: Math.min(query.take, MAX_PAGE) });
        return json(200, { total: total.files, bytes: total.bytes, files: rows.map((row) => told(row, caller)) });
      },
    }),
    route({
      method: 'GET',
      path: `${PATH}/summary`,
      tag: TAG,
      summary: 'How much there is, and what takes it',
      access: ownerOnly,
      responses: { 200: { description: 'Files and bytes', schema: fileSummarySchema } },
      handler: async () => {
        const { quota, folder } = files.disk;
        const { kinds, sources } = search.amounts();
        return json(200, {
          files: kinds.reduce((sum, { files: count }) => sum + count, 0),
          bytes: kinds.reduce((sum, { bytes }) => sum + bytes, 0),
          sources,
          kinds,
          tags: search.tags(),
          public: search.publicFiles(),
          shared: search.sharedFiles(),
          deleted: search.undoable(),
          quotaBytes: quota.limit(),
          freeBytes: await quota.free(),
          folder,
          watching: isWatching(),
        });
      },
    }),
    route({
      method: 'GET',
      path: ONE,
      tag: TAG,
      summary: 'One file',
      access: ownerOnly,
      params: fileParams,
      responses: oneFile,
      errors: ['not_found'],
      handler: ({ params, caller }) => json(200, told(files.row(params.fileId), caller)),
    }),
    route({
      method: 'POST',
      path: `${ONE}/restore`,
      tag: TAG,
      summary: 'Bring back a deleted file',
      access: ownerOnly,
      params: fileParams,
      responses: oneFile,
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, caller }) => json(200, told(await files.restore(params.fileId), caller)),
    }),
    route({
      method: 'GET',
      path: `${ONE}/upload`,
      tag: TAG,
      summary: 'How far an upload has come',
      access: ownerOnly,
      params: fileParams,
      responses: { 200: { description: 'Where to go on', schema: uploadStateSchema } },
      errors: ['not_found'],
      handler: async ({ params }) => json(200, await files.uploadState(params.fileId)),
    }),
    route({
      method: 'PUT',
      path: `${ONE}/upload`,
      tag: TAG,
      summary: 'Send a piece of a file',
      description:
        'Pieces come one after the other. After an interruption go on from where it has come, also after a restart.',
      access: ownerOnly,
      params: fileParams,
      query: pieceQuery,
      body: { as: 'bytes', maxBytes: MAX_FILE_CHUNK_BYTES, contentType: 'application/octet-stream' },
      responses: { 200: { description: 'Where to go on', schema: uploadStateSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, query, body }) => json(200, await files.piece(params.fileId, query, body)),
    }),
    route({
      method: 'DELETE',
      path: `${ONE}/upload`,
      tag: TAG,
      summary: 'Give up an upload',
      access: ownerOnly,
      params: fileParams,
      responses: { 200: { description: 'Nothing of it is left', schema: messageSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params }) => {
        await files.giveUp(params.fileId);
        return messageResponse(200, 'Nothing of it is left.');
      },
    }),
  ] as const;
};
