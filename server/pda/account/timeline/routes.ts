import { ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json } from '../../../platform/http/route.ts';
import {
  timelineDaysQuery,
  timelineDaysSchema,
  timelineItemsQuery,
  timelineItemsSchema,
  timelineMatchesSchema,
  timelineQuery,
  timelineSchema,
  timelineSearchQuery,
} from '../../../wire/timeline.ts';
import type { TimelineService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Your data', access: ownerOnly });
const PATH = '/api/v2.6/owner/timeline';
const errors = ['query_limit_exceeded'] as const;

export const timelineRoutes = ({ timeline }: { timeline: TimelineService }) =>
  [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'List the months and sources of the timeline',
      description:
        'Records, pictures, imports, decisions and results of functions. Days are in this PDA’s time zone. Pictures, and times with a numeric UTC offset, keep the day that they state.',
      query: timelineQuery,
      responses: {
        200: {
          description: 'The latest months with items, newest first, and all counted sources',
          schema: timelineSchema,
        },
      },
      errors,
      handler: async ({ query }) => json(200, await timeline.readOverview(query.source)),
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/days`,
      summary: 'List the days of a month of the timeline',
      query: timelineDaysQuery,
      responses: { 200: { description: 'Number of items by day and source', schema: timelineDaysSchema } },
      errors,
      handler: async ({ query }) => json(200, await timeline.listDays(query.month, query.source)),
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/items`,
      summary: 'List the items of a source on one day',
      query: timelineItemsQuery,
      responses: { 200: { description: 'One page of items, the latest first', schema: timelineItemsSchema } },
      errors,
      handler: async ({ query: { source, day, skip, take }, caller: { principal, host } }) =>
        json(200, await timeline.listItems(source, day, { skip, take }, { principal, host })),
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/search`,
      summary: 'Search the records of the timeline',
      query: timelineSearchQuery,
      responses: { 200: { description: 'The newest matches', schema: timelineMatchesSchema } },
      errors: [...errors, 'not_found'],
      handler: async ({ query: { text, source } }) => json(200, await timeline.search(text, source)),
    }),
  ] as const;
