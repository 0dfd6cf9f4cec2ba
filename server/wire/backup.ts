import { z } from 'zod';
import { dateTimeSchema } from './common.ts';
import { MAX_PASSWORD_CHARS } from './limits.ts';

// Backups, their retention and restore drills (`/api/v2.6/owner/backup`; docs/decisions.md, the owner's routes).

const backupIntervalSchema = z.enum(['off', 'hour', 'day', 'week']);

/** A path on this machine. No operating system allows NUL in a path. */
const folderSchema = z
  .string()
  .trim()
  .min(1)
  .max(4096)
  .regex(/^[^\0]*$/u, 'must not contain NUL');
const passphraseSchema = z.string().min(1).max(MAX_PASSWORD_CHARS);

const backupKeepSchema = z
  .strictObject({ days: z.int().min(0).max(3650), weeks: z.int().min(0).max(520), months: z.int().min(0).max(240) })
  .meta({
    id: 'BackupKeep',
    description:
      'Keeps the newest backup of each of the last `days` days, `weeks` weeks and `months` months with a backup, and always the newest backup and the backups of the 24 hours before it',
  });

export const backupSnapshotSchema = z
  .strictObject({
    number: z.int(),
    created: dateTimeSchema,
    files: z.int(),
    bytes: z.int().meta({ description: 'Bytes that a restore writes' }),
    added: z.int().meta({ description: 'Bytes added to the archive' }),
    hash: z.string().meta({ description: 'Equal for backups with equal content' }),
    leftOut: z
      .int()
      .meta({ description: 'Number of links, special files and unsupported paths, which are not backed up' }),
    unsteady: z.int().meta({ description: 'Files that changed while they were read' }),
  })
  .meta({ id: 'BackupSnapshot' });

export const backupProofSchema = z
  .strictObject({
    at: dateTimeSchema,
    number: z.int().meta({ description: 'Number of the restored backup' }),
    whole: z.boolean().meta({ description: 'True: the whole backup; false: the database and a sample of the files' }),
    files: z.int(),
    bytes: z.int(),
    ms: z.int(),
  })
  .meta({ id: 'BackupProof' });

export const backupSchema = z
  .strictObject({
    folder: z.string().nullable().meta({ description: 'Null: none is chosen, and no backup is made' }),
    archive: z.string().nullable().meta({ description: 'Folder of this PDA within the backup folder' }),
    every: backupIntervalSchema,
    keep: backupKeepSchema,
    running: z
      .strictObject({
        what: z.enum(['backup', 'drill']),
        phase: z.enum(['scanning', 'files', 'database', 'finishing', 'checking']),
        done: z.int(),
        total: z.int(),
      })
      .nullable(),
    last: backupSnapshotSchema.nullable().meta({ description: 'The newest complete backup' }),
    next: dateTimeSchema.nullable().meta({ description: 'Time of the next backup' }),
    stale: z.boolean().meta({
      description: 'True if no folder is chosen, there is no backup, or the newest is older than the schedule allows',
    }),
    problem: z
      .strictObject({ at: dateTimeSchema, what: z.enum(['backup', 'drill', 'records']), problem: z.string() })
      .nullable()
      .meta({
        description: 'Why the last attempt failed, what the last restore drill found, or that records are damaged',
      }),
    drillFailure: z.strictObject({ at: dateTimeSchema, problem: z.string() }).nullable().meta({
      description: 'Why the last restore drill has no result, for example because the disk was not connected',
    }),
    proven: backupProofSchema.nullable().meta({ description: 'The last successful restore drill' }),
    provenWhole: backupProofSchema.nullable(),
    backups: z.array(backupSnapshotSchema).meta({ description: 'Newest first' }),
  })
  .meta({ id: 'Backup' });

export const backupStatusSchema = z.enum([
  /** No folder is chosen. */
  'none',
  /** The newest backup is recent, or there is none yet and no attempt has failed. */
  'well',
  /** A folder is chosen, but there is no backup because the last attempt failed. */
  'never',
  /** The newest backup is older than the schedule allows. */
  'old',
  /** The last completed restore drill found damage, or records are damaged. */
  'damaged',
]);

/** `POST /owner/backup/set-up` and `/key`. A new passphrase comes with a new recovery key. */
export const backupSetUpSchema = z.strictObject({ folder: folderSchema, passphrase: passphraseSchema });
export const backupPassphraseSchema = z.strictObject({ passphrase: passphraseSchema });
export const backupKeySchema = z
  .strictObject({
    recoveryKey: z.string().meta({ description: 'Shown only once' }),
    backup: backupSchema,
  })
  .meta({ id: 'BackupKey' });

export const backupChangeSchema = z.strictObject({
  folder: folderSchema,
  every: backupIntervalSchema,
  keep: backupKeepSchema,
});

const restoreFrom = {
  code: z
    .string()
    .max(200)
    .meta({ description: 'One-time code from the address that was printed when the PDA started' }),
  from: folderSchema,
  secret: z.union([
    z.strictObject({ passphrase: passphraseSchema }),
    z.strictObject({ recoveryKey: z.string().min(1).max(200) }),
  ]),
  archive: z
    .string()
    .max(100)
    .optional()
    .meta({ description: 'ID of the archive; required if the folder contains several' }),
};
export const restorableRequestSchema = z.strictObject(restoreFrom);
export const restoreRequestSchema = z.strictObject({ ...restoreFrom, backup: z.string().max(100) });

export const restorableSchema = z
  .strictObject({
    archive: z.string(),
    backups: z
      .array(
        z.strictObject({
          number: z.int(),
          created: dateTimeSchema.nullable(),
          name: z.string().meta({ description: 'Name of the PDA; empty if the backup cannot be restored' }),
          files: z.int(),
          bytes: z.int(),
          problem: z.string().nullable().meta({ description: 'Why this backup cannot be restored' }),
        }),
      )
      .meta({ description: 'Newest first' }),
  })
  .meta({ id: 'Restorable' });

export const restoredBackupSchema = z
  .strictObject({ name: z.string(), created: dateTimeSchema, files: z.int(), bytes: z.int() })
  .meta({ id: 'RestoredBackup' });

export type Backup = z.infer<typeof backupSchema>;
export type BackupStatus = z.infer<typeof backupStatusSchema>;
export type BackupSnapshot = z.infer<typeof backupSnapshotSchema>;
export type BackupProof = z.infer<typeof backupProofSchema>;
export type BackupInterval = z.infer<typeof backupIntervalSchema>;
export type BackupChange = z.infer<typeof backupChangeSchema>;
export type Restorable = z.infer<typeof restorableSchema>;
