import type { BackupManifest } from '../format/manifest-rules.ts';
import type { KeyFile, Secret } from '../format/key-file.ts';
import type { BackupProgress } from '../operations/backup.ts';
import type { BackupProblemKind } from '../format/error.ts';
import type { Retention } from '../operations/retention-rules.ts';
import type { KnownArchiveState } from '../operations/verification.ts';

/*
 * Messages between the server and the backup process. Keys are only sent in these messages, never on a command line or
 * in the environment.
 */

/** Fields of a manifest that the owner sees. */
export type BackupDetails = Pick<
  BackupManifest,
  'number' | 'created' | 'files' | 'bytes' | 'added' | 'hash' | 'leftOut' | 'unsteady'
> & { name: string };

type ArchiveJob = {
  home: string;
  /** Time of the server's clock in Unix milliseconds. */
  now: number;
  folder: string;
  keyFile: KeyFile;
  /** Master key in base64. */
  masterKey: string;
};

/** A job of the backup process. */
export type BackupJob =
  | (ArchiveJob & {
      op: 'backup';
      /** Version of this program, for the manifest. */
      programVersion: string;
      retention: Retention;
      /** Packs that the last verification found damaged. */
      distrustedPacks: readonly string[];
      /** True if this home never had an archive in this folder. Otherwise a missing archive is an error. */
      isNew: boolean;
    })
  | (ArchiveJob & { op: 'drill'; knownState: KnownArchiveState | undefined })
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

/** Short jobs with the short time limit and normal priority, because a request waits for them. */
export const QUICK_JOBS: ReadonlySet<BackupJob['op']> = new Set(['writeKey', 'checkFolder', 'openKey']);

/** Result of a restore drill: number of the backup, number and total size of the restored files, and the duration. */
export type DrillResult = { number: number; files: number; bytes: number; ms: number };

/** Result of the job `backup`. */
export type BackupJobResult = {
  backups: BackupDetails[];
  generation: number;
  /** Result of the restore drill of a sample; undefined if it failed with `problem`. */
  proof: DrillResult | undefined;
  problem: string | undefined;
  /** Description of records that were changed by disk corruption. */
  damage?: string | undefined;
};
/** Result of the job `drill`. `damaged` contains the names of damaged packs. */
export type DrillJobResult = { proof: DrillResult | undefined; problems: string[]; damaged: string[] };
/** Result of the job `list`. */
export type ListJobResult = {
  archive: string;
  backups: { number: number; details: BackupDetails | undefined; name: string; problem: string | null }[];
};
/** Result of the job `restore`. */
export type RestoreJobResult = { name: string; created: string; files: number; bytes: number };
/** Results of jobs by operation. */
export type BackupResults = {
  backup: BackupJobResult;
  drill: DrillJobResult;
  writeKey: null;
  /** Absolute path of the folder. */
  checkFolder: string;
  /** The master key in base64; null if there is no archive. */
  openKey: { masterKey: string } | null;
  list: ListJobResult;
  restore: RestoreJobResult;
};

/** Message of the backup process. */
export type BackupMessage =
  /** The process has started, or the job is running and makes progress. */
  | { type: 'alive' }
  | { type: 'progress'; progress: BackupProgress }
  | { type: 'done'; result: BackupResults[keyof BackupResults] }
  | { type: 'problem'; kind: BackupProblemKind; text: string }
  | { type: 'fault'; text: string };

/** Input of the thread that starts the backup process. */
export type ThreadJob = { job: BackupJob };
/** Message of that thread to the server. */
export type ThreadMessage =
  | { type: 'message'; message: BackupMessage }
  | { type: 'failed'; text: string }
  | { type: 'closed' };
