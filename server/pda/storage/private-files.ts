import { chmodSync, closeSync, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../platform/file-system.ts';

/** Only the user account that owns the home may read its databases. */
const PRIVATE_FILE = 0o600;
const MODE_BITS = 0o777;

/**
 * Creates an empty file with mode 0600, for SQLite to open. An existing file is not opened: closing a second descriptor would release the locks
 * that this process holds on it.
 */
export const createPrivateFile = (file: string): void => {
  try {
    closeSync(openSync(file, 'wx', PRIVATE_FILE));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
};

const narrowMode = (file: string): void => {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() === true && (stats.mode & MODE_BITS) !== PRIVATE_FILE) chmodSync(file, PRIVATE_FILE);
};

/** Narrows the modes of the lock, the database, its `-wal` and `-shm`, and its copies in a home that an older version created. */
export const narrowModes = (home: string): void => {
  // Windows has no such modes.
  if (process.platform === 'win32') return;
  for (const name of ['lock', 'pda.sqlite', 'pda.sqlite-wal', 'pda.sqlite-shm']) narrowMode(join(home, name));
  const backups = join(home, 'backups');
  for (const name of readdirSync(backups)) if (name.endsWith('.sqlite')) narrowMode(join(backups, name));
};
