import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route } from '../../../platform/http/route.ts';
import { endpointSchema, namespaceSchema } from '../../../wire/common.ts';
import {
  endpointFieldsSchema,
  fieldCorrectionsSchema,
  namespaceCorrectionsSchema,
  namespaceDisplaySchema,
} from '../../../wire/fields.ts';
import type { FieldService } from './service.ts';

const TAG = 'Your data';
const PATH = '/api/v2.6/owner/fields';
const query = z.strictObject({ endpoint: endpointSchema });

export const fieldRoutes = ({ fields }: { fields: FieldService }) =>
  [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: "Get the types, names and units of an endpoint's fields",
      access: ownerOnly,
      query,
      responses: { 200: { description: 'Inferred from sampled records', schema: endpointFieldsSchema } },
      errors: ['not_found', 'query_limit_exceeded'],
      handler: async ({ query: { endpoint } }) => json(200, await fields.fields(endpoint)),
    }),
    route({
      method: 'PUT',
      path: PATH,
      tag: TAG,
      summary: 'Correct names, types and units, and choose an icon and colours',
      access: ownerOnly,
      query,
      body: { as: 'json', schema: fieldCorrectionsSchema },
      responses: { 200: { description: 'The fields with the corrections', schema: endpointFieldsSchema } },
      errors: ['not_found', 'query_limit_exceeded'],
      handler: async ({ query: { endpoint }, body }) => json(200, await fields.correct(endpoint, body)),
    }),
    route({
      method: 'PUT',
      path: '/api/v2.6/owner/namespaces/:namespace',
      tag: TAG,
      summary: 'Choose the name, icon and colour of a namespace',
      access: ownerOnly,
      params: z.strictObject({ namespace: namespaceSchema }),
      body: { as: 'json', schema: namespaceCorrectionsSchema },
      responses: { 200: { description: "The owner's choices", schema: namespaceDisplaySchema } },
      errors: ['not_found'],
      handler: async ({ params: { namespace }, body }) => json(200, await fields.correctNamespace(namespace, body)),
    }),
  ] as const;
