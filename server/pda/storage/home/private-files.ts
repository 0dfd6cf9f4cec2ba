import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Only the operating system user who owns the home has access. */
const PRIVATE_FILE = 0o600;
const MODE_BITS = 0o777;

const narrowMode = (file: string): void => {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() === true && (stats.mode & MODE_BITS) !== PRIVATE_FILE) chmodSync(file, PRIVATE_FILE);
};

/** Restricts the modes of the databases and the lock in a home that an older version created. */
export const narrowModes = (home: string): void => {
  // Windows has no POSIX modes.
  if (process.platform === 'win32') return;
  for (const name of ['lock', 'pda.sqlite', 'pda.sqlite-wal', 'pda.sqlite-shm']) narrowMode(join(home, name));
  const backups = join(home, 'backups');
  for (const name of readdirSync(backups)) if (name.endsWith('.sqlite')) narrowMode(join(backups, name));
};
