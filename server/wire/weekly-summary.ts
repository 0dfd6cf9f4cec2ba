import { z } from 'zod';
import { dateTimeSchema, timeZoneSchema } from './common.ts';
import { ledgerRowSchema, partySchema } from './ledger.ts';

// The summary of the last complete week (docs/decisions.md, 11).

export const weeklySummaryQuery = z.object({ timeZone: timeZoneSchema.meta({ description: 'Time zone of the week' }) });

export const weeklySummarySchema = z
  .strictObject({
    from: z.iso.date().meta({ description: 'Monday' }),
    to: z.iso.date().meta({ description: 'Sunday' }),
    readers: z
      .array(
        z.strictObject({
          who: partySchema,
          name: z.string().nullable().meta({ description: 'Current name, if the principal has one besides its id' }),
          requests: z.int().min(0),
          refused: z.int().min(0),
          records: z.int().min(0).meta({ description: 'Records and opened files, including repeated ones' }),
          endpoints: z.array(z.string()).meta({ description: 'Those with the most records' }),
        }),
      )
      .meta({ description: 'The principals other than the owner with the most records, in descending order' }),
    moreReaders: z.int().min(0).meta({ description: 'Number of principals that `readers` omits' }),
    isPartial: z.boolean().meta({ description: 'True if there were too many requests to count all of them' }),
    news: z
      .array(ledgerRowSchema)
      .meta({ description: "The newest of the owner's decisions and of the requests for data, newest first" }),
    ending: z
      .array(
        z.strictObject({
          kind: z.enum(['debit', 'link', 'table', 'chart', 'invitation']),
          id: z.string(),
          name: z.string().meta({ description: 'For an invitation, the name of the person' }),
          person: z.string().optional().meta({ description: 'With whom a table or chart is shared' }),
          end: dateTimeSchema,
        }),
      )
      .meta({
        description:
          'Consents (including paused ones), share links, shared tables and charts, and invitations that end within two weeks, the earliest first. Lists only the first few.',
      }),
    moreEnding: z.int().min(0).meta({ description: 'Number of further items that end within two weeks' }),
  })
  .meta({ id: 'WeeklySummary' });

export type WeeklySummary = z.infer<typeof weeklySummarySchema>;
