import { z } from 'zod';
import { ACTS } from './access-kinds.ts';
import { dateInput, dateTimeSchema, timeZoneSchema, wholeNumber } from './common.ts';
import { LEDGER_SEARCH_MAX_CHARS, MAX_NAMED_FILES } from './limits.ts';

// The access log, which the dashboard calls access history, and the webhook outbox (docs/decisions.md, 5 and 11).

const principalKindSchema = z.enum([
  'owner',
  'application',
  'contract',
  'exchange',
  'offer',
  'visitor',
  'user',
  'function',
  'pda',
]);
const consentKindSchema = z.enum([
  'application',
  'debit',
  'contract',
  'function',
  'link',
  'user',
  'folder',
  'collection',
  'table',
  'chart',
  'profile',
]);
export type ConsentKind = z.infer<typeof consentKindSchema>;

const namedFileSchema = z.strictObject({ fileId: z.string(), name: z.string() });

export const partySchema = z.strictObject({
  kind: principalKindSchema.meta({ description: '`pda`: this PDA itself, which acts at a time that the owner chose' }),
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
          description:
            'Version of the application or function, id of the permission (of `debit-resumed`: the time at which the pause was to end), name of the share link or of the user (also for a shared folder, collection, table or chart, whose path or name is `name`), name of a contract that was left, `public` or `private` for the field `name` of the profile, or empty',
        }),
      })
      .nullable(),
    endpoints: z.array(z.string()).meta({ description: 'Endpoints of the records' }),
    files: z
      .array(namedFileSchema)
      .max(MAX_NAMED_FILES)
      .meta({ description: 'The first files, unless they were erased' }),
    records: z.int().min(0),
    fields: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Fields that were read; null: entire records, or no records' }),
    bytes: z.int().min(0).nullable().meta({ description: 'Bytes of the response; null while it is being sent' }),
    address: z.string(),
    count: z.int().min(1).meta({
      description:
        'Number of requests in this entry. Equal refusals within an hour share an entry, and so do equal reads of public pages, share links and guest pages',
    }),
    last: dateTimeSchema
      .nullable()
      .meta({ description: 'Time of the last of several requests; null: there was one request' }),
  })
  .meta({ id: 'LedgerRow' });

const ledgerFilterShape = {
  who: z.enum(['owner', 'visitor', 'exchange']).optional().meta({ description: 'A principal without a name' }),
  application: z.string().max(200).optional(),
  debit: z.string().max(200).optional(),
  user: z.uuid().optional().meta({ description: 'Id of a user, including deleted users' }),
  contract: z.string().max(200).optional(),
  function: z.string().max(200).optional().meta({ description: 'Id of a remote function' }),
  link: z.uuid().optional().meta({ description: 'Id of a share link, including revoked links' }),
  record: z.uuid().optional(),
  outcome: z.enum(['allowed', 'refused']).optional(),
  act: z.enum(ACTS).optional().meta({ description: 'Effect of the request' }),
  endpoint: z.string().max(250).optional().meta({ description: 'An endpoint, or `files:<source>` for files' }),
  search: z.string().max(LEDGER_SEARCH_MAX_CHARS).optional().meta({
    description:
      'Words, all of which must occur in the names or ids of the principal, the consent, an endpoint or a file, or in the fields or the address',
  }),
  from: dateInput.optional(),
  to: dateInput.optional(),
};

const ledgerFilterSchema = z.object(ledgerFilterShape);

/** `POST /owner/ledger-exports`. */
export const ledgerExportRequestSchema = z.strictObject({
  format: z.enum(['csv', 'json']),
  filter: z.strictObject(ledgerFilterShape),
});

export const ledgerQuery = z.object({
  ...ledgerFilterShape,
  alike: wholeNumber.optional().meta({ description: 'Id of an entry: only entries that are grouped with it' }),
  after: wholeNumber.optional().meta({ description: 'Only entries with a larger id' }),
  before: wholeNumber.optional().meta({ description: '`next` of the previous page' }),
  take: z
    .string()
    .regex(/^\d{1,3}$/u)
    .transform(Number)
    .default(50)
    .meta({ description: 'Rows per page, at most 100' }),
});

export const ledgerGroupQuery = z.object({
  ...ledgerFilterShape,
  timeZone: timeZoneSchema.meta({ description: 'Time zone of the days' }),
  before: wholeNumber.optional().meta({ description: '`next` of the previous page' }),
});

const ledgerGroupSchema = z
  .strictObject({
    day: z.iso.date().meta({ description: 'In the requested time zone' }),
    row: ledgerRowSchema.meta({
      description: 'The newest entry, with the sums of records, requests and bytes and the first files of all entries',
    }),
    entries: z.int().min(1),
    oldest: z.int().meta({ description: 'Id of the oldest entry' }),
    since: dateTimeSchema.meta({ description: 'Time of the oldest entry' }),
  })
  .meta({ id: 'LedgerGroup' });

export const ledgerGroupPageSchema = z
  .strictObject({
    groups: z.array(ledgerGroupSchema),
    next: z
      .int()
      .nullable()
      .meta({ description: 'Cursor of the next page, which can continue groups of the last day of this page' }),
  })
  .meta({ id: 'LedgerGroupPage' });

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
        exists: z.boolean().meta({ description: 'True if the record still exists' }),
        file: namedFileSchema.nullable().meta({ description: 'Null if the record is not a file' }),
      }),
    ),
  })
  .meta({ id: 'LedgerRecords' });

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
    orderingKey: z
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
export type LedgerConditions = z.output<typeof ledgerFilterSchema>;
export type LedgerFilter = z.output<typeof ledgerQuery>;
export type LedgerExportRequest = z.output<typeof ledgerExportRequestSchema>;
export type LedgerGroup = z.infer<typeof ledgerGroupSchema>;
export type LedgerGroupFilter = z.output<typeof ledgerGroupQuery>;
export type LedgerGroupPage = z.infer<typeof ledgerGroupPageSchema>;
export type LedgerPage = z.infer<typeof ledgerPageSchema>;
export type LedgerRecords = z.infer<typeof ledgerRecordsSchema>;
export type LedgerDay = z.infer<typeof ledgerDaySchema>;
export type OutboxMessage = z.infer<typeof outboxMessageSchema>;
