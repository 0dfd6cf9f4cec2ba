import { ownerOnly } from '../../../../platform/auth/principal.ts';
import { createRouteDeclarer, json } from '../../../../platform/http/route.ts';
import {
  pictureAreaQuery,
  pictureClustersQuery,
  pictureClustersSchema,
  pictureExtentSchema,
  pictureMapQuery,
  picturesInAreaSchema,
} from '../../../../wire/picture-map.ts';
import type { FileView } from '../../access/view.ts';
import type { PictureMapService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Your files', access: ownerOnly });
const PATH = '/api/v2.6/owner/files/map';
const errors = ['query_limit_exceeded'] as const;

export const pictureMapRoutes = (parts: {
  map: PictureMapService;
  view: Pick<FileView, 'ownerFile'>;
  baseOf: (host: string) => string;
}) => {
  const { map, view, baseOf } = parts;
  return [
    ownerRoute({
      method: 'GET',
      path: `${PATH}/extent`,
      summary: 'Get the area that contains the places of pictures',
      query: pictureMapQuery,
      responses: { 200: { description: 'The smallest area with all places', schema: pictureExtentSchema } },
      errors,
      handler: async ({ query }) => json(200, await map.extent(query)),
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/clusters`,
      summary: 'List the pictures in an area, grouped into the cells of a grid',
      query: pictureClustersQuery,
      responses: {
        200: { description: 'Groups of pictures that are close to each other', schema: pictureClustersSchema },
      },
      errors,
      handler: async ({ query }) => json(200, await map.clusters(query, query, query.zoom)),
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/pictures`,
      summary: 'List the pictures in an area',
      query: pictureAreaQuery,
      responses: {
        200: {
          description: 'The most recently taken pictures, and the number of all pictures in the area',
          schema: picturesInAreaSchema,
        },
      },
      errors,
      handler: async ({ query, caller: { principal, host } }) => {
        const { rows, total } = await map.listNewest(query, query);
        return json(200, { pictures: rows.map((row) => view.ownerFile(row, principal, baseOf(host))), total });
      },
    }),
  ] as const;
};
