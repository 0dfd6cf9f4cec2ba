import { ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json } from '../../../platform/http/route.ts';
import { fileMonthsQuery, fileMonthsSchema, placeCountInputSchema, placeCountsSchema } from '../../../wire/files.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../wire/limits.ts';
import type { PictureStore } from './store.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Your files', access: ownerOnly });
const PATH = '/api/v2.6/owner/files';

export const pictureRoutes = ({ pictures }: { pictures: Pick<PictureStore, 'countByMonth' | 'countPlaces'> }) =>
  [
    ownerRoute({
      method: 'GET',
      path: `${PATH}/months`,
      summary: 'Count files by the month in which they were taken',
      query: fileMonthsQuery,
      responses: {
        200: { description: 'The months, in the order of a list that is sorted by `taken`', schema: fileMonthsSchema },
      },
      handler: ({ query }) => json(200, pictures.countByMonth(query)),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/place-counts`,
      summary: 'Count the pictures that contain the place where they were taken',
      body: { as: 'json', schema: placeCountInputSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: {
        200: {
          description: 'The number of pictures among the files, and the number of those that have a place',
          schema: placeCountsSchema,
        },
      },
      handler: ({ body }) => json(200, pictures.countPlaces(body)),
    }),
  ] as const;
