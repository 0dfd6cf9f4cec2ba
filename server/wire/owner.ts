import { z } from 'zod';
import { dateTimeSchema, endpointSchema, jsonSchema } from './common.ts';
import { endpointDisplay, namespaceDisplaySchema, ownFieldColours, ownFieldNames } from './fields.ts';
import { MAX_DELETED_RECORDS, MAX_PASSWORD_CHARS, RESTORED_RECORDS_MAX } from './limits.ts';
import { assertionSchema } from './passkeys.ts';
import { factorCodeSchema } from './second-factor.ts';

// The owner's API (`/api/v2.6/owner/…`), for the dashboard.

/** First label of the public address: lower-case letters, digits and hyphens, with no hyphen at either end. */
export const pdaNameSchema = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,60}[a-z0-9])?$/,
    'use at most 62 lower-case letters, digits and hyphens, with no hyphen at either end',
  )
  .meta({ id: 'PdaName', example: 'ada' });

export const newPasswordSchema = z.string().min(1).max(MAX_PASSWORD_CHARS);

export const tokenResponseSchema = z
  .strictObject({
    accessToken: z.string().meta({ description: 'JWT, RS256' }),
    userId: z.uuid(),
  })
  .meta({ id: 'TokenResponse' });

export const setupStateSchema = z
  .strictObject({
    state: z.enum(['waiting', 'done']),
    name: z.string().optional().meta({ description: 'Name of the PDA once it is set up' }),
    profile: z
      .boolean()
      .optional()
      .meta({ description: 'True if the owner has made profile fields public or stored a profile bundle' }),
  })
  .meta({ id: 'SetupState' });

export const setupRequestSchema = z.strictObject({
  code: z
    .string()
    .max(200)
    .meta({ description: 'One-time code from the address that was printed when the PDA started' }),
  name: pdaNameSchema,
  password: newPasswordSchema,
});

export const passwordStrengthRequestSchema = z.strictObject({
  password: z.string().max(MAX_PASSWORD_CHARS),
  name: z.string().max(200).optional(),
});

export const passwordStrengthSchema = z
  .strictObject({
    score: z.int().min(0).max(4),
    acceptable: z.boolean(),
    warning: z.string().optional().meta({ description: 'Key of the main weakness, e.g. `topTen`' }),
    suggestions: z.array(z.string()).meta({ description: 'Keys of suggestions, e.g. `anotherWord`' }),
  })
  .meta({ id: 'PasswordStrength' });

export const passwordChangeSchema = z.strictObject({
  password: z.string().max(MAX_PASSWORD_CHARS),
  newPassword: newPasswordSchema,
  // One of these is required if sign-ins from this address need a second factor.
  code: factorCodeSchema.optional(),
  passkey: assertionSchema.optional(),
});

export const ownerSchema = z
  .strictObject({
    userId: z.uuid(),
    name: z.string(),
    created: dateTimeSchema,
    version: z.string(),
    addresses: z.array(z.string()).meta({ description: 'host[:port] at which this PDA responds' }),
    publicUrl: z.string().nullable(),
  })
  .meta({ id: 'Owner' });

export const sessionSchema = z
  .strictObject({
    id: z.string(),
    kind: z.enum(['owner', 'application', 'service', 'user', 'offer']),
    application: z.string().nullable(),
    offer: z.string().optional().meta({ description: 'Offer of the provider, for the kind `offer`' }),
    user: z
      .strictObject({ userId: z.uuid(), name: z.string() })
      .nullable()
      .meta({ description: 'User of the session, for the kind `user`' }),
    created: dateTimeSchema,
    lastSeen: dateTimeSchema,
    ends: dateTimeSchema.meta({ description: 'Latest expiry, if the session is used until then' }),
    issuer: z.string().meta({ description: 'Address through which the sign-in was made' }),
    address: z.string().meta({ description: 'IP address of the caller at sign-in' }),
    userAgent: z.string(),
    current: z.boolean(),
  })
  .meta({ id: 'Session' });

export const endedSessionsSchema = z.strictObject({ ended: z.int().min(0) }).meta({ id: 'EndedSessions' });

/** Summary of an endpoint. Updated with every write, so that reading it is cheap. */
export const endpointSummarySchema = z
  .strictObject({
    endpoint: endpointSchema,
    ...endpointDisplay,
    fieldNames: ownFieldNames,
    fieldColours: ownFieldColours,
    namespaceDisplay: namespaceDisplaySchema
      .optional()
      .meta({ description: 'Display settings that the owner chose for the namespace; absent if there are none' }),
    records: z.int().min(0),
    bytes: z.int().min(0).meta({ description: 'Bytes of JSON' }),
    firstRecord: dateTimeSchema.nullable().meta({ description: 'When the oldest record was stored' }),
    lastRecord: dateTimeSchema.nullable().meta({ description: 'When the newest record was stored' }),
    lastChange: dateTimeSchema
      .nullable()
      .meta({ description: 'When a record was last stored, changed, moved or deleted' }),
  })
  .meta({ id: 'EndpointSummary' });

export const activityDaySchema = z
  .strictObject({
    day: z.iso.date().meta({ description: 'UTC' }),
    created: z.int().min(0),
    updated: z.int().min(0),
    deleted: z.int().min(0),
  })
  .meta({ id: 'ActivityDay' });

export const originSchema = z
  .strictObject({
    kind: z.enum(['owner', 'application', 'import', 'function', 'contract']),
    name: z
      .string()
      .meta({ description: 'Id of the application, function or contract, file name of the import, or `owner`' }),
    run: z.uuid().optional().meta({ description: 'The run of the function' }),
    import: z.uuid().optional().meta({ description: 'The import, which may have been removed' }),
  })
  .meta({ id: 'Origin' });

export const browsedRecordSchema = z
  .strictObject({
    endpoint: z.string(),
    recordId: z.uuid(),
    data: jsonSchema,
    dateCreated: dateTimeSchema,
    lastUpdated: dateTimeSchema,
    bytes: z.int().min(0),
    origin: originSchema,
  })
  .meta({ id: 'BrowsedRecord' });

export const browsePageSchema = z
  .strictObject({
    total: z.int().min(0).meta({ description: 'Number of matching records, over all pages' }),
    leftOut: z.int().min(0).meta({
      description: 'Records that a filter leaves out because their value has a different type from the field',
    }),
    indexing: z.boolean().meta({ description: 'True while an index for this selection is being built' }),
    records: z.array(browsedRecordSchema),
  })
  .meta({ id: 'BrowsePage' });

export const deletionRequestSchema = z.union([
  z.strictObject({ records: z.array(z.uuid()).min(1).max(MAX_DELETED_RECORDS) }),
  z.strictObject({ endpoint: endpointSchema }),
]);

export const deletionSchema = z
  .strictObject({
    deletionId: z.uuid(),
    endpoint: z.string().nullable().meta({ description: 'Set when a whole endpoint was deleted' }),
    records: z.int().min(0),
    deleted: dateTimeSchema,
    until: dateTimeSchema.meta({ description: 'Time until which the deletion can be undone' }),
  })
  .meta({ id: 'Deletion' });

const deletedRecordSchema = z
  .strictObject({
    seq: z.int().meta({ description: 'Id with which the record can be restored' }),
    recordId: z.uuid(),
    endpoint: z.string(),
    dateCreated: dateTimeSchema,
    bytes: z.int().min(0),
    excerpt: z.string().nullable().meta({ description: 'First values in one line; null for a large record' }),
  })
  .meta({ id: 'DeletedRecord' });

export const deletionEntrySchema = deletionSchema
  .extend({ sample: z.array(deletedRecordSchema).meta({ description: 'First records of the deletion' }) })
  .meta({ id: 'DeletionEntry' });

export const deletedRecordPageSchema = z
  .strictObject({
    records: z.array(deletedRecordSchema),
    next: z.int().nullable().meta({ description: '`after` of the next page; null at the end' }),
  })
  .meta({ id: 'DeletedRecordPage' });

export const recordRestoreRequestSchema = z.strictObject({
  seqs: z.array(z.int().min(0)).min(1).max(RESTORED_RECORDS_MAX),
});

export const restoreResultSchema = z
  .strictObject({
    restored: z.int().meta({ description: 'Restored records' }),
    left: z.int().meta({ description: 'Records of the deletion that can still be restored' }),
  })
  .meta({ id: 'RestoreResult' });

export type Session = z.infer<typeof sessionSchema>;
export type EndpointSummary = z.infer<typeof endpointSummarySchema>;
export type BrowsedRecord = z.infer<typeof browsedRecordSchema>;
export type Deletion = z.infer<typeof deletionSchema>;
export type DeletedRecord = z.infer<typeof deletedRecordSchema>;
export type DeletionEntry = z.infer<typeof deletionEntrySchema>;
export type DeletedRecordPage = z.infer<typeof deletedRecordPageSchema>;
export type RestoreResult = z.infer<typeof restoreResultSchema>;
