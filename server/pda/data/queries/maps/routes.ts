import { z } from 'zod';
import { ownerOnly } from '../../../../platform/auth/principal.ts';
import { Failure } from '../../../../platform/failure.ts';
import { createRouteDeclarer, json } from '../../../../platform/http/route.ts';
import {
  boundsQuery,
  clustersSchema,
  extentSchema,
  linesSchema,
  mapRecordsSchema,
  positionQuery,
  titleQuery,
  zoomQuery,
} from '../../../../wire/maps.ts';
import { CHARTED_DESCRIPTION } from '../sql/extraction.ts';
import type { MapSelection, MapService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Your data', access: ownerOnly });
const PATH = '/api/v2.6/owner/maps';
const errors = ['not_found', 'query_limit_exceeded'] as const;

const positionSchema = z.strictObject(positionQuery);
const areaSchema = z.strictObject({ ...positionQuery, ...boundsQuery });
const viewSchema = z.strictObject({ ...positionQuery, ...boundsQuery, zoom: zoomQuery });

/** @throws Failure invalid_input for only one of latitude and longitude, and for an interval without a time field */
const selectionOf = (query: z.infer<typeof positionSchema>): MapSelection => {
  const { endpoint, latitude, longitude, geometry, time, format, from, to } = query;
  if (time === undefined && (from ?? to) !== undefined) {
    throw new Failure(
      'invalid_input',
      '`from` and `to` require `time`, the path of the field that contains the time of each record.',
    );
  }
  const commonFields = { endpoint, time: time === undefined ? undefined : { path: time, format, from, to } };
  if (latitude === undefined && longitude === undefined) return { ...commonFields, position: { geometry } };
  if (latitude !== undefined && longitude !== undefined) return { ...commonFields, position: { latitude, longitude } };
  throw new Failure('invalid_input', 'Specify both `latitude` and `longitude`, or neither.');
};

export const mapRoutes = ({ maps }: { maps: MapService }) =>
  [
    ownerRoute({
      method: 'GET',
      path: `${PATH}/extent`,
      summary: "Get the area and interval of an endpoint's positions",
      description: CHARTED_DESCRIPTION,
      query: positionSchema,
      responses: {
        200: { description: 'The area and interval, and how many records have a position', schema: extentSchema },
      },
      errors,
      handler: async ({ query }) => json(200, await maps.extent(selectionOf(query))),
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/clusters`,
      summary: 'List the positions in an area, grouped into the cells of a grid',
      description: CHARTED_DESCRIPTION,
      query: viewSchema.extend({ title: titleQuery }),
      responses: { 200: { description: 'The largest groups', schema: clustersSchema } },
      errors,
      handler: async ({ query }) => json(200, await maps.clusters(selectionOf(query), query, query.zoom, query.title)),
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/lines`,
      summary: 'List the lines in an area',
      description:
        'The lines of GeoJSON objects whose centre is in the area, or, with latitude, longitude and time, lines that ' +
        `connect the positions in chronological order. ${CHARTED_DESCRIPTION}`,
      query: viewSchema,
      responses: { 200: { description: 'Simplified for the zoom level', schema: linesSchema } },
      errors,
      handler: async ({ query }) => json(200, await maps.lines(selectionOf(query), query, query.zoom)),
    }),
    ownerRoute({
      method: 'GET',
      path: `${PATH}/records`,
      summary: 'List the records in an area',
      description: CHARTED_DESCRIPTION,
      query: areaSchema.extend({ title: titleQuery }),
      responses: { 200: { description: 'The newest records', schema: mapRecordsSchema } },
      errors,
      handler: async ({ query }) => json(200, await maps.records(selectionOf(query), query, query.title)),
    }),
  ] as const;
