import { codeOf } from '../../../../wire/values.ts';

/** Why a backup, a look at one or a restore came to nothing. The message is for the owner; what was there before is as it was. */
export class BackupProblem extends Error {
  readonly kind: BackupProblemKind;
  constructor(kind: BackupProblemKind, text: string) {
    super(text);
    this.name = 'BackupProblem';
    this.kind = kind;
  }
}

export type BackupProblemKind =
  /** Neither the passphrase nor the recovery key opens it. */
  | 'wrong_key'
  /** Something in the archive is not as it was written, or not there. */
  | 'damaged'
  /** Made by a newer version of this program. */
  | 'newer'
  /** The folder, or the archive in it, is not there. */
  | 'missing'
  /** It is there, and cannot be read or written. */
  | 'unusable'
  | 'full'
  /** Another backup of this PDA is under way. */
  | 'busy'
  /** What was asked for does not fit what is there. */
  | 'wrong_state';

export const isTaken = (error: unknown): boolean => codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOTEMPTY';

/** What the file system says of a folder, in words. Anything that is not about the folder stays what it is. */
export const backupErrorText = (error: unknown, folder: string): unknown => {
  if (error instanceof BackupProblem) return error;
  switch (codeOf(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ELOOP':
      return new BackupProblem('missing', `${folder} is not there. If it is on an external disk, connect it.`);
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
    case 'SQLITE_FULL':
      return new BackupProblem('full', `There is no room left in ${folder}.`);
    case 'EROFS':
      return new BackupProblem('unusable', `${folder} can only be read: nothing can be written there.`);
    case 'EACCES':
    case 'EPERM':
      return new BackupProblem('unusable', `This program may not use ${folder}.`);
    case 'ENAMETOOLONG':
    case 'EILSEQ':
      return new BackupProblem('missing', 'No folder can have this name.');
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
