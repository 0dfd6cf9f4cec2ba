import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json } from '../../../platform/http/route.ts';
import { endpointSchema, namespaceSchema } from '../../../wire/common.ts';
import {
  endpointFieldsSchema,
  fieldCorrectionsSchema,
  namespaceCorrectionsSchema,
  namespaceDisplaySchema,
} from '../../../wire/fields.ts';
import type { FieldService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Your data', access: ownerOnly });
const PATH = '/api/v2.6/owner/fields';
const query = z.strictObject({ endpoint: endpointSchema });

export const fieldRoutes = ({ fields }: { fields: FieldService }) =>
  [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: "Get the types, names and units of an endpoint's fields",
      query,
      responses: {
        200: {
          description: "Inferred from sampled records, with the owner's corrections",
          schema: endpointFieldsSchema,
        },
      },
      errors: ['not_found', 'query_limit_exceeded'],
      handler: async ({ query: { endpoint } }) => json(200, await fields.fields(endpoint)),
    }),
    ownerRoute({
      method: 'PUT',
      path: PATH,
      summary: 'Correct names, types and units, and choose an icon and colours',
      description: 'Omitted properties stay unchanged. `null` restores an inferred value or removes a choice.',
      query,
      body: { as: 'json', schema: fieldCorrectionsSchema },
      responses: { 200: { description: 'The fields with the corrections', schema: endpointFieldsSchema } },
      errors: ['not_found', 'query_limit_exceeded'],
      handler: async ({ query: { endpoint }, body }) => json(200, await fields.correct(endpoint, body)),
    }),
    ownerRoute({
      method: 'PUT',
      path: '/api/v2.6/owner/namespaces/:namespace',
      summary: 'Choose the name, icon and colour of a namespace',
      description: 'Omitted properties stay unchanged. `null` removes a choice.',
      params: z.strictObject({ namespace: namespaceSchema }),
      body: { as: 'json', schema: namespaceCorrectionsSchema },
      responses: { 200: { description: "The owner's choices", schema: namespaceDisplaySchema } },
      errors: ['not_found'],
      handler: async ({ params: { namespace }, body }) => json(200, await fields.correctNamespace(namespace, body)),
    }),
  ] as const;
