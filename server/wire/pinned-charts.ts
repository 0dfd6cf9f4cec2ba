import { z } from 'zod';
import { AGGREGATIONS, CHART_MARKS, CHART_RANGE_DAYS } from './chart-choices.ts';
import { bucketSchema } from './charts.ts';
import { endpointSchema, hasUniqueIds, NOT_UNIQUE_IDS } from './common.ts';
import { MAX_FIELD_PATH_CHARS, MAX_PINNED_CHARTS } from './limits.ts';

const fieldPath = z.string().max(MAX_FIELD_PATH_CHARS);
const timeSeriesFields = {
  field: fieldPath.optional().meta({ description: 'Field with the number; without it, records are counted' }),
  time: fieldPath
    .optional()
    .meta({ description: 'Field with the time; without it, the time at which the record was stored' }),
  aggregation: z.enum(AGGREGATIONS),
};

/** Settings of every kind of chart except galleries, which cannot be shared. */
export const chartSettingsSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('time'),
      ...timeSeriesFields,
      per: bucketSchema,
      mark: z.enum(CHART_MARKS),
      lastDays: z
        .literal(CHART_RANGE_DAYS)
        .optional()
        .meta({ description: 'Number of days, the last of which is today; without it, the chart shows all records' }),
      compare: z.boolean().meta({ description: 'Compares the range with the preceding period' }),
    }),
    z.strictObject({
      kind: z.literal('heat'),
      ...timeSeriesFields,
      year: z
        .string()
        .regex(/^\d{4}$/u, 'must be a year')
        .optional()
        .meta({ description: 'Year that the chart shows; without it, the latest year with a value' }),
    }),
    z.strictObject({ kind: z.literal('distribution'), field: fieldPath }),
    z.strictObject({ kind: z.literal('values'), field: fieldPath }),
    z.strictObject({
      kind: z.literal('scatter'),
      field: fieldPath.meta({ description: 'Field on the horizontal axis' }),
      second: fieldPath.meta({ description: 'Field on the vertical axis' }),
    }),
    z.strictObject({
      kind: z.literal('calendar'),
      time: fieldPath.meta({ description: 'Field with the start' }),
      second: fieldPath.optional().meta({ description: 'Field with the end' }),
      field: fieldPath.optional().meta({ description: 'Field with the title' }),
    }),
    z.strictObject({
      kind: z.literal('map'),
      field: fieldPath.meta({ description: 'Field with the latitude, or with GeoJSON' }),
      second: fieldPath
        .optional()
        .meta({ description: 'Field with the longitude; without it, `field` contains GeoJSON' }),
      time: fieldPath.optional().meta({ description: 'Field with the time' }),
      connect: z.boolean().meta({ description: 'Connects the positions in order of time' }),
      from: z
        .int()
        .optional()
        .meta({ description: 'Only records whose `time` is at or after this Unix time in seconds' }),
      to: z
        .int()
        .optional()
        .meta({ description: 'Only records whose `time` is at or before this Unix time in seconds' }),
    }),
  ])
  .meta({ id: 'ChartSettings' });

const gallerySettingsSchema = z.strictObject({
  kind: z.literal('gallery'),
  field: fieldPath.meta({ description: 'Field with the picture' }),
  time: fieldPath.optional().meta({ description: 'Field with the time, by which the records are sorted' }),
});

const pinnedChartSettingsSchema = z
  .discriminatedUnion('kind', [...chartSettingsSchema.options, gallerySettingsSchema])
  .meta({ id: 'PinnedChartSettings' });

const pinnedChart = { endpoint: endpointSchema, chart: pinnedChartSettingsSchema };

export const pinnedChartSchema = z.strictObject({ id: z.uuid(), ...pinnedChart }).meta({ id: 'PinnedChart' });

export const pinnedChartsSchema = z.array(pinnedChartSchema).max(MAX_PINNED_CHARTS).meta({ id: 'PinnedCharts' });

export const pinnedChartsChangeSchema = z
  .array(
    z.strictObject({
      id: z
        .uuid()
        .optional()
        .meta({ description: 'Id of a chart that is already pinned; without it, the chart is new' }),
      ...pinnedChart,
    }),
  )
  .max(MAX_PINNED_CHARTS)
  .refine(hasUniqueIds, NOT_UNIQUE_IDS)
  .meta({ id: 'PinnedChartsChange' });

export type ChartSettings = z.infer<typeof chartSettingsSchema>;
export type PinnedChartSettings = z.infer<typeof pinnedChartSettingsSchema>;
export type PinnedChart = z.infer<typeof pinnedChartSchema>;
export type PinnedChartsChange = z.infer<typeof pinnedChartsChangeSchema>;
