import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for work, up to `ms` milliseconds. Does not cancel the work.
 * @returns true if the work ended in time
 * @throws the error of the work, if it failed in time
 */
export const endsWithin = async (ms: number, work: Promise<unknown>): Promise<boolean> => {
  const stop = new AbortController();
  try {
    return await Promise.race([work.then(() => true), sleep(ms, false, { signal: stop.signal })]);
  } finally {
    stop.abort();
  }
};
