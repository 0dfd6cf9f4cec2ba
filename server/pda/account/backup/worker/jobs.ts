import type { BackupManifest } from '../format/manifest-rules.ts';
import type { KeyFile, Secret } from '../format/key-file.ts';
import type { Progress } from '../operations/backup.ts';
import type { BackupProblemKind } from '../format/error.ts';
import type { Retention } from '../operations/retention-rules.ts';
import type { KnownArchiveState } from '../operations/verification.ts';

/*
 * Messages between the server and the backup process. Keys are only sent in these messages, never on a command line or
 * in the environment.
 */

export type BackupDetails = Pick<
  BackupManifest,
  'number' | 'created' | 'files' | 'bytes' | 'added' | 'hash' | 'leftOut' | 'unsteady'
> & { name: string };

type ArchiveJob = {
  home: string;
  /** Unix milliseconds of the server's clock. */
  now: number;
  folder: string;
  locks: KeyFile;
  /** Master key in base64. */
  master: string;
};

export type BackupJob =
  | (ArchiveJob & {
      op: 'backup';
      program: string;
      retention: Retention;
      distrust: readonly string[];
      /** True if this home never had an archive in this folder. Otherwise a missing archive is an error. */
      isNew: boolean;
    })
  | (ArchiveJob & { op: 'drill'; remembered: KnownArchiveState | undefined })
  | (ArchiveJob & { op: 'writeKey'; isNew: boolean })
  | { op: 'checkFolder'; folder: string; home: string }
  | { op: 'openKey'; folder: string; passphrase: string }
  | { op: 'list'; from: string; secret: Secret; archive: string | undefined }
  | {
      op: 'restore';
      from: string;
      secret: Secret;
      archive: string | undefined;
      backup: string;
      home: string;
      now: number;
    };

export type DrillResult = { number: number; files: number; bytes: number; ms: number };

export type BackupDone = {
  backups: BackupDetails[];
  generation: number;
  /** Result of the restore drill of a sample; undefined if it failed with `problem`. */
  proof: DrillResult | undefined;
  problem: string | undefined;
  /** Description of records that were changed by disk corruption. */
  damage?: string | undefined;
};
export type DrillDone = { proof: DrillResult | undefined; problems: string[]; damaged: string[] };
export type ListDone = {
  archive: string;
  backups: { number: number; details: BackupDetails | undefined; name: string; problem: string | null }[];
};
export type RestoreDone = { name: string; created: string; files: number; bytes: number };
export type BackupResults = {
  backup: BackupDone;
  drill: DrillDone;
  writeKey: null;
  /** The absolute path. */
  checkFolder: string;
  /** The master key in base64; null if there is no archive. */
  openKey: { master: string } | null;
  list: ListDone;
  restore: RestoreDone;
};

export type BackupProgress =
  /** The job continues. */
  | { type: 'alive' }
  | { type: 'progress'; progress: Progress }
  | { type: 'done'; result: BackupResults[keyof BackupResults] }
  | { type: 'problem'; kind: BackupProblemKind; text: string }
  | { type: 'fault'; text: string };

/** Input and messages of the thread between server and backup process. */
export type ThreadJob = { job: BackupJob };
export type FromThread =
  | { type: 'message'; message: BackupProgress }
  | { type: 'failed'; text: string }
  | { type: 'closed' };
