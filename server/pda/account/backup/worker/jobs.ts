import type { BackupManifest } from '../format/manifest-rules.ts';
import type { KeyFile, Secret } from '../format/key-file.ts';
import type { BackupProgress } from '../operations/backup.ts';
import type { BackupProblemKind } from '../format/error.ts';
import type { Retention } from '../operations/retention-rules.ts';
import type { KnownArchiveState } from '../operations/verification.ts';

/* Messages between the server and the backup process. Keys are never passed on a command line or in the environment. */

export type BackupDetails = Pick<
  BackupManifest,
  'number' | 'created' | 'files' | 'bytes' | 'added' | 'hash' | 'leftOut' | 'unsteady'
> & { name: string };

type ArchiveJob = {
  home: string;
  /** Server time in Unix milliseconds. */
  now: number;
  /** Folder that contains the archive. */
  folder: string;
  keyFile: KeyFile;
  /** Master key in base64. */
  masterKey: string;
};

export type BackupJob =
  | (ArchiveJob & {
      op: 'backup';
      programVersion: string;
      retention: Retention;
      distrustedPacks: readonly string[];
      /** True if this home has never had an archive in this folder. If false, a missing archive is an error. */
      isNew: boolean;
    })
  | (ArchiveJob & { op: 'drill'; knownState: KnownArchiveState | undefined })
  | (ArchiveJob & { op: 'writeKey'; isNew: boolean })
  | { op: 'checkFolder'; folder: string; home: string }
  /** `folder` is the archive itself. */
  | { op: 'openKey'; folder: string; passphrase: string }
  | { op: 'list'; from: string; secret: Secret; archive: string | undefined }
  | {
      op: 'restore';
      from: string;
      secret: Secret;
      archive: string | undefined;
      backup: string;
      home: string;
      /** Server time in Unix milliseconds. */
      now: number;
    };

/** Short jobs for which a request waits. They have the short timeout and normal priority. */
export const QUICK_JOBS: ReadonlySet<BackupJob['op']> = new Set(['writeKey', 'checkFolder', 'openKey']);

/** Number of the backup, number and total size of the restored files, and duration. */
export type DrillResult = { number: number; files: number; bytes: number; ms: number };

export type BackupResults = {
  backup: {
    backups: BackupDetails[];
    generation: number;
    /** Result of the restore drill of a sample; undefined if it found `problem`, or failed with `drillFailure`. */
    proof: DrillResult | undefined;
    problem: string | undefined;
    drillFailure?: string | undefined;
    /** Description of records that disk corruption changed. */
    damage?: string | undefined;
  };
  drill: { proof: DrillResult | undefined; problems: string[]; damaged: string[] };
  writeKey: null;
  checkFolder: string;
  /** Master key in base64; null if the folder is not an archive with a valid key file. */
  openKey: { masterKey: string } | null;
  list: {
    archive: string;
    /** `name`: name of the PDA; empty if the backup is unreadable. */
    backups: { number: number; details: BackupDetails | undefined; name: string; problem: string | null }[];
  };
  /** `name`: name of the restored PDA. */
  restore: { name: string; created: string; files: number; bytes: number };
};

/** Message from the backup process. */
export type BackupMessage =
  /** The process has started, or its job makes progress. */
  | { type: 'alive' }
  | { type: 'progress'; progress: BackupProgress }
  | { type: 'done'; result: BackupResults[keyof BackupResults] }
  | { type: 'problem'; kind: BackupProblemKind; text: string }
  | { type: 'fault'; text: string };

export type ThreadMessage =
  | { type: 'message'; message: BackupMessage }
  | { type: 'failed'; text: string }
  | { type: 'closed' };
