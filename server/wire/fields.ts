import { z } from 'zod';
import { endpointSchema } from './common.ts';
import { ENDPOINT_COLOURS, ENDPOINT_ICONS, FIELD_TYPES } from './field-choices.ts';
import { MAX_FIELD_PATH_CHARS, MAX_FIELDS } from './limits.ts';

// Fields of an endpoint, inferred from its records and corrected by the owner; icons and colours.

export const fieldTypeSchema = z.enum(FIELD_TYPES).meta({ id: 'FieldType' });

/**
 * `iso`: ISO 8601. `year-month-day`: numbers with slashes. `month-day` and `day-month`: numbers with slashes or dots,
 * the year last.
 */
export const timeFormatSchema = z
  .enum(['iso', 'year-month-day', 'month-day', 'day-month', 'month-name', 'seconds', 'milliseconds', 'year'])
  .meta({ id: 'TimeFormat' });

const displayName = z.string().trim().min(1).max(80);
const unit = z.string().trim().max(20);
const chart = z.string().max(1000).meta({ description: 'Chart settings, as query parameters of the dashboard' });
const fieldPath = z.string().max(MAX_FIELD_PATH_CHARS);
const icon = z.enum(ENDPOINT_ICONS);
const colour = z.enum(ENDPOINT_COLOURS);

export const fieldSchema = z
  .strictObject({
    path: fieldPath.meta({ description: 'Path in the record, as in filters; empty for records that are not objects' }),
    name: displayName,
    type: fieldTypeSchema,
    unit: unit.meta({ description: 'Unit or currency; empty if there is none' }),
    timeFormat: timeFormatSchema.optional().meta({ description: 'Format of dates and times in this field' }),
    colour: colour.optional().meta({ description: 'Colour that the owner chose, for charts and headings' }),
    filled: z.number().min(0).max(1).meta({ description: 'Share of the sampled records that have a value' }),
    distinct: z.int().min(0).meta({ description: 'Distinct values of the sampled records' }),
    exceptions: z.int().min(0).meta({ description: 'Sampled values that are not of the inferred type' }),
    ownPictures: z.number().min(0).max(1).optional().meta({
      description:
        'For type `image`: share of the sampled records whose picture is stored in this PDA, as a data URL or as the path of a file',
    }),
    corrected: z.boolean().meta({ description: 'True if the owner set the name, type or unit' }),
  })
  .meta({ id: 'Field' });

const endpointName = displayName.meta({ description: 'Readable name, inferred from the endpoint or set by the owner' });

export const endpointDisplay = {
  name: endpointName,
  icon: icon.optional().meta({ description: 'Icon that the owner chose for the endpoint, else for its namespace' }),
  colour: colour
    .optional()
    .meta({ description: 'Colour that the owner chose for the endpoint, else for its namespace' }),
};

export const namespaceDisplaySchema = z
  .strictObject({ name: displayName.optional(), icon: icon.optional(), colour: colour.optional() })
  .meta({ id: 'NamespaceDisplay' });

const displayCorrections = {
  name: displayName.nullable().optional(),
  icon: icon.nullable().optional(),
  colour: colour.nullable().optional(),
};

/** An omitted property stays unchanged; `null` removes it. */
export const namespaceCorrectionsSchema = z.strictObject(displayCorrections).meta({ id: 'NamespaceCorrections' });

export const ownFieldNames = z
  .array(z.strictObject({ path: fieldPath, name: displayName }))
  .optional()
  .meta({ description: 'Names of fields that the owner set; absent if there are none' });

export const ownFieldColours = z
  .array(z.strictObject({ path: fieldPath, colour }))
  .optional()
  .meta({ description: 'Colours of fields that the owner chose; absent if there are none' });

export const endpointFieldsSchema = z
  .strictObject({
    endpoint: endpointSchema,
    name: endpointName,
    icon: icon.optional().meta({ description: 'Icon that the owner chose for this endpoint' }),
    colour: colour.optional().meta({ description: 'Colour that the owner chose for this endpoint' }),
    chart: chart.optional(),
    corrected: z.boolean().meta({ description: 'True if the owner set the name, icon or colour' }),
    sampled: z.int().min(0).meta({ description: 'Records that the types were inferred from' }),
    fields: z.array(fieldSchema).max(MAX_FIELDS),
  })
  .meta({ id: 'EndpointFields' });

/** An omitted property stays unchanged; `null` restores the inferred value. */
export const fieldCorrectionsSchema = z
  .strictObject({
    ...displayCorrections,
    chart: chart.nullable().optional(),
    fields: z
      .array(
        z.strictObject({
          path: fieldPath,
          name: displayName.nullable().optional(),
          type: fieldTypeSchema.nullable().optional(),
          unit: unit.nullable().optional(),
          colour: colour.nullable().optional(),
        }),
      )
      .max(MAX_FIELDS)
      .default([]),
  })
  .meta({ id: 'FieldCorrections' });

export type FieldType = z.infer<typeof fieldTypeSchema>;
export type TimeFormat = z.infer<typeof timeFormatSchema>;
export type Field = z.infer<typeof fieldSchema>;
export type EndpointDisplay = Pick<EndpointFields, 'name' | 'icon' | 'colour'>;
export type EndpointFields = z.infer<typeof endpointFieldsSchema>;
export type NamespaceDisplay = z.infer<typeof namespaceDisplaySchema>;
export type NamespaceCorrections = z.infer<typeof namespaceCorrectionsSchema>;
export type FieldCorrections = z.infer<typeof fieldCorrectionsSchema>;
