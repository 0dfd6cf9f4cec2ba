import { z } from 'zod';
import { CHART_BUCKETS } from './chart-choices.ts';

/** Weeks begin on Monday. */
export const bucketSchema = z.enum(CHART_BUCKETS).meta({ id: 'ChartBucket' });

export const seriesSchema = z
  .strictObject({
    buckets: z.array(
      z.strictObject({
        start: z.string().meta({ description: 'Start of the bucket, such as 2026-03-01 or 2026-03-01 14' }),
        count: z.int().min(0).meta({ description: 'Number of records; with a value field, of records with a number' }),
        sum: z.number().nullable(),
        min: z.number().nullable(),
        max: z.number().nullable(),
      }),
    ),
    records: z
      .int()
      .min(0)
      .meta({ description: 'Number of records read for this page, without those that are too large' }),
    excluded: z.int().min(0).meta({ description: 'Number of these records without a time or a number' }),
    next: z.int().nullable().meta({ description: 'Cursor of the next page; null at the end' }),
  })
  .meta({ id: 'ChartSeries' });

export const distributionSchema = z
  .strictObject({
    bins: z.array(z.strictObject({ from: z.number(), to: z.number(), count: z.int().min(0) })),
    excluded: z
      .int()
      .min(0)
      .meta({ description: 'Number of records without a number in this field, or too large to be read' }),
  })
  .meta({ id: 'ChartDistribution' });

export const valueCountsSchema = z
  .strictObject({
    values: z.array(z.strictObject({ value: z.union([z.string(), z.number(), z.null()]), count: z.int().min(0) })),
    distinct: z.int().min(0).meta({ description: 'Number of different values' }),
    excluded: z
      .int()
      .min(0)
      .meta({ description: 'Number of records with a list or an object in this field, or too large to be read' }),
  })
  .meta({ id: 'ChartValueCounts' });

export const pointsSchema = z
  .strictObject({
    points: z.array(z.strictObject({ x: z.number(), y: z.number() })),
    total: z.int().min(0).meta({ description: 'Records with both numbers; more than `points` if those are a sample' }),
    excluded: z.int().min(0).meta({ description: 'Number of records without both numbers, or too large to be read' }),
  })
  .meta({ id: 'ChartPoints' });

export type ChartBucket = z.infer<typeof bucketSchema>;
export type ChartSeries = z.infer<typeof seriesSchema>;
export type ChartDistribution = z.infer<typeof distributionSchema>;
export type ChartValueCounts = z.infer<typeof valueCountsSchema>;
export type ChartPoints = z.infer<typeof pointsSchema>;
