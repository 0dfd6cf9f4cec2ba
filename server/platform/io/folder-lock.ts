import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createPrivateFile } from './file-system.ts';

const SQLITE_BUSY = 5;

/** SQLite's extended result codes contain the primary code in their low byte. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === SQLITE_BUSY;

/**
 * Locks a folder for one process. The lock is an open transaction on a small database: the system releases it when the
 * process ends.
 * @returns undefined if the folder is locked already
 * @throws Error if the folder cannot be used
 */
export const lockFolder = (folder: string, name = 'lock'): { close(): void } | undefined => {
  const file = join(folder, name);
  createPrivateFile(file);
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
};
