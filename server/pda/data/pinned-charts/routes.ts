import { ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json } from '../../../platform/http/route.ts';
import { pinnedChartsChangeSchema, pinnedChartsSchema } from '../../../wire/pinned-charts.ts';
import type { PinnedChartService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Your data', access: ownerOnly });
const PATH = '/api/v2.6/owner/pinned-charts';

export const pinnedChartRoutes = ({ pinnedCharts }: { pinnedCharts: PinnedChartService }) =>
  [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'List the charts that are pinned to Home',
      description: 'In the order in which Home shows them. Charts of endpoints without records are omitted.',
      responses: { 200: { description: 'The pinned charts', schema: pinnedChartsSchema } },
      handler: () => json(200, pinnedCharts.list()),
    }),
    ownerRoute({
      method: 'PUT',
      path: PATH,
      summary: 'Pin, arrange and remove charts on Home',
      description:
        'Replaces the list. A chart without an id is new. A chart that is missing from the new list stays pinned only if its endpoint has no records and the list has room for it.',
      body: { as: 'json', schema: pinnedChartsChangeSchema },
      responses: { 200: { description: 'The new list', schema: pinnedChartsSchema } },
      handler: async ({ body }) => json(200, await pinnedCharts.replace(body)),
    }),
  ] as const;
