import { z } from 'zod';
import { dateTimeSchema, jsonSchema, LAST_DATE_MS, pathNameSchema, timeInput } from './common.ts';
import { displayParagraph, displayText, isDisplayParagraph, NOT_A_DISPLAY_PARAGRAPH } from './display-text.ts';
import { secondsOf, type DurationProblem } from './iso-8601.ts';
import { MAX_PERIOD_SECONDS, MAX_URL_CHARS } from './limits.ts';
import { namedBundleSchema, proposedBundleSchema } from './query.ts';

// Data Debits (docs/decisions.md, 5).

/** An absolute http or https URL. */
export const webUrlSchema = z
  .url({ protocol: /^https?$/u, error: 'must be an http or https address' })
  .max(MAX_URL_CHARS);

const PERIOD_EXPECTED = 'must be a whole number of seconds, or an ISO 8601 duration such as P30D or PT12H';
const PERIOD_PROBLEMS: Record<DurationProblem, string> = {
  invalid: PERIOD_EXPECTED,
  months: 'use weeks, days, hours, minutes or seconds: months and years have no fixed length',
  fraction: 'must be a whole number of seconds',
};
const PERIOD_TOO_LONG = 'must be at most 100 years';

const secondsSchema = z
  // Otherwise zod would use its own message for numbers beyond the integer range.
  .int({ error: ({ code }) => (code === 'too_big' ? PERIOD_TOO_LONG : PERIOD_PROBLEMS.fraction) })
  .min(1, 'must be at least one second')
  .max(MAX_PERIOD_SECONDS, PERIOD_TOO_LONG);

/** Whole seconds, or an ISO 8601 duration without years and months, which have no fixed length. */
const periodSchema = z
  .union([z.number(), z.string().meta({ format: 'duration' })], { error: PERIOD_EXPECTED })
  .transform((input, context) => {
    const seconds = typeof input === 'string' ? secondsOf(input) : input;
    if (typeof seconds === 'number') return seconds;
    context.addIssue({ code: 'custom', message: PERIOD_PROBLEMS[seconds], input });
    return z.NEVER;
  })
  .pipe(secondsSchema)
  .meta({ description: 'Seconds; an ISO 8601 duration is accepted too', type: 'integer', example: 2_592_000 });

/** ISO 8601 or Unix milliseconds. The output is Unix milliseconds. */
const startSchema = timeInput(0, LAST_DATE_MS).meta({
  description: 'ISO 8601 date-time, in UTC if it has no offset; Unix milliseconds are accepted too',
  type: 'string',
  format: 'date-time',
});

/** Body of `POST` and `PUT /data-debit/<key>`. `dataDebitKey` must equal the key in the path. */
export const debitProposalSchema = z
  .strictObject({
    dataDebitKey: pathNameSchema,
    bundle: proposedBundleSchema,
    conditions: proposedBundleSchema.nullish(),
    start: startSchema,
    period: periodSchema,
    purpose: displayParagraph(5000),
    cancelAtPeriodEnd: z.boolean(),
    termsUrl: webUrlSchema,
    requestClientName: displayText(200),
    requestClientUrl: webUrlSchema,
    requestClientLogoUrl: webUrlSchema,
    requestClientCallbackUrl: webUrlSchema.nullish(),
    requestApplicationId: displayText(200).nullish(),
    requestDescription: z.string().max(5000).refine(isDisplayParagraph, NOT_A_DISPLAY_PARAGRAPH).nullish(),
  })
  .meta({ id: 'DataDebitProposal' });

/** `replaced`: superseded by a newer permission. */
const permissionStateSchema = z.enum(['waiting', 'rejected', 'scheduled', 'running', 'ended', 'disabled', 'replaced']);

/**
 * Permission of the interface, extended by `permissionId`, `state`, `conditions`, `grantedAt`, `canceledAt` and
 * `asked`.
 */
const permissionSchema = z
  .strictObject({
    permissionId: z.string(),
    state: permissionStateSchema,
    dateCreated: dateTimeSchema,
    purpose: z.string(),
    start: dateTimeSchema,
    period: z.int().meta({ description: 'Seconds' }),
    cancelAtPeriodEnd: z.boolean(),
    termsUrl: z.string(),
    bundle: namedBundleSchema.meta({
      description: 'Shared data: as granted or, before the permission is accepted, as requested',
    }),
    conditions: namedBundleSchema.optional(),
    accepted: z.boolean(),
    active: z.boolean(),
    end: dateTimeSchema.nullable(),
    grantedAt: dateTimeSchema.optional(),
    canceledAt: dateTimeSchema.optional(),
    asked: namedBundleSchema.optional().meta({ description: 'The requested bundle, if less was granted' }),
  })
  .meta({ id: 'Permission' });

const debitStateSchema = z.enum(['pending', 'enabled', 'disabled', 'ended', 'rejected', 'removed']);

/** Data Debit of the interface, extended by `state` and `pausedUntil`. The callback address is never returned. */
export const debitSchema = z
  .strictObject({
    dataDebitKey: z.string(),
    state: debitStateSchema,
    dateCreated: dateTimeSchema,
    permissions: z.array(permissionSchema).meta({ description: 'History, newest first' }),
    permissionsActive: permissionSchema.optional(),
    permissionsLatest: permissionSchema,
    requestClientName: z.string(),
    requestClientUrl: z.string(),
    requestClientLogoUrl: z.string(),
    requestApplicationId: z.string().optional(),
    requestDescription: z.string().optional(),
    active: z.boolean().meta({ description: 'True if values can be read now' }),
    pausedUntil: dateTimeSchema
      .optional()
      .meta({ description: 'End of the owner’s pause: no values can be read until then, and sharing then resumes' }),
    accepted: z.boolean(),
    start: dateTimeSchema,
    end: dateTimeSchema.nullable(),
  })
  .meta({ id: 'DataDebit' });

export const debitValuesSchema = z
  .strictObject({
    conditions: z.record(z.string(), z.boolean()).optional(),
    bundle: z.record(z.string(), z.array(jsonSchema)),
  })
  .meta({ id: 'DataDebitValues' });

/**
 * Restricts the shared data. Each item applies to one entry, identified by a property of the bundle and its index in
 * the property. `drop` without fields omits the whole entry; `drop` with fields omits those output fields of the
 * entry's mapping, and fields that overlap with them. `keep` applies to entries without a mapping (entire records):
 * only the stated top-level fields are shared.
 */
export const narrowingSchema = z
  .strictObject({
    drop: z
      .array(
        z.strictObject({
          property: z.string(),
          entry: z.int().min(0),
          fields: z.array(z.string()).min(1).optional(),
        }),
      )
      .default([]),
    keep: z
      .array(z.strictObject({ property: z.string(), entry: z.int().min(0), fields: z.array(z.string()).min(1) }))
      .default([]),
  })
  .meta({ id: 'Narrowing' });

/** `POST /owner/debits/<key>/grant`. The response is 409 unless this permission is waiting for a decision. */
export const grantSchema = z
  .strictObject({
    permissionId: z.string(),
    narrowing: narrowingSchema.optional(),
    period: secondsSchema.optional().meta({ description: 'Seconds; not longer than requested' }),
    cancelAtPeriodEnd: z
      .literal(true)
      .optional()
      .meta({ description: 'The permission ends with its period, although renewal was requested' }),
  })
  .meta({ id: 'Grant' });

/** `POST /owner/debits/<key>/change`: changes what is shared from now on, within the request. */
export const permissionChangeSchema = z
  .strictObject({
    permissionId: z.string().meta({
      description:
        'ID of a running or scheduled permission, or of the one that was granted last. If it has been replaced, the change is refused',
    }),
    narrowing: narrowingSchema.optional().meta({ description: 'Narrows the original request, not what is shared now' }),
    end: timeInput(0, LAST_DATE_MS).optional().meta({
      description:
        'ISO 8601 date-time; not later than requested. Without it, the permission ends or renews as requested',
      type: 'string',
      format: 'date-time',
    }),
  })
  .meta({ id: 'PermissionChange' });

/** `POST /owner/debits/<key>/pause`: shares nothing until the given time. */
export const debitPauseSchema = z
  .strictObject({
    until: timeInput(0, LAST_DATE_MS).meta({
      description: 'ISO 8601 date-time, in the future and before the end of the permission',
      type: 'string',
      format: 'date-time',
    }),
  })
  .meta({ id: 'DataDebitPause' });

/** `POST /owner/debits/<key>/preview`: the data that would be shared now, by property, in pages. */
export const previewRequestSchema = z.strictObject({
  permissionId: z.string(),
  narrowing: narrowingSchema.optional(),
  skip: z.int().min(0).default(0),
  take: z.int().min(0).max(500).default(20),
});

export const previewSchema = z
  .strictObject({
    properties: z.array(
      z.strictObject({
        property: z.string(),
        leaving: z
          .int()
          .min(0)
          .meta({ description: 'Number of records that would be shared now: the matching records within the limit' }),
        matching: z.int().min(0).meta({ description: 'Number of matching records, without those of excluded entries' }),
        limit: z.int().nullable(),
        records: z
          .array(jsonSchema)
          .meta({ description: 'One page of the records, exactly as `values` would return it' }),
        entries: z.array(
          z.strictObject({
            endpoint: z.string(),
            endpointRecords: z.int().min(0).meta({ description: 'Records at the endpoint, shared or not' }),
            entire: z.boolean().meta({ description: 'No mapping: entire records' }),
            fields: z.array(z.string()).meta({
              description: 'Output fields; for entire records, the top-level fields of the newest ones',
            }),
            excluded: z.boolean(),
          }),
        ),
      }),
    ),
    conditions: z.record(z.string(), z.boolean()).optional(),
    bytes: z.int().min(0).meta({ description: 'Bytes of the records of this page' }),
  })
  .meta({ id: 'SharingPreview' });

const changeableGrantSchema = z.strictObject({
  permissionId: z.string(),
  requestedPeriod: z.int().meta({ description: 'Seconds' }),
  requestedCancelAtPeriodEnd: z.boolean(),
  narrowing: narrowingSchema.meta({ description: 'How the request was narrowed; empty lists if it was not' }),
});

export const ownerDebitSchema = z
  .strictObject({
    debit: debitSchema,
    requester: z.strictObject({
      kind: z.enum(['owner', 'application', 'offer']),
      name: z.string(),
      site: z.string().meta({ description: 'Host of the requester’s site' }),
    }),
    waiting: z.string().nullable().meta({ description: 'ID of the permission that waits for a decision' }),
    pendingRequester: z
      .strictObject({
        requestClientName: z.string(),
        requestClientUrl: z.string(),
        requestClientLogoUrl: z.string(),
        requestDescription: z.string().optional(),
      })
      .nullable()
      .meta({
        description:
          'How the requester names itself in the waiting permission. Until it is granted, the Data Debit keeps the name that was approved.',
      }),
    callbackHost: z.string().nullable().meta({
      description:
        'Host of the callback URL of the newest permission, which is notified of decisions and, after approval, of new data; null if there is none',
    }),
    renews: dateTimeSchema.nullable().meta({ description: 'Start of the next period of an active permission' }),
    renewed: dateTimeSchema.nullable().meta({
      description:
        'Start of the current period, as a reminder for three days after an automatic renewal; null at other times',
    }),
    endsAtPeriodEnd: z.boolean(),
    lastGranted: changeableGrantSchema.nullable().meta({
      description:
        'The permission that was granted last, with what it requested, as the basis of a change; null if none was granted',
    }),
    liveGrants: z.array(changeableGrantSchema).meta({
      description:
        'The running permission and those that will begin later, ordered by start, each as the basis of a change',
    }),
    lastRead: dateTimeSchema.nullable(),
    reads: z.int().min(0).meta({ description: 'Requests for `values` that were allowed' }),
    recordsShared: z
      .int()
      .min(0)
      .meta({ description: 'Records in the responses to the allowed requests, including repeated ones' }),
    refused: z.int().min(0).meta({ description: 'Requests for `values` that were refused' }),
  })
  .meta({ id: 'OwnerDebit' });

/** The requester's own request for `values`, repeated for the owner, and its response. */
export const proofSchema = z
  .strictObject({
    call: z.string(),
    status: z.int(),
    body: jsonSchema,
    time: dateTimeSchema,
    result: z.enum(['refused', 'shared', 'inconclusive']).meta({
      description:
        '`refused`: the consent is not enabled, so no values leave. `shared`: values still leave. `inconclusive`: the request failed for another reason',
    }),
  })
  .meta({ id: 'Proof' });

/** A signed receipt, verifiable with the public key in its JWS header. */
export const receiptSchema = z
  .strictObject({
    receipt: jsonSchema.meta({ description: 'Agreed terms and history' }),
    jws: z.string().meta({
      description: 'Compact JWS (RS256) whose payload is the receipt; its header carries the public key (`jwk`)',
    }),
    thumbprint: z.string().meta({ description: 'RFC 7638 thumbprint (SHA-256, base64url) of the key that signed' }),
    jwks: z.string().meta({ description: 'Address of the keys' }),
  })
  .meta({ id: 'Receipt' });

export type DebitProposal = z.output<typeof debitProposalSchema>;
export type Permission = z.infer<typeof permissionSchema>;
export type Proof = z.infer<typeof proofSchema>;
export type DebitState = z.infer<typeof debitStateSchema>;
export type Debit = z.infer<typeof debitSchema>;
export type Narrowing = z.output<typeof narrowingSchema>;
export type Grant = z.output<typeof grantSchema>;
export type PermissionChange = z.output<typeof permissionChangeSchema>;
export type PreviewRequest = z.output<typeof previewRequestSchema>;
export type SharingPreview = z.infer<typeof previewSchema>;
export type OwnerDebit = z.infer<typeof ownerDebitSchema>;
