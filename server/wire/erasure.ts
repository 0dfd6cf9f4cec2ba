import { z } from 'zod';
import { dateTimeSchema } from './common.ts';
import { ERASURE_STEPS } from './erasure-steps.ts';

// Permanent erasure: preview, request and report (`/api/v2.6/owner/erasures`).

/** `application`: all data that it stored. `namespace`: all records in it. `everything`: the whole account. */
const erasureKindSchema = z.enum(['application', 'namespace', 'file', 'everything']);
export type ErasureKind = z.infer<typeof erasureKindSchema>;

const count = z.int().min(0);

export const erasureCountsSchema = z
  .strictObject({
    records: count.meta({ description: 'Number of stored records' }),
    deletedRecords: count.meta({ description: 'Deleted records that are still stored' }),
    derivedRecords: count.meta({ description: 'Records that functions derived from these' }),
    imports: count.meta({ description: 'Imports, including their leftover files' }),
    files: count,
    bytes: count.meta({ description: 'Total size of records and files in bytes' }),
    sessions: count.meta({
      description:
        'Number of the application’s sessions or, for `everything`, of all sessions; ended sessions count too',
    }),
    consents: count.meta({ description: 'Number of Data Debits that end and whose filter values are erased' }),
  })
  .meta({ id: 'ErasureCounts' });
export type ErasureCounts = z.infer<typeof erasureCountsSchema>;

const nameSchema = z.string().max(500);

export const backupEntrySchema = z.strictObject({
  name: nameSchema,
  at: dateTimeSchema,
  until: dateTimeSchema.nullable().meta({ description: 'Time of its deletion; null: unknown' }),
});
export type BackupEntry = z.infer<typeof backupEntrySchema>;

const localCopySchema = z.strictObject({ name: nameSchema, at: dateTimeSchema, bytes: count });
export type LocalCopy = z.infer<typeof localCopySchema>;

const backupsSchema = z.array(backupEntrySchema).nullable().meta({
  description:
    'Backups that may contain the data to erase; null: unknown, because this PDA has no information about backups',
});

const backupFoldersSchema = z.array(z.string()).meta({
  description:
    'Folders in which this PDA has stored backups, the current or last one at the end. `backups` does not list backups in earlier folders',
});

/** A reader of the erased data, according to the access log. Copies held by readers cannot be erased. */
const receiverSchema = z.strictObject({
  kind: z.string(),
  name: z.string(),
  person: z.string().nullable().meta({ description: 'Name of the user at the time of the request' }),
  reads: count,
  records: count,
  last: dateTimeSchema,
});
export type ErasureReceiver = z.infer<typeof receiverSchema>;

/**
 * Data that remains after an erasure. `ledger`: who read which data and when, without values. `consents`: the owner's
 * agreements. `queries`: bundles and combinators. `counts`: daily numbers of records. `sameContent`: other files with
 * the same content. `unassigned`: files of imports that were never started. `config`: config.json.
 */
const erasureRemainderSchema = z.enum([
  'ledger',
  'consents',
  'queries',
  'counts',
  'sameContent',
  'unassigned',
  'config',
]);
export type ErasureRemainder = z.infer<typeof erasureRemainderSchema>;

const targetSchema = z.string().max(300).default('');

export const erasurePreviewQuerySchema = z.object({ kind: erasureKindSchema, target: targetSchema });

export const erasurePreviewSchema = z
  .strictObject({
    kind: erasureKindSchema,
    target: z.string(),
    typed: z.string().meta({ description: 'Text to type for confirmation' }),
    what: erasureCountsSchema,
    endpoints: z.array(z.string()).meta({
      description:
        'Endpoints of the records, including deleted ones, for `application` and `namespace`; the first hundred',
    }),
    moreEndpoints: count.meta({ description: 'Number of endpoints that `endpoints` omits' }),
    since: dateTimeSchema.nullable().meta({ description: 'Time at which the oldest record or file was stored' }),
    derived: z.array(z.strictObject({ function: z.string(), records: count })),
    receivers: z.array(receiverSchema),
    remaining: z.array(erasureRemainderSchema),
    copies: z.array(localCopySchema).meta({ description: 'Copies of the database in the folder of this PDA' }),
    backups: backupsSchema,
    backupFolders: backupFoldersSchema,
    waitSeconds: count.meta({
      description: 'Estimated time for which writes are blocked while the database is rewritten',
    }),
  })
  .meta({ id: 'ErasurePreview' });
export type ErasurePreview = z.infer<typeof erasurePreviewSchema>;

export const erasureRequestSchema = z
  .strictObject({
    kind: erasureKindSchema,
    target: targetSchema,
    typed: z
      .string()
      .max(300)
      .meta({ description: 'Text that the preview requires; spaces and the Unicode form may differ' }),
    password: z.string().min(1).max(1000),
    derived: z
      .boolean()
      .default(true)
      .meta({ description: 'Also erase records that functions derived from the erased data' }),
    copies: z
      .boolean()
      .default(true)
      .meta({ description: 'Also delete the copies of the database in the folder of this PDA' }),
  })
  .meta({ id: 'ErasureRequest' });
export type ErasureRequest = z.infer<typeof erasureRequestSchema>;

export const erasureSchema = z
  .strictObject({
    erasureId: z.uuid(),
    kind: erasureKindSchema,
    subject: z
      .string()
      .meta({ description: 'Application, namespace, or id of a file in the access history; empty: everything' }),
    /** `waiting`: the last attempt failed and will be retried. */
    state: z.enum(['running', 'waiting', 'done']),
    step: z.enum(ERASURE_STEPS).nullable(),
    begun: dateTimeSchema,
    finished: dateTimeSchema.nullable(),
    what: erasureCountsSchema,
    keptDerived: z
      .boolean()
      .meta({ description: 'True if the owner chose to keep records that functions derived from the erased data' }),
    copiesRemoved: count.meta({ description: 'Deleted copies of the database' }),
    copies: z
      .array(localCopySchema)
      .meta({ description: 'Copies of the database that may still contain the erased data' }),
    backups: backupsSchema,
    backupFolders: backupFoldersSchema,
    problem: z.string().nullable(),
    setUpCode: z.string().optional().meta({ description: 'Code for the next set-up after everything was erased' }),
  })
  .meta({ id: 'Erasure' });
export type Erasure = z.infer<typeof erasureSchema>;
