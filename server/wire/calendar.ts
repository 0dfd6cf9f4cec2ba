import { z } from 'zod';
import { endpointSchema } from './common.ts';
import { timeFormatSchema } from './fields.ts';
import { MAX_CALENDAR_DAY_RECORDS, MAX_CALENDAR_DAYS, MAX_FIELD_PATH_CHARS } from './limits.ts';

const day = z.iso.date();

export const calendarExtentSchema = z
  .strictObject({
    first: day.nullable().meta({ description: 'First day with a record; null if no record has a time' }),
    last: day.nullable(),
    records: z.int().min(0).meta({ description: 'Number of records with a time' }),
    excluded: z.int().min(0).meta({ description: 'Number of records without a time, or too large to be read' }),
  })
  .meta({ id: 'CalendarExtent' });

export const calendarDaysSchema = z
  .strictObject({
    days: z
      .array(
        z.strictObject({
          day,
          records: z.int().min(1).meta({ description: 'Number of records on this day' }),
          first: z
            .array(
              z.strictObject({
                recordId: z.uuid(),
                title: z.string().nullable(),
                start: z.string().meta({ description: 'Local time, such as 2026-03-01 or 2026-03-01 08:30' }),
              }),
            )
            .max(MAX_CALENDAR_DAY_RECORDS)
            .meta({ description: 'The records that start first' }),
        }),
      )
      .max(MAX_CALENDAR_DAYS)
      .meta({ description: 'Days with records, in order' }),
  })
  .meta({ id: 'CalendarDays' });

const fieldPath = z.string().max(MAX_FIELD_PATH_CHARS);

export const calendarQuery = {
  endpoint: endpointSchema,
  start: fieldPath.meta({ description: 'Field with the start' }),
  format: timeFormatSchema.default('iso'),
  end: fieldPath.optional().meta({
    description:
      'Field with the end. A record whose end is a date without a time of day, or midnight, ends on the day before, as in iCalendar',
  }),
  endFormat: timeFormatSchema.default('iso'),
};

export const daysQuery = {
  from: day,
  to: day,
  title: fieldPath.optional().meta({ description: 'Field with the title of a record' }),
  perDay: z
    .string()
    .regex(/^\d{1,3}$/u, 'must be a whole number of at most three digits')
    .transform(Number)
    .pipe(z.int().min(1).max(MAX_CALENDAR_DAY_RECORDS))
    .default(MAX_CALENDAR_DAY_RECORDS)
    .meta({ description: 'Maximum number of listed records per day' }),
};

export type CalendarExtent = z.infer<typeof calendarExtentSchema>;
export type CalendarDays = z.infer<typeof calendarDaysSchema>;
