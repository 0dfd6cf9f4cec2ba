import { z } from 'zod';
import { ownerOnly } from '../../../../platform/auth/principal.ts';
import { json, route } from '../../../../platform/http/route.ts';
import { endpointSchema } from '../../../../wire/common.ts';
import { MAX_FIELD_PATH_CHARS, MAX_FILTER_TEXT_CHARS } from '../../../../wire/limits.ts';
import { facetSchema, filtersParameter } from '../../../../wire/table.ts';
import type { TableService } from './service.ts';

export const tableRoutes = ({ table }: { table: TableService }) =>
  [
    route({
      method: 'GET',
      path: '/api/v2.6/owner/record-facets',
      tag: 'Your data',
      summary: 'Count the records of a selection by the value of a field',
      access: ownerOnly,
      query: z.strictObject({
        endpoint: endpointSchema,
        field: z.string().min(1).max(MAX_FIELD_PATH_CHARS),
        search: z.string().max(MAX_FILTER_TEXT_CHARS).default(''),
        filters: filtersParameter,
      }),
      responses: { 200: { description: 'The most frequent values', schema: facetSchema } },
      errors: ['query_limit_exceeded'],
      handler: async ({ query: { endpoint, field, search, filters = [] } }) =>
        json(200, await table.facet(endpoint, field, { search, filters, sorts: [], oldestFirst: false })),
    }),
  ] as const;
