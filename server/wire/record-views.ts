import { z } from 'zod';
import { hasUniqueIds, NOT_UNIQUE_IDS } from './common.ts';
import { MAX_RECORD_VIEWS, MAX_TABLE_QUERY_CHARS } from './limits.ts';

const name = z.string().trim().min(1).max(80);
const view = z
  .string()
  // Percent-encoding makes an ASCII character up to three times as long.
  .max(3 * MAX_TABLE_QUERY_CHARS)
  .meta({
    description: 'Search, filters, order, columns and display mode, as URL query parameters of the dashboard',
  });

const recordViewSchema = z.strictObject({ id: z.uuid(), name, view }).meta({ id: 'RecordView' });
export const recordViewsSchema = z.array(recordViewSchema).max(MAX_RECORD_VIEWS).meta({ id: 'RecordViews' });

/** `POST /owner/record-views`: a view that is added at the end. */
export const newRecordViewSchema = z.strictObject({ name, view }).meta({ id: 'NewRecordView' });

export const recordViewsChangeSchema = z
  .array(
    z.strictObject({
      id: z.uuid().optional().meta({ description: 'Id of an existing view; omit it to add a view' }),
      name,
      view,
    }),
  )
  .max(MAX_RECORD_VIEWS)
  .refine(hasUniqueIds, NOT_UNIQUE_IDS)
  .meta({ id: 'RecordViewsChange' });

export type RecordView = z.infer<typeof recordViewSchema>;
export type NewRecordView = z.infer<typeof newRecordViewSchema>;
export type RecordViewsChange = z.infer<typeof recordViewsChangeSchema>;
