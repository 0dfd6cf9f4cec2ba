import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, messageResponse, route } from '../../../platform/http/route.ts';
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

const TAG = 'Import and export';
const importParams = z.strictObject({ importId: z.uuid() });

export const importRoutes = ({ imports }: { imports: ImportService }) => {
  return [
    route({
      method: 'POST',
      path: '/api/v2.6/owner/imports',
      tag: TAG,
      summary: 'Create an import of one file, or of the parts of one export',
      access: ownerOnly,
      body: { as: 'json', schema: importCreateSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 201: { description: 'Created; upload the content next', schema: importJobSchema } },
      handler: async ({ body }) => json(201, await imports.create(body)),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/owner/imports',
      tag: TAG,
      summary: 'List imports',
      access: ownerOnly,
      responses: { 200: { description: 'Newest first', schema: z.array(importJobSchema) } },
      handler: () => json(200, imports.list()),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/owner/imports/:importId',
      tag: TAG,
      summary: 'Get the progress of an import',
      access: ownerOnly,
      params: importParams,
      responses: { 200: { description: 'The import', schema: importJobSchema } },
      errors: ['not_found'],
      handler: ({ params }) => json(200, imports.find(params.importId)),
    }),
    route({
      method: 'PUT',
      path: '/api/v2.6/owner/imports/:importId/content',
      tag: TAG,
      summary: 'Upload the next chunk of the file',
      description:
        '`offset` is the number of bytes received so far (`received`). After a lost connection, get the import and resume from there.',
      access: ownerOnly,
      params: importParams,
      query: z.object({
        offset: z
          .string()
          .regex(/^\d{1,15}$/u)
          .transform(Number),
      }),
      body: { as: 'bytes', maxBytes: MAX_IMPORT_CHUNK_BYTES, contentType: 'application/octet-stream' },
      responses: { 200: { description: 'Received so far', schema: importJobSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, query, body }) => json(200, await imports.receive(params.importId, query.offset, body)),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/owner/imports/:importId/preview',
      tag: TAG,
      summary: 'Preview an import',
      access: ownerOnly,
      params: importParams,
      query: z.object({ format: z.enum([...importFormatSchema.options, 'known', 'bank']).optional() }),
      responses: { 200: { description: 'Format, columns and the first elements', schema: importPreviewSchema } },
      errors: ['not_found', 'wrong_state'],
      takesMinutes: true,
      handler: async ({ params, query }) => json(200, await imports.preview(params.importId, { format: query.format })),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/imports/:importId/preview',
      tag: TAG,
      summary: 'Preview an import with chosen options',
      access: ownerOnly,
      params: importParams,
      body: { as: 'json', schema: importPreviewRequestSchema },
      responses: { 200: { description: 'Preview with these options', schema: importPreviewSchema } },
      errors: ['not_found', 'wrong_state'],
      takesMinutes: true,
      handler: async ({ params, body }) => json(200, await imports.preview(params.importId, body)),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/imports/:importId/run',
      tag: TAG,
      summary: 'Run an import',
      description:
        'Elements that the endpoint already contains are skipped, so importing the same file twice adds nothing.',
      access: ownerOnly,
      params: importParams,
      body: { as: 'json', schema: importRunSchema },
      responses: { 202: { description: 'Started; poll the import for its progress', schema: importJobSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, body }) => json(202, await imports.run(params.importId, body)),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/imports/:importId/cancel',
      tag: TAG,
      summary: 'Cancel an import',
      description: 'Records stored so far are kept. Undo the import to delete them.',
      access: ownerOnly,
      params: importParams,
      responses: { 200: { description: 'Cancelled', schema: importJobSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params }) => json(200, await imports.cancel(params.importId)),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/imports/:importId/undo',
      tag: TAG,
      summary: 'Undo an import',
      description:
        'Deletes the records that the import added. Records that it changed get their previous content back, unless another request has changed them since.',
      access: ownerOnly,
      params: importParams,
      responses: { 200: { description: 'Undone', schema: importJobSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params }) => json(200, await imports.undo(params.importId)),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/imports/:importId/dismiss',
      tag: TAG,
      summary: 'Dismiss a failed import on Home',
      description: 'The import stays in the list. If it is run again and fails again, Home shows it again.',
      access: ownerOnly,
      params: importParams,
      responses: { 200: { description: 'Dismissed', schema: importJobSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params }) => json(200, await imports.dismiss(params.importId)),
    }),
    route({
      method: 'DELETE',
      path: '/api/v2.6/owner/imports/:importId',
      tag: TAG,
      summary: 'Remove an import from the list',
      description: 'Its records are kept. The entry and the uploaded file are deleted.',
      access: ownerOnly,
      params: importParams,
      responses: { 200: { description: 'Removed', schema: messageSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params }) => {
        await imports.remove(params.importId);
        return messageResponse(200, 'Import removed');
      },
    }),
  ] as const;
};
