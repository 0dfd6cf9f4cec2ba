import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createPrivateFile } from './file-system.ts';

const SQLITE_BUSY = 5;

const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === SQLITE_BUSY;

/**
 * Locks a folder for one process. The lock is a transaction held open on a small database of its own: the operating system ends it with the process,
 * however that ends, so no stale lock file can keep an owner out.
 *
 * @returns the lock; undefined when it is held already. @throws Error when the folder cannot be used
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
