import { statSync, type BigIntStats } from 'node:fs';
import { join, resolve } from 'node:path';
import { StorageProblem } from '../storage-problem.ts';

const CHECK_INTERVAL_MS = 1000;
/** Consecutive failed checks that count as a loss, because a network drive may be unavailable for a moment. */
const FAILED_CHECKS_FOR_LOSS = 3;

/**
 * Detects that the folder of a running server was moved or its disk was removed. Open files stay usable for a while, so
 * the server would continue to write data where the owner does not expect it.
 * @param intervalMs for tests
 * @returns `loss` rejects with a StorageProblem when the database is missing or was replaced; it never resolves
 */
export const watchHome = (folder: string, intervalMs = CHECK_INTERVAL_MS): { loss: Promise<never>; close(): void } => {
  const file = join(resolve(folder), 'pda.sqlite');
  const statDatabase = (): BigIntStats | undefined => {
    try {
      return statSync(file, { bigint: true, throwIfNoEntry: false });
    } catch {
      // A disk that reports an error counts as missing.
      return undefined;
    }
  };
  const original = statDatabase();
  let failedChecks = 0;
  const { promise: loss, reject } = Promise.withResolvers<never>();
  // Prevents an unhandled rejection if no caller awaits the promise.
  loss.catch(() => undefined);
  const timer = setInterval(() => {
    const current = statDatabase();
    // A different file at the same path, for example on an older copy of the disk, has a different inode or device.
    const isSame =
      current !== undefined &&
      (original === undefined || (current.ino === original.ino && current.dev === original.dev));
    failedChecks = isSame ? 0 : failedChecks + 1;
    if (failedChecks < FAILED_CHECKS_FOR_LOSS) return;
    clearInterval(timer);
    reject(
      new StorageProblem(
        'unusable',
        `The database in ${resolve(folder)} is missing or was replaced: the disk was removed, or the folder was moved. The saved data is where the folder is now. Put the folder back and start again.`,
      ),
    );
  }, intervalMs);
  timer.unref();
  return { loss, close: () => clearInterval(timer) };
};
