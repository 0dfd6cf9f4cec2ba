import { z } from 'zod';
import { fileIdSchema, ownerFileSchema, ownerFilesQuery } from './files.ts';
import { MAX_MAP_CLUSTERS, MAX_MAP_RECORDS } from './limits.ts';
import { boundsQuery, boundsSchema, zoomQuery } from './maps.ts';

export const pictureMapQuery = ownerFilesQuery.omit({
  ledgerId: true,
  sort: true,
  order: true,
  skip: true,
  take: true,
});

/** The area crosses the antimeridian if `west` is greater than `east`. */
export const pictureAreaQuery = pictureMapQuery.extend(boundsQuery);

export const pictureClustersQuery = pictureAreaQuery.extend({ zoom: zoomQuery });

export const pictureExtentSchema = z
  .strictObject({
    bounds: boundsSchema
      .nullable()
      .meta({ description: 'Smallest area with all places that does not cross the antimeridian; null without places' }),
    pictures: z.int().min(0).meta({ description: 'Number of pictures with a place' }),
  })
  .meta({ id: 'PictureExtent' });

export const pictureClustersSchema = z
  .strictObject({
    clusters: z
      .array(
        z.strictObject({
          longitude: z.number().min(-180).max(180),
          latitude: z.number().min(-90).max(90),
          pictures: z.int().min(1),
          fileId: fileIdSchema.nullable().meta({ description: 'The picture, if it is the only one' }),
          title: z.string().nullable().meta({ description: 'The title or the name of this picture' }),
          bounds: boundsSchema,
        }),
      )
      .max(MAX_MAP_CLUSTERS),
    pictures: z
      .int()
      .min(0)
      .meta({ description: 'Number of pictures in the area, including those of omitted clusters' }),
  })
  .meta({ id: 'PictureClusters' });

export const picturesInAreaSchema = z
  .strictObject({
    pictures: z
      .array(ownerFileSchema)
      .max(MAX_MAP_RECORDS)
      .meta({ description: 'Most recently taken first; pictures without a date taken at the end' }),
    total: z.int().min(0),
  })
  .meta({ id: 'PicturesInArea' });

export type PictureExtent = z.infer<typeof pictureExtentSchema>;
export type PictureClusters = z.infer<typeof pictureClustersSchema>;
