import { z } from 'zod';
import { wellFormedText } from './common.ts';
import {
  MAX_FACET_VALUES,
  MAX_FIELD_PATH_CHARS,
  MAX_FILTER_TEXT_CHARS,
  MAX_LAST_DAYS,
  MAX_TABLE_FILTERS,
  MAX_TABLE_QUERY_CHARS,
  MAX_TABLE_SORTS,
  MAX_TABLE_VALUES,
} from './limits.ts';

// Unlike filters of combinators, filters of the dashboard's table compare values by the type of their field.

const path = wellFormedText.min(1).max(MAX_FIELD_PATH_CHARS);
const field = path.meta({ description: 'Path in the record' });
const timeField = path
  .optional()
  .meta({ description: 'Path in the record; without it, the time at which the record was stored' });
const bound = z.number().optional();
const day = z.iso.date().optional();
const text = wellFormedText.min(1).max(MAX_FILTER_TEXT_CHARS);

const tableValueSchema = z.union([z.string().max(MAX_FILTER_TEXT_CHARS), z.number(), z.boolean()]);

export const tableFilterSchema = z
  .discriminatedUnion('is', [
    z
      .strictObject({ is: z.literal('range'), field, min: bound, max: bound })
      .refine(({ min, max }) => min !== undefined || max !== undefined, 'must have a lowest or a highest number'),
    z
      .strictObject({ is: z.literal('days'), field: timeField, from: day, to: day })
      .refine(({ from, to }) => from !== undefined || to !== undefined, 'must have a first or a last day'),
    z.strictObject({ is: z.literal('lastDays'), field: timeField, days: z.int().min(1).max(MAX_LAST_DAYS) }),
    z.strictObject({ is: z.literal('contains'), field, text }),
    z.strictObject({ is: z.literal('containsElement'), field, text }),
    z.strictObject({
      is: z.literal('oneOf'),
      field,
      values: z.array(tableValueSchema).min(1).max(MAX_TABLE_VALUES),
    }),
    z.strictObject({ is: z.literal('empty'), field }),
    z.strictObject({ is: z.literal('filled'), field }),
  ])
  .meta({
    id: 'TableFilter',
    description:
      '`range`: numbers, both ends included; `days`: days in the time zone of the PDA, both included; `lastDays`: today and the days before; `contains`: text, ignoring case; `containsElement`: the value, or an element of it if it is a list, equals the text (ignoring case) or the number that the text represents. Beyond ASCII, case is ignored only in text that is all lower case, all upper case or capitalised.',
  });

/** Later sort orders apply to records that are equal by the earlier ones. */
const tableSortSchema = z.strictObject({ field, descending: z.boolean() }).meta({ id: 'TableSort' });

const tableFiltersSchema = z.array(tableFilterSchema).max(MAX_TABLE_FILTERS);
const tableSortsSchema = z.array(tableSortSchema).max(MAX_TABLE_SORTS);

/** Selects and orders the records of one endpoint. Without an order: newest first. */
export const tableSelectionSchema = z
  .strictObject({
    search: z.string().max(MAX_FILTER_TEXT_CHARS).default(''),
    filters: tableFiltersSchema.default([]),
    sorts: tableSortsSchema.default([]),
    oldestFirst: z.boolean().default(false).meta({ description: 'Oldest records first, unless `sorts` is set' }),
  })
  .meta({ id: 'TableSelection' });

const jsonParameter = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .max(MAX_TABLE_QUERY_CHARS)
    .transform((json, context) => {
      try {
        return JSON.parse(json) as unknown;
      } catch {
        context.addIssue({ code: 'custom', message: 'is not JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema)
    .optional();

export const filtersParameter = jsonParameter(tableFiltersSchema).meta({
  description: 'JSON: an array of TableFilter, all of which must match',
});
export const sortsParameter = jsonParameter(tableSortsSchema).meta({ description: 'JSON: an array of TableSort' });

export const facetSchema = z
  .strictObject({
    values: z
      .array(z.strictObject({ value: tableValueSchema, count: z.int().min(1) }))
      .max(MAX_FACET_VALUES)
      .meta({ description: 'The most frequent first' }),
    empty: z.int().min(0).meta({ description: 'Records without a value' }),
    others: z
      .int()
      .min(0)
      .meta({ description: 'Records with a less frequent value, a long text or a value of another type' }),
    indexing: z.boolean().meta({ description: 'True while an index for this count is being built' }),
  })
  .meta({ id: 'Facet' });

export type TableFilter = z.infer<typeof tableFilterSchema>;
export type TableSort = z.infer<typeof tableSortSchema>;
export type TableSelection = z.infer<typeof tableSelectionSchema>;
export type TableValue = z.infer<typeof tableValueSchema>;
export type Facet = z.infer<typeof facetSchema>;
