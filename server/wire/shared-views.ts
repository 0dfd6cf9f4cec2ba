import { z } from 'zod';
import { endpointSchema, wellFormedText } from './common.ts';
import { displayText } from './display-text.ts';
import { fieldTypeSchema } from './fields.ts';
import { MAX_FIELD_PATH_CHARS, MAX_SHARED_COLUMNS, MAX_SHARED_RECORDS, MAX_SHARED_VIEW_NAME_CHARS } from './limits.ts';
import { chartSettingsSchema } from './pinned-charts.ts';
import { tableSelectionSchema } from './table.ts';

// Tables and charts that the owner shares. Each contains a copy of the definition at the time of sharing
// (docs/adr/0040).

const time = z.int().min(0).meta({ description: 'Unix time in milliseconds' });
const name = displayText(MAX_SHARED_VIEW_NAME_CHARS);

const sharedColumnSchema = z
  .strictObject({
    path: wellFormedText.max(MAX_FIELD_PATH_CHARS).meta({ description: 'Path in the record' }),
    name: name.meta({ description: 'Heading of the column' }),
    type: fieldTypeSchema.optional(),
  })
  .meta({ id: 'SharedColumn' });

const sharedSelectionSchema = tableSelectionSchema.extend({
  records: z
    .array(z.uuid().toLowerCase())
    .min(1)
    .max(MAX_SHARED_RECORDS)
    .refine((ids) => new Set(ids).size === ids.length, 'must contain each record only once')
    .optional()
    .meta({
      description: 'Only these records of the endpoint; by default, all matching records, including later ones',
    }),
});

const sharedTableSchema = z.strictObject({
  kind: z.literal('table'),
  selection: sharedSelectionSchema,
  columns: z
    .array(sharedColumnSchema)
    .min(1)
    .max(MAX_SHARED_COLUMNS)
    .refine(
      (columns) => new Set(columns.map(({ path }) => path)).size === columns.length,
      'must contain each column only once',
    ),
});

const sharedChartSchema = z.strictObject({
  kind: z.literal('chart'),
  chart: chartSettingsSchema.refine(
    (chart) => chart.kind !== 'map' || chart.time !== undefined || (chart.from ?? chart.to) === undefined,
    'an interval requires a field with the time',
  ),
});

export const sharedDefinitionSchema = z
  .discriminatedUnion('kind', [sharedTableSchema, sharedChartSchema])
  .meta({ id: 'SharedDefinition', description: 'What the user sees: columns and matching records, or a chart' });

const view = { endpoint: endpointSchema, name, userId: z.uuid(), definition: sharedDefinitionSchema };

export const sharedViewSchema = z
  .strictObject({
    sharedViewId: z.uuid(),
    ...view,
    userName: z.string(),
    created: time,
    ends: time.nullable().meta({ description: 'Unix time in milliseconds at which sharing ends; null for no end' }),
  })
  .meta({ id: 'SharedView' });

export const sharedViewsSchema = z.strictObject({ views: z.array(sharedViewSchema) }).meta({ id: 'SharedViews' });

export const newSharedViewSchema = z
  .strictObject({ ...view, ends: time.nullable().default(null) })
  .meta({ id: 'NewSharedView', description: 'Shares a table or chart with a user' });

export type SharedColumn = z.infer<typeof sharedColumnSchema>;
export type SharedTable = z.infer<typeof sharedTableSchema>;
export type SharedDefinition = z.infer<typeof sharedDefinitionSchema>;
export type SharedView = z.infer<typeof sharedViewSchema>;
export type NewSharedView = z.output<typeof newSharedViewSchema>;
