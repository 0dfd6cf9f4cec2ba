import { z } from 'zod';
import { publicAccess } from '../../platform/auth/principal.ts';
import { json, jsonText, route } from '../../platform/http/route.ts';
import { accountOf, pdaOf, pdaOnly, withRole } from '../../platform/service/authorization.ts';
import { wholeNumber } from '../../wire/common.ts';
import {
  availableDataSchema,
  dailyStatisticsSchema,
  reportResponseSchema,
  reportSchema,
  statisticsSchema,
} from '../../wire/statistics.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../wire/limits.ts';
import type { StatisticsService } from './service.ts';

const MAX_DAYS = 366;

export const statisticsRoutes = ({ statistics }: { statistics: StatisticsService }) =>
  [
    route({
      method: 'GET',
      path: '/stats',
      tag: 'Statistics',
      summary: 'Get the public statistics',
      description:
        'All values are counts, never data. `Top Datapoints` contains the endpoints that the most PDAs reported. The response may be cached for up to a minute.',
      access: publicAccess,
      responses: { 200: { description: 'Entries', schema: statisticsSchema } },
      handler: async () => jsonText(200, await statistics.readStatistics()),
    }),
    route({
      method: 'GET',
      path: '/stats/available-data',
      tag: 'Statistics',
      summary: 'List the kinds of data in PDAs',
      description:
        'Endpoints and fields that a minimum number of PDAs reported, and those with a description. `count` is the number of values that were written.',
      access: publicAccess,
      responses: { 200: { description: 'By namespace', schema: availableDataSchema } },
      handler: async () => jsonText(200, await statistics.readAvailableData()),
    }),
    route({
      method: 'POST',
      path: '/stats/available-data/descriptions',
      tag: 'Statistics',
      summary: 'Set descriptions of namespaces, endpoints and fields',
      description:
        'Changes only the sent entries. An empty description deletes the stored description. `count` is ignored.',
      access: withRole('management'),
      body: { as: 'json', schema: availableDataSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'All available data', schema: availableDataSchema } },
      handler: async ({ body, caller }) => json(200, await statistics.describe(body, accountOf(caller).name)),
    }),
    route({
      method: 'POST',
      path: '/stats/report',
      tag: 'Statistics',
      summary: 'Report the events of a PDA',
      description:
        'Requires a token issued by the PDA. Either all events are accepted, or none are. An event that was sent before, is older than 35 days or is more than a day in the future is not counted.',
      access: pdaOnly,
      body: { as: 'json', schema: reportSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'Accepted', schema: reportResponseSchema } },
      errors: ['not_found'],
      handler: async ({ body, caller }) =>
        json(200, { message: 'The events were accepted.', ...(await statistics.report(pdaOf(caller), body)) }),
    }),
    route({
      method: 'GET',
      path: '/api/statistics/daily',
      tag: 'Statistics',
      summary: 'Get daily statistics',
      access: withRole('administrator'),
      query: z.object({
        days: wholeNumber
          .pipe(z.int().min(1).max(MAX_DAYS))
          .default(30)
          .meta({ description: 'Number of days, the last of which is today' }),
      }),
      responses: { 200: { description: 'Days, the newest last', schema: dailyStatisticsSchema } },
      handler: async ({ query }) => json(200, await statistics.readDailyStatistics(query.days)),
    }),
  ] as const;
