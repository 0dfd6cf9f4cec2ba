import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route } from '../../../platform/http/route.ts';
import { endpointSchema } from '../../../wire/common.ts';
import { feedPageSchema } from '../../../wire/feed.ts';
import { feedQuery, windowOf } from './query.ts';
import type { Feed } from './reader.ts';

/** Routes of the feed in the dashboard, where each entry links to its record. */
export const ownerFeedRoutes = (parts: { feed: Feed; now: () => number }) =>
  [
    route({
      method: 'GET',
      path: '/api/v2.6/owner/feed',
      tag: 'Your functions',
      summary: 'The feed with the ids of its records',
      access: ownerOnly,
      query: feedQuery.extend({
        endpoint: endpointSchema.optional().meta({ description: 'Limits the feed to this endpoint' }),
      }),
      responses: { 200: { description: 'Newest first', schema: feedPageSchema } },
      errors: ['query_limit_exceeded'],
      handler: async ({ query: { endpoint, ...query } }) =>
        json(200, await parts.feed.page(endpoint, windowOf(query, parts.now()), undefined)),
    }),
  ] as const;
