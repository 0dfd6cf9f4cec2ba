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
      summary: 'Announce a file to import, or the parts of one export',
      access: ownerOnly,
      body: { as: 'json', schema: importCreateSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 201: { description: 'Waits for the content', schema: importJobSchema } },
      handler: async ({ body }) => json(201, await imports.create(body)),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/owner/imports',
      tag: TAG,
      summary: 'Imports',
      access: ownerOnly,
      responses: { 200: { description: 'Newest first', schema: z.array(importJobSchema) } },
      handler: () => json(200, imports.list()),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/owner/imports/:importId',
      tag: TAG,
      summary: 'How far an import is',
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
      summary: 'Send the next piece of the file',
      description:
        '`offset` is where the last piece ended (`received`). After a broken line, ask for the import and go on from there.',
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
      summary: 'What would be stored',
      access: ownerOnly,
      params: importParams,
      query: z.object({ format: z.enum([...importFormatSchema.options, 'known', 'bank']).optional() }),
      responses: { 200: { description: 'Format, columns and the first elements', schema: importPreviewSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, query }) => json(200, await imports.preview(params.importId, { format: query.format })),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/imports/:importId/preview',
      tag: TAG,
      summary: 'What would be stored of a bank statement, read as the owner says',
      access: ownerOnly,
      params: importParams,
      body: { as: 'json', schema: importPreviewRequestSchema },
      responses: { 200: { description: 'As read with these options', schema: importPreviewSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, body }) => json(200, await imports.preview(params.importId, { bank: body.bank })),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/imports/:importId/run',
      tag: TAG,
      summary: 'Store the elements',
      description: 'Elements that are at the endpoint already are left out, so the same file twice adds nothing.',
      access: ownerOnly,
      params: importParams,
      body: { as: 'json', schema: importRunSchema },
      responses: { 202: { description: 'Running; ask for the import to follow it', schema: importJobSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, body }) => json(202, await imports.run(params.importId, body)),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/imports/:importId/cancel',
      tag: TAG,
      summary: 'Stop an import',
      description: 'What it stored so far stays, and can be undone.',
      access: ownerOnly,
      params: importParams,
      responses: { 200: { description: 'Stopped', schema: importJobSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params }) => json(200, await imports.cancel(params.importId)),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/imports/:importId/undo',
      tag: TAG,
      summary: 'Take away what an import added',
      description:
        'Records that it changed get their previous content back, unless another request changed them since.',
      access: ownerOnly,
      params: importParams,
      responses: { 200: { description: 'Undone', schema: importJobSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params }) => json(200, await imports.undo(params.importId)),
    }),
    route({
      method: 'DELETE',
      path: '/api/v2.6/owner/imports/:importId',
      tag: TAG,
      summary: 'Forget an import',
      description: 'Its records stay; its entry and its uploaded file go.',
      access: ownerOnly,
      params: importParams,
      responses: { 200: { description: 'Forgotten', schema: messageSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params }) => {
        await imports.forget(params.importId);
        return messageResponse(200, 'Import forgotten');
      },
    }),
  ] as const;
};
