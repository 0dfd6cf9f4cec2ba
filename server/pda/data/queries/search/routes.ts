import { ownerOnly } from '../../../../platform/auth/principal.ts';
import { createRouteDeclarer, json } from '../../../../platform/http/route.ts';
import {
  recordSearchQuery,
  recordSearchSchema,
  searchIndexChangeSchema,
  searchIndexSchema,
} from '../../../../wire/search.ts';
import type { SearchService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Your data', access: ownerOnly });
const INDEX_PATH = '/api/v2.6/owner/search-index';

export const searchRoutes = ({ search }: { search: SearchService }) =>
  [
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/search',
      summary: 'Search records and the text of files',
      query: recordSearchQuery,
      responses: {
        200: {
          description: 'The best matches, or the newest ones if there are too many to rank',
          schema: recordSearchSchema,
        },
      },
      errors: ['query_limit_exceeded'],
      handler: async ({ query: { text, take } }) => json(200, await search.search(text, take)),
    }),
    ownerRoute({
      method: 'GET',
      path: INDEX_PATH,
      summary: 'Get the settings and size of the search index',
      responses: { 200: { description: 'The index', schema: searchIndexSchema } },
      handler: async () => json(200, await search.index()),
    }),
    ownerRoute({
      method: 'PUT',
      path: INDEX_PATH,
      summary: 'Turn the search index on or off, for records and for the text of files, or exclude sources from it',
      body: { as: 'json', schema: searchIndexChangeSchema },
      responses: { 200: { description: 'The index, which is rebuilt if necessary', schema: searchIndexSchema } },
      handler: async ({ body }) => json(200, await search.change(body)),
    }),
  ] as const;
