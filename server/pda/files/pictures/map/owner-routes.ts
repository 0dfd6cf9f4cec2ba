import { ownerOnly } from '../../../../platform/auth/principal.ts';
import { json, route } from '../../../../platform/http/route.ts';
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

const TAG = 'Your files';
const PATH = '/api/v2.6/owner/files/map';
const errors = ['query_limit_exceeded'] as const;

/** Routes that return the positions of pictures, for the map on the Files page. */
export const pictureMapRoutes = (parts: {
  map: PictureMapService;
  view: Pick<FileView, 'ownerFile'>;
  baseOf: (host: string) => string;
}) => {
  const { map, view, baseOf } = parts;
  return [
    route({
      method: 'GET',
      path: `${PATH}/extent`,
      tag: TAG,
      summary: 'Get the area that contains the places of pictures',
      access: ownerOnly,
      query: pictureMapQuery,
      responses: { 200: { description: 'The smallest area with all places', schema: pictureExtentSchema } },
      errors,
      handler: async ({ query }) => json(200, await map.extent(query)),
    }),
    route({
      method: 'GET',
      path: `${PATH}/clusters`,
      tag: TAG,
      summary: 'List the pictures in an area, grouped by a grid',
      access: ownerOnly,
      query: pictureClustersQuery,
      responses: { 200: { description: 'The largest groups first', schema: pictureClustersSchema } },
      errors,
      handler: async ({ query }) => json(200, await map.clusters(query, query, query.zoom)),
    }),
    route({
      method: 'GET',
      path: `${PATH}/pictures`,
      tag: TAG,
      summary: 'List the pictures in an area',
      access: ownerOnly,
      query: pictureAreaQuery,
      responses: { 200: { description: 'The pictures that were taken last', schema: picturesInAreaSchema } },
      errors,
      handler: async ({ query, caller: { principal, host } }) => {
        const { rows, total } = await map.newestIn(query, query);
        return json(200, { pictures: rows.map((row) => view.ownerFile(row, principal, baseOf(host))), total });
      },
    }),
  ] as const;
};
