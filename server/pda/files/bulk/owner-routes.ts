import { z } from 'zod';
import { ownerOnly, publicAccess } from '../../../platform/auth/principal.ts';
import { contentDisposition } from '../../../platform/http/response/content-disposition.ts';
import { createRouteDeclarer, json, route, type Caller } from '../../../platform/http/route.ts';
import {
  fileArchiveSchema,
  fileMoveResultSchema,
  fileMovesSchema,
  fileSelectionSchema,
  tagAssignmentSchema,
  tagChangeResultSchema,
  tagChangeSchema,
  tagCountsSchema,
} from '../../../wire/bulk-files.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../wire/limits.ts';
import { loggedRecordsOf } from '../rules.ts';
import type { FileRow } from '../store.ts';
import type { FileArchives } from './archives.ts';
import type { FileMover } from './moves.ts';
import type { FileTagging } from './tags.ts';

const TAG = 'Your files';
const ownerRoute = createRouteDeclarer({ tag: TAG, access: ownerOnly });
const PATH = '/api/v2.6/owner/files';

const recordFiles = (trace: Caller['trace'], files: readonly FileRow[]): void => {
  for (const [endpoint, seqs] of loggedRecordsOf(files)) trace.records.set(endpoint, seqs);
};

export const bulkFileRoutes = (parts: { tagging: FileTagging; mover: FileMover; archives: FileArchives }) => {
  const { tagging, mover, archives } = parts;
  return [
    ownerRoute({
      method: 'POST',
      path: `${PATH}/tag-counts`,
      summary: 'Count the tags of files',
      body: { as: 'json', schema: fileSelectionSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'Tags with the number of files that have them', schema: tagCountsSchema } },
      handler: ({ body }) => json(200, tagging.count(body.fileIds)),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/tags`,
      summary: 'Add and remove tags of files',
      description: 'Changes all files or none.',
      body: { as: 'json', schema: tagChangeSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: {
        200: { description: 'Number of changed files, with their former tags', schema: tagChangeResultSchema },
      },
      errors: ['not_found'],
      handler: async ({ body }) => json(200, await tagging.change(body)),
    }),
    ownerRoute({
      method: 'PUT',
      path: `${PATH}/tags`,
      summary: 'Set all tags of files',
      description: 'Can undo a change of tags. Files that were erased in the meantime are left out.',
      body: { as: 'json', schema: tagAssignmentSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: {
        200: { description: 'Number of changed files', schema: z.strictObject({ changed: z.int().min(0) }) },
      },
      handler: async ({ body }) => json(200, { changed: await tagging.assign(body.groups) }),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/move`,
      summary: 'Move files to other folders',
      description:
        'Moves the files on the disk as well and creates missing folders. Never overwrites a file. Ids, names and individual shares of the files stay, and so does the source of uploaded files. Afterwards, access through a shared folder depends on the new folder.',
      body: { as: 'json', schema: fileMovesSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: {
        200: {
          description: 'Number of moved files, the moves that undo the request, and the files that were not moved',
          schema: fileMoveResultSchema,
        },
      },
      takesMinutes: true,
      ownerDecision: true,
      handler: async ({ body, caller: { trace } }) => {
        const { movedFiles, ...result } = await mover.move(body.moves);
        trace.isUnrecorded = movedFiles.length === 0;
        recordFiles(trace, movedFiles);
        return json(200, result);
      },
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/archives`,
      summary: 'Create a download URL for a ZIP archive of files',
      description:
        'The archive has no folders, and the names of its files are unique. Files that were deleted, are incomplete or cannot be read are left out and counted.',
      body: { as: 'json', schema: fileSelectionSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 201: { description: 'Valid for one download within a minute', schema: fileArchiveSchema } },
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ body, caller: { principal, trace } }) => {
        const { ticket, rows, missing } = await archives.issueTicket(body.fileIds, principal);
        recordFiles(trace, rows);
        return json(201, { url: `${PATH}/archives/${ticket}`, files: rows.length, missing });
      },
    }),
    route({
      method: 'GET',
      path: `${PATH}/archives/:ticket`,
      tag: TAG,
      summary: 'Download an archive of files',
      description:
        'The ticket in the URL grants access. The download is aborted when the session that requested it ends, or when a file is deleted or changed before it has been sent.',
      access: publicAccess,
      params: z.strictObject({ ticket: z.string().max(100) }),
      responses: { 200: { description: 'The archive', contentType: 'application/zip' } },
      errors: ['not_found'],
      takesMinutes: true,
      handler: ({ params, caller }) => ({
        status: 200,
        contentType: 'application/zip',
        headers: { 'content-disposition': contentDisposition('files.zip') },
        // A HEAD request does not redeem the ticket.
        stream: archives.download(caller.headersOnly ? '' : params.ticket),
      }),
    }),
  ] as const;
};
