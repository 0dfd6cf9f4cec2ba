import { z } from 'zod';
import { dateTimeSchema, endpointSchema, jsonSchema } from './common.ts';

export const recordSchema = z
  .strictObject({
    endpoint: z.string().meta({ description: '`<namespace>/<name>`; the name can contain slashes' }),
    recordId: z.uuid(),
    data: jsonSchema,
    dateCreated: dateTimeSchema.optional().meta({ description: 'With `meta=true`' }),
    lastUpdated: dateTimeSchema
      .optional()
      .meta({ description: 'With `meta=true`; equals dateCreated until an update' }),
  })
  .meta({ id: 'DataRecord' });

export const recordListSchema = z.array(recordSchema);

export const createBodySchema = jsonSchema.meta({
  description: 'One JSON value, or an array: one record for each element',
});

export const updateEntrySchema = z.strictObject({ endpoint: endpointSchema, recordId: z.uuid() });
export const batchEntrySchema = z.strictObject({ endpoint: endpointSchema });

export const sourcesSchema = z.record(z.string(), z.array(z.string())).meta({ id: 'Sources' });

export type DataRecord = z.infer<typeof recordSchema>;
