import { z } from 'zod';
import { ownerOnly } from '../../../../platform/auth/principal.ts';
import { createRouteDeclarer, json } from '../../../../platform/http/route.ts';
import { calendarDaysSchema, calendarExtentSchema, calendarQuery, daysQuery } from '../../../../wire/calendar.ts';
import { CHARTED_DESCRIPTION } from '../sql/extraction.ts';
import type { CalendarSelection, CalendarService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Your data', access: ownerOnly });
const PATH = '/api/v2.6/owner/calendar';

const extentQuery = z.strictObject(calendarQuery);

const selectionOf = ({ endpoint, start, format, end, endFormat }: z.infer<typeof extentQuery>): CalendarSelection => ({
  endpoint,
  start: { path: start, format },
  end: end === undefined ? undefined : { path: end, format: endFormat },
});

export const calendarRoutes = ({ calendar }: { calendar: CalendarService }) =>
  [
    ownerRoute({
      method: 'GET',
      path: `${PATH}/extent`,
      summary: "Get the first and last day of an endpoint's records",
      description: CHARTED_DESCRIPTION,
      query: extentQuery,
      responses: { 200: { description: 'The days, and how many records have a time', schema: calendarExtentSchema } },
      errors: ['not_found', 'query_limit_exceeded'],
      handler: async ({ query }) => json(200, await calendar.extent(selectionOf(query))),
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/days`,
      summary: 'List the records of an endpoint by day',
      description: CHARTED_DESCRIPTION,
      query: z.strictObject({ ...calendarQuery, ...daysQuery }),
      responses: { 200: { description: 'Days with records', schema: calendarDaysSchema } },
      errors: ['not_found', 'query_limit_exceeded'],
      handler: async ({ query }) => json(200, await calendar.days(selectionOf(query), query)),
    }),
  ] as const;
