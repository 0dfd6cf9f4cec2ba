import { z } from 'zod';
import { dateTimeSchema } from './common.ts';

/** Example data that can be tried and taken away whole, and what a new owner waved away (`/api/v2.6/owner/examples`, `/first-steps`). */

/** Namespaces of example records, and the source of example files, begin so. */
export const EXAMPLE_PREFIX = 'example-';
/** The request that comes with it. */
export const EXAMPLE_DEBIT = 'example-walk-report';

export const examplesSchema = z
  .strictObject({
    put: dateTimeSchema.nullable().meta({ description: 'Since when it is here; null: it is not' }),
    records: z.int(),
    sources: z.array(z.string()),
    files: z.int(),
    request: z.string().nullable().meta({ description: 'Key of the Data Debit that is asked for' }),
  })
  .meta({ id: 'Examples' });

/** What a new owner is led to; each can be waved away. */
export const firstStepSchema = z.enum(['data', 'backup', 'secondFactor', 'address', 'profile', 'example']);
export const firstStepsSchema = z
  .strictObject({ waved: z.array(firstStepSchema).meta({ description: 'Not to be said any more' }) })
  .meta({ id: 'FirstSteps' });
export const firstStepChangeSchema = z.strictObject({ step: firstStepSchema, waved: z.boolean() });

export type Examples = z.infer<typeof examplesSchema>;
export type FirstStep = z.infer<typeof firstStepSchema>;
