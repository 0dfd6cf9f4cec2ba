import { statSync, type BigIntStats } from 'node:fs';
import { join, resolve } from 'node:path';
import { StorageProblem } from '../storage-problem.ts';

const LOOK_EVERY_MS = 1000;
/** A disk in a network may be away for a moment. */
const MISSES = 3;

/**
 * Sees when the folder of a running server is not there any more: its disk was taken away, or it was moved. What is open can go on for a while, and
 * everything that is answered then would be written where nobody looks for it.
 *
 * @param everyMs for tests
 * @returns `gone` rejects with a StorageProblem, once; it never resolves
 */
export const watchHome = (folder: string, everyMs = LOOK_EVERY_MS): { gone: Promise<never>; close(): void } => {
  const file = join(resolve(folder), 'pda.sqlite');
  const look = (): BigIntStats | undefined => {
    try {
      return statSync(file, { bigint: true, throwIfNoEntry: false });
    } catch {
      // A disk that answers with an error is as good as none.
      return undefined;
    }
  };
  const first = look();
  let misses = 0;
  const { promise: gone, reject } = Promise.withResolvers<never>();
  // Nobody may be waiting for it at the moment when it comes.
  gone.catch(() => undefined);
  const timer = setInterval(() => {
    const found = look();
    // Another file under the same name: an older copy of the disk, perhaps. Some file systems have no numbers.
    const same = found !== undefined && (first === undefined || (found.ino === first.ino && found.dev === first.dev));
    misses = same ? 0 : misses + 1;
    if (misses < MISSES) return;
    clearInterval(timer);
    reject(
      new StorageProblem(
        'unusable',
        `The folder ${resolve(folder)} is not there any more: its disk was taken away, or it was moved. What was saved is where the folder is now. Put it back, and start again`,
      ),
    );
  }, everyMs);
  timer.unref();
  return { gone, close: () => clearInterval(timer) };
};
