import { Failure } from '../../../../platform/failure.ts';
import { FILE_SIZE_LIMIT_REASON } from '../../../../platform/io/file-system.ts';
import type { ErrorCode } from '../../../../wire/errors.ts';
import { codeOf } from '../../../../wire/values.ts';

/** Problem of a backup, a verification or a restore, with a message for the owner. */
export class BackupProblem extends Error {
  readonly kind: BackupProblemKind;
  constructor(kind: BackupProblemKind, text: string) {
    super(text);
    this.name = 'BackupProblem';
    this.kind = kind;
  }
}

export type BackupProblemKind =
  /** The passphrase or recovery key does not open the archive. */
  | 'wrong_key'
  /** A file of the archive is modified or missing, or a database is damaged. */
  | 'damaged'
  /** A newer version of this program wrote the archive. */
  | 'newer'
  /** The folder, its archive or the requested backup does not exist. */
  | 'missing'
  | 'unusable'
  | 'full'
  /** Another process holds the backup lock of this PDA. */
  | 'busy'
  /** The current state does not permit the request. */
  | 'wrong_state';

export const isPathOccupied = (error: unknown): boolean => codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOTEMPTY';

/** Maps a full disk or a common file system error to a BackupProblem. Returns any other error unchanged. */
export const toBackupProblem = (error: unknown, folder: string): unknown => {
  if (error instanceof BackupProblem) return error;
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ELOOP':
      return new BackupProblem('missing', `${folder} does not exist. If it is on an external disk, connect it.`);
    case 'ENOSPC':
    case 'EDQUOT':
    case 'SQLITE_FULL':
      return new BackupProblem('full', `The disk of ${folder} is full. Free some space and try again.`);
    case 'EFBIG':
      return new BackupProblem('unusable', FILE_SIZE_LIMIT_REASON);
    case 'EROFS':
      return new BackupProblem('unusable', `${folder} is read-only. Check whether the disk is write-protected.`);
    case 'EACCES':
    case 'EPERM':
      return new BackupProblem('unusable', `This program has no permission to use ${folder}. Choose another folder.`);
    case 'ENAMETOOLONG':
    case 'EILSEQ':
      return new BackupProblem('unusable', 'This is not a valid folder name. Choose another folder.');
    case 'EIO':
    case 'ENXIO':
    case 'ENODEV':
    case 'ESTALE':
    case 'EHOSTDOWN':
    case 'ETIMEDOUT':
      return new BackupProblem('unusable', `${folder} does not respond. Check whether the disk is connected.`);
    default:
      return error;
  }
};

const CODES: Record<BackupProblemKind, ErrorCode> = {
  wrong_key: 'forbidden',
  damaged: 'wrong_state',
  newer: 'wrong_state',
  missing: 'wrong_state',
  unusable: 'wrong_state',
  full: 'out_of_disk',
  busy: 'wrong_state',
  wrong_state: 'wrong_state',
};

/** Maps a BackupProblem to a Failure. Returns any other error unchanged. */
export const asFailure = (error: unknown): unknown =>
  error instanceof BackupProblem ? new Failure(CODES[error.kind], error.message) : error;

/** Runs an operation. @throws BackupProblem if the disk of the path is full, or for a common file system error */
export const withBackupProblems = <T>(path: string, operation: () => T): T => {
  try {
    return operation();
  } catch (error) {
    throw toBackupProblem(error, path);
  }
};

/** Runs an operation. @throws Failure if the operation throws a BackupProblem */
export const withFailures = <T>(operation: () => T): T => {
  try {
    return operation();
  } catch (error) {
    throw asFailure(error);
  }
};
