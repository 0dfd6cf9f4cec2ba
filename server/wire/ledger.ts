import { z } from 'zod';
import { dateInput, dateTimeSchema, wholeNumber } from './common.ts';

/** The access log, which the owner sees as access history, and the outbox of webhooks (docs/decisions.md, 5 and 11). */

export const principalKindSchema = z.enum([
  'owner',
  'application',
  'contract',
  'exchange',
  'offer',
  'visitor',
  'user',
  'function',
]);
export const consentKindSchema = z.enum(['application', 'debit', 'contract', 'function', 'link']);

const partySchema = z.strictObject({
  kind: principalKindSchema,
  name: z.string().meta({ description: 'Id of the application, contract, Offer, user or function; else empty' }),
  person: z.string().optional().meta({ description: 'Name of the user at that time' }),
});

export const ledgerRowSchema = z
  .strictObject({
    id: z.int(),
    time: dateTimeSchema,
    who: partySchema,
    action: z
      .string()
      .meta({ description: 'The request, e.g. `GET /api/v2.6/data-debit/*key/values`, `sign-in`, or `function run`' }),
    outcome: z.enum(['allowed', 'refused']),
    status: z.int().meta({ description: 'HTTP status of the response' }),
    reason: z.string().nullable().meta({ description: 'Error code of a refusal' }),
    consent: z
      .strictObject({
        kind: consentKindSchema,
        name: z.string(),
        detail: z.string().meta({
          description: 'Version of the application or function, id of the permission, name of the share link, or empty',
        }),
      })
      .nullable(),
    endpoints: z.array(z.string()).meta({ description: 'Endpoints of the records' }),
    records: z.int().min(0),
    fields: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Fields that were read; null: entire records, or no records' }),
    bytes: z.int().min(0).nullable().meta({ description: 'Bytes of the response; null while it is being sent' }),
    address: z.string(),
    count: z.int().min(1).meta({ description: 'Number of equal refusals within the hour' }),
    last: dateTimeSchema
      .nullable()
      .meta({ description: 'Time of the last of several requests; null: there was one request' }),
  })
  .meta({ id: 'LedgerRow' });

export const ledgerQuery = z.object({
  application: z.string().max(200).optional(),
  debit: z.string().max(200).optional(),
  user: z.uuid().optional().meta({ description: 'Id of a user, including deleted users' }),
  contract: z.string().max(200).optional(),
  function: z.string().max(200).optional().meta({ description: 'Id of a remote function' }),
  link: z.uuid().optional().meta({ description: 'Id of a share link, including revoked links' }),
  record: z.uuid().optional(),
  outcome: z.enum(['allowed', 'refused']).optional(),
  from: dateInput.optional(),
  to: dateInput.optional(),
  before: wholeNumber.optional().meta({ description: '`next` of the previous page' }),
  take: z
    .string()
    .regex(/^\d{1,3}$/u)
    .transform(Number)
    .default(50)
    .meta({ description: 'Rows per page; at most 200, and `next` is the cursor of the next page' }),
});

export const ledgerPageSchema = z
  .strictObject({ rows: z.array(ledgerRowSchema), next: z.int().nullable() })
  .meta({ id: 'LedgerPage' });

export const ledgerRecordsSchema = z
  .strictObject({
    total: z.int().min(0),
    records: z.array(
      z.strictObject({
        recordId: z.uuid(),
        endpoint: z.string().nullable(),
        here: z.boolean().meta({ description: 'True if the record still exists' }),
      }),
    ),
  })
  .meta({ id: 'LedgerRecords' });

/** Records read by each principal per day, for charts. */
export const ledgerDaySchema = z
  .strictObject({
    day: z.iso.date().meta({ description: 'UTC' }),
    who: partySchema,
    calls: z.int().min(0).meta({ description: 'All requests, including refused ones' }),
    refused: z.int().min(0),
    records: z.int().min(0).meta({ description: 'Records in responses' }),
  })
  .meta({ id: 'LedgerDay' });

export const outboxMessageSchema = z
  .strictObject({
    id: z.uuid(),
    lane: z
      .string()
      .meta({ description: 'Ordering key: webhooks with the same key are delivered in order, e.g. a Data Debit key' }),
    event: z.string(),
    to: z.string().meta({ description: 'Host of the receiver' }),
    created: dateTimeSchema,
    state: z.enum(['waiting', 'dead']),
    attempts: z.int().min(0),
    nextAttempt: dateTimeSchema.nullable(),
    lastProblem: z.string().nullable().meta({ description: 'Readable reason why the last attempt failed' }),
  })
  .meta({ id: 'OutboxMessage' });

export type LedgerRow = z.infer<typeof ledgerRowSchema>;
export type LedgerFilter = z.output<typeof ledgerQuery>;
export type LedgerPage = z.infer<typeof ledgerPageSchema>;
export type LedgerRecords = z.infer<typeof ledgerRecordsSchema>;
export type LedgerDay = z.infer<typeof ledgerDaySchema>;
export type OutboxMessage = z.infer<typeof outboxMessageSchema>;
