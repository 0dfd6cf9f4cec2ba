import { z } from 'zod';
import { dateTimeSchema } from './common.ts';

// Example data and a new owner's first steps (`/api/v2.6/owner/examples`, `/first-steps`).

/** Prefix of the namespaces of example records, of the references of their origins, and of sources of example files. */
export const EXAMPLE_PREFIX = 'example-';
export const EXAMPLE_DEBIT = 'example-walk-report';

export const examplesSchema = z
  .strictObject({
    stored: dateTimeSchema.nullable().meta({ description: 'When the example data was stored; null: it is not stored' }),
    records: z.int(),
    sources: z.array(z.string()),
    files: z.int(),
    request: z.string().nullable().meta({ description: 'Key of the requested Data Debit' }),
  })
  .meta({ id: 'Examples' });

/** The owner can dismiss each step. */
const firstStepSchema = z.enum(['data', 'backup', 'secondFactor', 'address', 'profile', 'example']);
export const firstStepsSchema = z
  .strictObject({ dismissed: z.array(firstStepSchema).meta({ description: 'Dismissed steps' }) })
  .meta({ id: 'FirstSteps' });
export const firstStepChangeSchema = z.strictObject({ step: firstStepSchema, dismissed: z.boolean() });

export type Examples = z.infer<typeof examplesSchema>;
export type FirstStep = z.infer<typeof firstStepSchema>;
