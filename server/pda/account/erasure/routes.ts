import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json } from '../../../platform/http/route.ts';
import {
  erasurePreviewQuerySchema,
  erasurePreviewSchema,
  erasureRequestSchema,
  erasureSchema,
} from '../../../wire/erasure.ts';
import type { ErasureService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Erasure', access: ownerOnly });
const PATH = '/api/v2.6/owner/erasures';

export const erasureRoutes = ({ erasure }: { erasure: ErasureService }) =>
  [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'List erasures',
      responses: {
        200: { description: 'The latest 100, newest first, without the erased data', schema: z.array(erasureSchema) },
      },
      handler: () => json(200, erasure.list()),
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/erasure-preview',
      summary: 'Preview an erasure',
      description:
        'Lists what would be erased and what would remain. The target is the id of an application, the name of a namespace, or the id of a file. It is empty for kind `everything`. Nothing is changed.',
      query: erasurePreviewQuerySchema,
      responses: { 200: { description: 'The current preview', schema: erasurePreviewSchema } },
      errors: ['not_found'],
      handler: async ({ query }) => json(200, await erasure.preview(query.kind, query.target)),
    }),
    ownerRoute({
      method: 'POST',
      path: PATH,
      summary: 'Erase data permanently',
      description:
        'Irreversible. Requires the password and the confirmation text of the preview. A started erasure is completed even if the ' +
        'server stops. If everything is erased, the server restarts and can be set up with the code in this response.',
      body: { as: 'json', schema: erasureRequestSchema },
      responses: { 202: { description: 'The erasure was started', schema: erasureSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ body, caller }) => json(202, await erasure.begin(body, caller)),
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/:erasureId`,
      summary: 'Get an erasure',
      params: z.strictObject({ erasureId: z.uuid() }),
      responses: { 200: { description: 'Progress or result', schema: erasureSchema } },
      errors: ['not_found'],
      handler: ({ params }) => json(200, erasure.find(params.erasureId)),
    }),
  ] as const;
