import Database from 'better-sqlite3';
import { Failure } from '../../platform/failure.ts';

/** Explains to the owner why a home cannot be opened or used. */
export class StorageProblem extends Error {
  readonly kind: 'in_use' | 'unusable' | 'damaged' | 'newer' | 'not_a_pda';
  constructor(kind: StorageProblem['kind'], text: string) {
    super(text);
    this.name = 'StorageProblem';
    this.kind = kind;
  }
}

export const isCorruptionCode = (code: string): boolean =>
  code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB';

export const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');

export const damagedDatabase = (file: string, reason: string): StorageProblem =>
  new StorageProblem(
    'damaged',
    `${file} is damaged (${reason}). It was not changed. Restore a backup, or move the file away to start over.`,
  );

/**
 * Maps an SQLite corruption error during startup to a StorageProblem and returns any other error unchanged. The message
 * does not say that the file is unchanged, because startup may have written to it.
 */
export const toCorruptionProblem = (file: string, error: unknown): unknown =>
  error instanceof Database.SqliteError && isCorruptionCode(error.code)
    ? new StorageProblem(
        'damaged',
        `${file} is damaged (${error.message}). Restore a backup, or move the file away to start over.`,
      )
    : error;

/**
 * Codes of the I/O errors with which SQLite reports an exceeded disk quota, or a disk that turns out to be full only
 * when data is flushed or a file grows. A failing disk and the size limit of a file system lead to the same codes.
 */
const WRITE_ERROR_CODES = new Set([
  'SQLITE_IOERR_WRITE',
  'SQLITE_IOERR_FSYNC',
  'SQLITE_IOERR_TRUNCATE',
  'SQLITE_IOERR_SHMSIZE',
]);

/** Maps an SQLite error of a full or failing disk to a Failure out_of_disk; returns any other error unchanged. */
export const toDiskFullFailure = (error: unknown): unknown => {
  if (!(error instanceof Database.SqliteError)) return error;
  if (error.code === 'SQLITE_FULL')
    return new Failure(
      'out_of_disk',
      'There is no room left on the disk. Nothing was stored. Free some space and try again.',
    );
  return WRITE_ERROR_CODES.has(error.code)
    ? new Failure(
        'out_of_disk',
        'Either there is no room left on the disk, or the disk does not work or does not allow a file of this size. Nothing was stored. Free some space or check the disk, then try again.',
      )
    : error;
};
