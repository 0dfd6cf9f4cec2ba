import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, messageResponse } from '../../../platform/http/route.ts';
import { messageSchema } from '../../../wire/common.ts';
import { DEFINITION_BODY_MAX_BYTES, MAX_IMPORT_CHUNK_BYTES } from '../../../wire/limits.ts';
import {
  importCreateSchema,
  importFormatSchema,
  importJobSchema,
  importPreviewSchema,
  importRunSchema,
  importPreviewRequestSchema,
} from '../../../wire/imports.ts';
import type { ImportService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Import and export', access: ownerOnly });
const importParams = z.strictObject({ importId: z.uuid() });

export const importRoutes = ({ imports }: { imports: ImportService }) =>
  [
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/imports',
      summary: 'Create an import of one file, or of the parts of one export',
      body: { as: 'json', schema: importCreateSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 201: { description: 'Created; upload the content next', schema: importJobSchema } },
      handler: async ({ body }) => json(201, await imports.create(body)),
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/imports',
      summary: 'List imports',
      responses: { 200: { description: 'At most 200, newest first', schema: z.array(importJobSchema) } },
      handler: () => json(200, imports.list()),
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/imports/:importId',
      summary: 'Get the progress of an import',
      params: importParams,
      responses: { 200: { description: 'The import', schema: importJobSchema } },
      errors: ['not_found'],
      handler: ({ params }) => json(200, imports.find(params.importId)),
    }),
    ownerRoute({
      method: 'PUT',
      path: '/api/v2.6/owner/imports/:importId/content',
      summary: 'Upload the next chunk of the content',
      description:
        '`offset` is the number of bytes received so far (`received`). After a lost connection, get the import and resume from there.',
      params: importParams,
      query: z.object({
        offset: z
          .string()
          .regex(/^\d{1,15}$/u)
          .transform(Number),
      }),
      body: { as: 'bytes', maxBytes: MAX_IMPORT_CHUNK_BYTES, contentType: 'application/octet-stream' },
      responses: { 200: { description: 'The import, with the bytes received so far', schema: importJobSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, query, body }) => json(200, await imports.receive(params.importId, query.offset, body)),
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/imports/:importId/preview',
      summary: 'Preview an import',
      params: importParams,
      query: z.object({ format: z.enum([...importFormatSchema.options, 'known', 'bank']).optional() }),
      responses: { 200: { description: 'Format, columns and the first elements', schema: importPreviewSchema } },
      errors: ['not_found', 'wrong_state'],
      takesMinutes: true,
      handler: async ({ params, query }) => json(200, await imports.preview(params.importId, { format: query.format })),
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/imports/:importId/preview',
      summary: 'Preview an import with chosen options',
      params: importParams,
      body: { as: 'json', schema: importPreviewRequestSchema },
      responses: { 200: { description: 'Preview with these options', schema: importPreviewSchema } },
      errors: ['not_found', 'wrong_state'],
      takesMinutes: true,
      handler: async ({ params, body }) => json(200, await imports.preview(params.importId, body)),
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/imports/:importId/run',
      summary: 'Run an import',
      description:
        'Elements that the endpoint already contains are skipped, so importing the same file twice adds nothing. If an entry of an export has changed since an earlier import, its record is updated.',
      params: importParams,
      body: { as: 'json', schema: importRunSchema },
      responses: { 202: { description: 'Started; poll the import for its progress', schema: importJobSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, body }) => json(202, await imports.run(params.importId, body)),
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/imports/:importId/cancel',
      summary: 'Cancel an import',
      description: 'Records stored so far are kept; undo the import to delete them. An incomplete upload is deleted.',
      params: importParams,
      responses: { 200: { description: 'Cancelled', schema: importJobSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params }) => json(200, await imports.cancel(params.importId)),
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/imports/:importId/undo',
      summary: 'Undo an import',
      description:
        'Permanently deletes the records that the import added, and deletes its uploaded file. Records that it changed are restored to their previous data, unless they have been changed since. Records that were moved to another endpoint are left unchanged.',
      params: importParams,
      responses: { 200: { description: 'Undone', schema: importJobSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params }) => json(200, await imports.undo(params.importId)),
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/imports/:importId/dismiss',
      summary: 'Dismiss a failed import on Home',
      description: 'The import stays in the list. If it is run again and fails again, Home shows it again.',
      params: importParams,
      responses: { 200: { description: 'Dismissed', schema: importJobSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params }) => json(200, await imports.dismiss(params.importId)),
    }),
    ownerRoute({
      method: 'DELETE',
      path: '/api/v2.6/owner/imports/:importId',
      summary: 'Remove an import from the list',
      description: 'Keeps its records. Deletes its uploaded file.',
      params: importParams,
      responses: { 200: { description: 'Removed', schema: messageSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params }) => {
        await imports.remove(params.importId);
        return messageResponse(200, 'Import removed');
      },
    }),
  ] as const;
