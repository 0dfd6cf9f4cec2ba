import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../platform/failure.ts';

// What is built in is enough for a lock, and is loaded by the relay alone.
const { DatabaseSync } = process.getBuiltinModule('node:sqlite');

/** SQLITE_BUSY. */
const BUSY = 5;

/**
 * One relay to a folder: of two, each would take proofs that the other has seen used. The lock is a transaction held open on a small database of its
 * own: the operating system lets it go when the process ends, however it ends. The command line needs none, it looks at single names.
 *
 * @returns how to let the folder go. @throws Failure wrong_state when another process has it, invalid_input when it cannot be used
 */
export const lockFolder = (home: string): (() => void) => {
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
    if (error instanceof Error && 'errcode' in error && error.errcode === BUSY)
      throw new Failure(
        'wrong_state',
        `Another relay is using ${home}. Stop it first, or give this one its own --home.`,
      );
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure('invalid_input', `The folder ${home} cannot be locked: ${reason}`);
  }
};
