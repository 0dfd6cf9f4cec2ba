import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route } from '../../../platform/http/route.ts';
import { weeklySummaryQuery, weeklySummarySchema } from '../../../wire/weekly-summary.ts';
import type { WeeklySummaryService } from './service.ts';

export const weeklySummaryRoutes = ({ weeklySummary }: { weeklySummary: WeeklySummaryService }) =>
  [
    route({
      method: 'GET',
      path: '/api/v2.6/owner/weekly-summary',
      tag: 'Access log',
      summary: 'Get the summary of the last complete week',
      description: 'Who read what from Monday to Sunday, what was new in that week, and what ends soon.',
      access: ownerOnly,
      query: weeklySummaryQuery,
      responses: { 200: { description: 'The summary', schema: weeklySummarySchema } },
      handler: async ({ query }) => json(200, await weeklySummary.readSummary(query.timeZone)),
    }),
  ] as const;
