import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route } from '../../../platform/http/route.ts';
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

const TAG = 'Your data';
const PATH = '/api/v2.6/owner/timeline';
const errors = ['query_limit_exceeded'] as const;

export const timelineRoutes = ({ timeline }: { timeline: TimelineService }) =>
  [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'List the months and sources of the timeline',
      description: 'Records, pictures, imports, decisions and results of functions. Days are in this PDA’s time zone.',
      access: ownerOnly,
      query: timelineQuery,
      responses: { 200: { description: 'Months with items, newest first, and all sources', schema: timelineSchema } },
      errors,
      handler: async ({ query }) => json(200, await timeline.overview(query.source)),
    }),
    route({
      method: 'GET',
      path: `${PATH}/days`,
      tag: TAG,
      summary: 'List the days of a month of the timeline',
      access: ownerOnly,
      query: timelineDaysQuery,
      responses: { 200: { description: 'Number of items by day and source', schema: timelineDaysSchema } },
      errors,
      handler: async ({ query }) => json(200, await timeline.days(query.month, query.source)),
    }),
    route({
      method: 'GET',
      path: `${PATH}/items`,
      tag: TAG,
      summary: 'List the items of a source on one day',
      access: ownerOnly,
      query: timelineItemsQuery,
      responses: { 200: { description: 'One page of items, the latest first', schema: timelineItemsSchema } },
      errors: [...errors, 'not_found'],
      handler: async ({ query: { source, day, skip, take }, caller: { principal, host } }) =>
        json(200, await timeline.items(source, day, { skip, take }, { principal, host })),
    }),
    route({
      method: 'GET',
      path: `${PATH}/search`,
      tag: TAG,
      summary: 'Search the records of the timeline',
      access: ownerOnly,
      query: timelineSearchQuery,
      responses: { 200: { description: 'The newest matches', schema: timelineMatchesSchema } },
      errors: [...errors, 'not_found'],
      handler: async ({ query: { text, source } }) => json(200, await timeline.search(text, source)),
    }),
  ] as const;
