import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route } from '../../../platform/http/route.ts';
import {
  fileMoveResultSchema,
  fileMovesSchema,
  fileSelectionSchema,
  tagAssignmentSchema,
  tagChangeResultSchema,
  tagChangeSchema,
  tagCountsSchema,
} from '../../../wire/bulk-files.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../wire/limits.ts';
import { ledgerEndpoint } from '../service.ts';
import { groupBy } from './rules.ts';
import type { FileMover } from './moves.ts';
import type { FileTagging } from './tags.ts';

const TAG = 'Your files';
const PATH = '/api/v2.6/owner/files';

/** Routes with which the owner changes many files at once. */
export const bulkFileRoutes = ({ tagging, mover }: { tagging: FileTagging; mover: FileMover }) =>
  [
    route({
      method: 'POST',
      path: `${PATH}/tag-counts`,
      tag: TAG,
      summary: 'Count the tags of files',
      access: ownerOnly,
      body: { as: 'json', schema: fileSelectionSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'Tags with the number of files that have them', schema: tagCountsSchema } },
      handler: ({ body }) => json(200, tagging.count(body.fileIds)),
    }),
    route({
      method: 'POST',
      path: `${PATH}/tags`,
      tag: TAG,
      summary: 'Add and remove tags of files',
      description: 'Changes all files or none.',
      access: ownerOnly,
      body: { as: 'json', schema: tagChangeSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: {
        200: { description: 'Number of changed files, with their former tags', schema: tagChangeResultSchema },
      },
      errors: ['not_found'],
      handler: async ({ body }) => json(200, await tagging.change(body)),
    }),
    route({
      method: 'PUT',
      path: `${PATH}/tags`,
      tag: TAG,
      summary: 'Set all tags of files',
      description: 'Undoes a change of tags. Files that were erased in the meantime are left out.',
      access: ownerOnly,
      body: { as: 'json', schema: tagAssignmentSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: {
        200: { description: 'Number of changed files', schema: z.strictObject({ changed: z.int().min(0) }) },
      },
      handler: async ({ body }) => json(200, { changed: await tagging.assign(body.groups) }),
    }),
    route({
      method: 'POST',
      path: `${PATH}/move`,
      tag: TAG,
      summary: 'Move files to other folders',
      description:
        'Moves the files on the disk as well and creates missing folders. Never overwrites a file. Ids, names and shares of the files stay, and so does the source of uploaded files. Users and links with access to the new folder can open the files afterwards.',
      access: ownerOnly,
      body: { as: 'json', schema: fileMovesSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: {
        200: { description: 'Number of moved files, and the files that were not moved', schema: fileMoveResultSchema },
      },
      takesMinutes: true,
      ownerDecision: true,
      handler: async ({ body, caller: { trace } }) => {
        const { movedFiles, ...result } = await mover.move(body.moves);
        trace.isUnrecorded = movedFiles.length === 0;
        for (const [source, rows] of groupBy(movedFiles, (row) => row.source))
          trace.records.set(
            ledgerEndpoint(source),
            rows.map(({ seq }) => seq),
          );
        return json(200, result);
      },
    }),
  ] as const;
