import type { Page } from '../format/manifest-rules.ts';
import type { KeyFile, Secret } from '../format/key-file.ts';
import type { Progress } from '../operations/backup.ts';
import type { BackupProblemKind } from '../format/error.ts';
import type { Retention } from '../operations/retention-rules.ts';
import type { Remembered } from '../operations/verification.ts';

/** What the server and the process that does the work say to each other. Keys go this way alone: never on a command line, never in the environment. */

export type OneBackup = Pick<
  Page,
  'number' | 'created' | 'files' | 'bytes' | 'added' | 'hash' | 'leftOut' | 'unsteady'
> & { name: string };

type Opened = {
  home: string;
  /** Unix milliseconds, by the server's clock. */
  now: number;
  folder: string;
  locks: KeyFile;
  /** In base64. */
  master: string;
};

export type BackupJob =
  | (Opened & {
      op: 'backup';
      program: string;
      retention: Retention;
      distrust: readonly string[];
      /** There was never an archive of this home in this folder, so that one is missing is no wonder. */
      isNew: boolean;
    })
  | (Opened & { op: 'drill'; remembered: Remembered | undefined })
  | (Opened & { op: 'lock'; isNew: boolean })
  | { op: 'target'; folder: string; home: string }
  | { op: 'adopt'; folder: string; passphrase: string }
  | { op: 'look'; from: string; secret: Secret; archive: string | undefined }
  | {
      op: 'restore';
      from: string;
      secret: Secret;
      archive: string | undefined;
      backup: string;
      home: string;
      now: number;
    };

export type Proof = { number: number; files: number; bytes: number; ms: number };

export type BackupDone = {
  backups: OneBackup[];
  generation: number;
  /** Of the sample; or what was wrong with it. */
  proof: Proof | undefined;
  problem: string | undefined;
  /** Records that are not what they were, in words. */
  damage?: string | undefined;
};
export type DrillDone = { proof: Proof | undefined; problems: string[]; damaged: string[] };
export type LookDone = {
  archive: string;
  backups: { number: number; page: OneBackup | undefined; name: string; problem: string | null }[];
};
export type RestoreDone = { name: string; created: string; files: number; bytes: number };
export type BackupResults = {
  backup: BackupDone;
  drill: DrillDone;
  lock: null;
  /** The whole path. */
  target: string;
  /** The master key, in base64, where there is an archive. */
  adopt: { master: string } | null;
  look: LookDone;
  restore: RestoreDone;
};

export type BackupProgress =
  /** It goes on, without anything to tell. */
  | { type: 'alive' }
  | { type: 'progress'; progress: Progress }
  | { type: 'done'; result: BackupResults[keyof BackupResults] }
  | { type: 'problem'; kind: BackupProblemKind; text: string }
  | { type: 'fault'; text: string };

/** What the server's thread between the two is given and says. */
export type ThreadJob = { job: BackupJob };
export type FromThread = { type: 'said'; said: BackupProgress } | { type: 'failed'; text: string } | { type: 'closed' };
