import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for work, but no longer than `ms` milliseconds. The work itself goes on.
 * @returns whether the work ended in time. @throws what the work threw in time
 */
export const endsWithin = async (ms: number, work: Promise<unknown>): Promise<boolean> => {
  const stop = new AbortController();
  try {
    return await Promise.race([work.then(() => true), sleep(ms, false, { signal: stop.signal })]);
  } finally {
    stop.abort();
  }
};
