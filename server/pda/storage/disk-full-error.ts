import Database from 'better-sqlite3';
import { Failure } from '../../platform/failure.ts';

const FULL = new Set([
  'SQLITE_FULL',
  'SQLITE_IOERR_WRITE',
  'SQLITE_IOERR_FSYNC',
  'SQLITE_IOERR_TRUNCATE',
  'SQLITE_IOERR_SHMSIZE',
]);

/** A full disk is not our fault and passes: the caller is told so and can try again. Everything else stays what it is. */
export const asFailure = (error: unknown): unknown =>
  error instanceof Database.SqliteError && FULL.has(error.code)
    ? new Failure('out_of_disk', 'There is no room left on the disk. Nothing was stored; try again when there is room.')
    : error;
