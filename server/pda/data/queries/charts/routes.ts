import { z } from 'zod';
import { ownerOnly } from '../../../../platform/auth/principal.ts';
import { createRouteDeclarer, json } from '../../../../platform/http/route.ts';
import {
  bucketSchema,
  distributionSchema,
  pointsSchema,
  seriesSchema,
  valueCountsSchema,
} from '../../../../wire/charts.ts';
import { endpointSchema } from '../../../../wire/common.ts';
import { timeFormatSchema } from '../../../../wire/fields.ts';
import { MAX_CHART_POINTS, MAX_COUNTED_VALUES, MAX_FIELD_PATH_CHARS } from '../../../../wire/limits.ts';
import { CHARTED_DESCRIPTION } from '../sql/extraction.ts';
import type { ChartService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Your data', access: ownerOnly });
const PATH = '/api/v2.6/owner/charts';
const field = z.string().max(MAX_FIELD_PATH_CHARS);
const errors = ['not_found', 'query_limit_exceeded'] as const;

export const chartRoutes = ({ charts }: { charts: ChartService }) =>
  [
    ownerRoute({
      method: 'GET',
      path: `${PATH}/series`,
      summary: 'Count or aggregate the records of an endpoint over time',
      description: CHARTED_DESCRIPTION,
      query: z.strictObject({
        endpoint: endpointSchema,
        time: field
          .optional()
          .meta({ description: 'Field with the time; default: the time at which a record was stored' }),
        format: timeFormatSchema.default('iso'),
        value: field.optional().meta({ description: 'Field with the number; by default, records are counted' }),
        per: bucketSchema.default('day'),
        before: z
          .string()
          .regex(/^\d{1,16}$/u, 'must be the cursor `next` of a page')
          .transform(Number)
          .optional()
          .meta({ description: '`next` of the previous page' }),
      }),
      responses: {
        200: {
          description: 'Buckets of all records, or of one page of them; the first page has the newest records',
          schema: seriesSchema,
        },
      },
      errors,
      handler: async ({ query: { time, format, ...query } }) =>
        json(200, await charts.series({ ...query, time: time === undefined ? undefined : { path: time, format } })),
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/distribution`,
      summary: 'Count the numbers of a field in bins of equal width',
      description: CHARTED_DESCRIPTION,
      query: z.strictObject({ endpoint: endpointSchema, field }),
      responses: { 200: { description: 'From the lowest to the highest number', schema: distributionSchema } },
      errors,
      handler: async ({ query }) => json(200, await charts.distribution(query.endpoint, query.field)),
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/values`,
      summary: 'Count the values of a field',
      description: CHARTED_DESCRIPTION,
      query: z.strictObject({ endpoint: endpointSchema, field }),
      responses: {
        200: { description: `At most ${MAX_COUNTED_VALUES}, the most frequent first`, schema: valueCountsSchema },
      },
      errors,
      handler: async ({ query }) => json(200, await charts.valueCounts(query.endpoint, query.field)),
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/points`,
      summary: 'List pairs of numbers of two fields',
      description: CHARTED_DESCRIPTION,
      query: z.strictObject({ endpoint: endpointSchema, x: field, y: field }),
      responses: { 200: { description: 'All pairs, or a sample of them', schema: pointsSchema } },
      errors,
      handler: async ({ query }) => {
        const { points, total, excluded } = await charts.points(query.endpoint, query.x, query.y, MAX_CHART_POINTS);
        return json(200, { points, total, excluded });
      },
    }),
  ] as const;
