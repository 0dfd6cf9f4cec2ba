import Database from 'better-sqlite3';
import { Failure } from '../../platform/failure.ts';

/** Why a home cannot be opened. The message is for the owner; the original files are as they were. */
export class StorageProblem extends Error {
  readonly kind: 'in_use' | 'unusable' | 'damaged' | 'newer' | 'not_a_pda';
  constructor(kind: StorageProblem['kind'], text: string) {
    super(text);
    this.name = 'StorageProblem';
    this.kind = kind;
  }
}

const FULL = new Set([
  'SQLITE_FULL',
  'SQLITE_IOERR_WRITE',
  'SQLITE_IOERR_FSYNC',
  'SQLITE_IOERR_TRUNCATE',
  'SQLITE_IOERR_SHMSIZE',
]);

/** Whether an error of SQLite says that the content of the file is broken. */
export const isDamage = (code: string): boolean => code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB';

export const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');

/** A full disk is not our fault and passes: the caller is told so and can try again. Everything else stays what it is. */
export const asFailure = (error: unknown): unknown =>
  error instanceof Database.SqliteError && FULL.has(error.code)
    ? new Failure('out_of_disk', 'There is no room left on the disk. Nothing was stored; try again when there is room.')
    : error;
