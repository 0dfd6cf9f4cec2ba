import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json } from '../../../platform/http/route.ts';
import { endpointSchema } from '../../../wire/common.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../wire/limits.ts';
import { newRecordViewSchema, recordViewsChangeSchema, recordViewsSchema } from '../../../wire/record-views.ts';
import type { RecordViewService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Your data', access: ownerOnly });
const PATH = '/api/v2.6/owner/record-views';
const query = z.strictObject({ endpoint: endpointSchema });

export const recordViewRoutes = ({ recordViews }: { recordViews: RecordViewService }) =>
  [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: "List the saved views of an endpoint's records",
      query,
      responses: { 200: { description: "In the owner's order", schema: recordViewsSchema } },
      handler: ({ query: { endpoint } }) => json(200, recordViews.list(endpoint)),
    }),
    ownerRoute({
      method: 'POST',
      path: PATH,
      summary: 'Add a saved view',
      query,
      body: { as: 'json', schema: newRecordViewSchema },
      responses: { 200: { description: 'The new list', schema: recordViewsSchema } },
      errors: ['wrong_state'],
      handler: async ({ query: { endpoint }, body }) => json(200, await recordViews.add(endpoint, body)),
    }),
    ownerRoute({
      method: 'PUT',
      path: PATH,
      summary: 'Save, rename, arrange and remove views',
      description: 'Replaces the list. A view without an id is new. A view that is missing from the list is removed.',
      query,
      body: { as: 'json', schema: recordViewsChangeSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'The new list', schema: recordViewsSchema } },
      handler: async ({ query: { endpoint }, body }) => json(200, await recordViews.replace(endpoint, body)),
    }),
  ] as const;
