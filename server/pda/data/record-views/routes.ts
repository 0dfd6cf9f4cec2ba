import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route } from '../../../platform/http/route.ts';
import { endpointSchema } from '../../../wire/common.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../wire/limits.ts';
import { newRecordViewSchema, recordViewsChangeSchema, recordViewsSchema } from '../../../wire/record-views.ts';
import type { RecordViewService } from './service.ts';

const TAG = 'Your data';
const PATH = '/api/v2.6/owner/record-views';
const query = z.strictObject({ endpoint: endpointSchema });

export const recordViewRoutes = ({ recordViews }: { recordViews: RecordViewService }) =>
  [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: "List the saved views of an endpoint's records",
      access: ownerOnly,
      query,
      responses: { 200: { description: "In the owner's order", schema: recordViewsSchema } },
      handler: ({ query: { endpoint } }) => json(200, recordViews.list(endpoint)),
    }),
    route({
      method: 'POST',
      path: PATH,
      tag: TAG,
      summary: 'Add a saved view',
      access: ownerOnly,
      query,
      body: { as: 'json', schema: newRecordViewSchema },
      responses: { 200: { description: 'The new list', schema: recordViewsSchema } },
      errors: ['wrong_state'],
      handler: async ({ query: { endpoint }, body }) => json(200, await recordViews.add(endpoint, body)),
    }),
    route({
      method: 'PUT',
      path: PATH,
      tag: TAG,
      summary: 'Save, rename, arrange and remove views',
      description: 'Replaces the list. A view without an id is new. A view that is missing from the list is removed.',
      access: ownerOnly,
      query,
      body: { as: 'json', schema: recordViewsChangeSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'The new list', schema: recordViewsSchema } },
      handler: async ({ query: { endpoint }, body }) => json(200, await recordViews.replace(endpoint, body)),
    }),
  ] as const;
