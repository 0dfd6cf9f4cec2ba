import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../platform/failure.ts';

// The built-in SQLite suffices for a lock.
const { DatabaseSync } = process.getBuiltinModule('node:sqlite');

const SQLITE_BUSY = 5;

/**
 * Locks the data folder, so that only one relay uses it. A second relay would accept claims that the first has seen used. The
 * lock is an open transaction on a small SQLite database. The operating system releases it when the process ends for any
 * reason. The command line needs no lock, because it reads and removes single files.
 *
 * @returns releases the lock
 * @throws Failure wrong_state if another process holds the lock, invalid_input if the folder is unusable
 */
export const lockRelayFolder = (home: string): (() => void) => {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const lock = new DatabaseSync(join(home, 'lock'), { timeout: 0 });
    try {
      lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (error) {
      lock.close();
      throw error;
    }
    return () => lock.close();
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY)
      throw new Failure(
        'wrong_state',
        `Another relay is using ${home}. Stop it first, or pass another folder with --home.`,
      );
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure('invalid_input', `The folder ${home} cannot be locked: ${reason}`);
  }
};
