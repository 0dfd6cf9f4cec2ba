import Database from 'better-sqlite3';
import { Failure } from '../../platform/failure.ts';

/** Includes I/O errors: a file system may report a full disk only when data is flushed or a file grows. */
const DISK_FULL_CODES = new Set([
  'SQLITE_FULL',
  'SQLITE_IOERR_WRITE',
  'SQLITE_IOERR_FSYNC',
  'SQLITE_IOERR_TRUNCATE',
  'SQLITE_IOERR_SHMSIZE',
]);

/** Maps an SQLite error of a full disk to a Failure out_of_disk. Returns any other error unchanged. */
export const toDiskFullFailure = (error: unknown): unknown =>
  error instanceof Database.SqliteError && DISK_FULL_CODES.has(error.code)
    ? new Failure(
        'out_of_disk',
        'There is no room left on the disk. Nothing was stored. Free some space and try again.',
      )
    : error;
