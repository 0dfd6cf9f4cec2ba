import { z } from 'zod';
import { endpointSchema } from './common.ts';
import { timeFormatSchema } from './fields.ts';
import { MAX_FIELD_PATH_CHARS, MAX_MAP_CLUSTERS, MAX_MAP_LINES, MAX_MAP_RECORDS } from './limits.ts';

const longitude = z.number().min(-180).max(180);
const latitude = z.number().min(-90).max(90);
const seconds = z.number().meta({ description: 'Unix time in seconds' });

/** Area between two meridians and two parallels. It crosses the antimeridian if `west` is greater than `east`. */
export const boundsSchema = z
  .strictObject({ west: longitude, south: latitude, east: longitude, north: latitude })
  .meta({ id: 'MapBounds' });

export const extentSchema = z
  .strictObject({
    bounds: boundsSchema.nullable().meta({
      description: 'Smallest area with all positions that does not cross the antimeridian; null without positions',
    }),
    records: z.int().min(0).meta({ description: 'Number of records with a position' }),
    excluded: z
      .int()
      .min(0)
      .meta({ description: 'Number of records without a valid position, or too large to be read' }),
    times: z
      .strictObject({ from: seconds, to: seconds })
      .nullable()
      .meta({ description: 'First and last time of the records with a position; null without times' }),
  })
  .meta({ id: 'MapExtent' });

export const clustersSchema = z
  .strictObject({
    clusters: z
      .array(
        z.strictObject({
          longitude,
          latitude,
          records: z.int().min(1),
          recordId: z.uuid().nullable().meta({ description: 'The record, if it is the only one' }),
          title: z.string().nullable().meta({ description: 'The title of this record' }),
          bounds: boundsSchema,
        }),
      )
      .max(MAX_MAP_CLUSTERS),
    records: z.int().min(0).meta({ description: 'Number of records in the area, including those of omitted clusters' }),
  })
  .meta({ id: 'MapClusters' });

export const linesSchema = z
  .strictObject({
    lines: z
      .array(z.array(z.array(z.number()).length(2)))
      .max(MAX_MAP_LINES)
      .meta({
        description:
          'Longitude and latitude of each point. Longitudes beyond ±180 continue a line across the antimeridian',
      }),
    isComplete: z.boolean().meta({ description: 'False if lines or points were omitted because there are too many' }),
  })
  .meta({ id: 'MapLines' });

export const mapRecordsSchema = z
  .strictObject({
    records: z
      .array(z.strictObject({ recordId: z.uuid(), longitude, latitude, title: z.string().nullable() }))
      .max(MAX_MAP_RECORDS)
      .meta({ description: 'The newest records in the area' }),
    total: z.int().min(0),
  })
  .meta({ id: 'MapRecords' });

const fieldPath = z.string().max(MAX_FIELD_PATH_CHARS);
const decimal = z
  .string()
  .regex(/^-?\d{1,12}(?:\.\d{1,12})?$/u, 'must be a decimal number')
  .transform(Number);
const degrees = (max: number) => decimal.pipe(z.number().min(-max).max(max));

export const positionQuery = {
  endpoint: endpointSchema,
  latitude: fieldPath.optional().meta({ description: 'Field with the latitude; requires `longitude`' }),
  longitude: fieldPath.optional().meta({ description: 'Field with the longitude; requires `latitude`' }),
  geometry: fieldPath.default('').meta({
    description: 'Field with GeoJSON, used if `latitude` is not set; by default, the record itself',
  }),
  time: fieldPath.optional().meta({ description: 'Field with the time; required with `from` or `to`' }),
  format: timeFormatSchema.default('iso'),
  from: decimal.optional().meta({ description: 'Only records whose `time` is at or after this Unix time in seconds' }),
  to: decimal.optional().meta({ description: 'Only records whose `time` is at or before this Unix time in seconds' }),
};

export const boundsQuery = { west: degrees(180), south: degrees(90), east: degrees(180), north: degrees(90) };

export const titleQuery = fieldPath.optional().meta({ description: 'Field with the title of a record' });

/** At zoom level 0 the world is 512 pixels wide; each level doubles the width. */
export const zoomQuery = z
  .string()
  .regex(/^(?:\d|1\d|2[0-2])$/u, 'must be a zoom level from 0 to 22')
  .transform(Number);

export type MapBounds = z.infer<typeof boundsSchema>;
export type MapExtent = z.infer<typeof extentSchema>;
export type MapClusters = z.infer<typeof clustersSchema>;
export type MapLines = z.infer<typeof linesSchema>;
export type MapRecords = z.infer<typeof mapRecordsSchema>;
