import { vi } from 'vitest';

/** Stops the monotonic clock of rate limits during `work`, so that they do not refill on a slow machine. */
export const runWithStoppedClock = async <T>(work: () => Promise<T>): Promise<T> => {
  const spy = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  try {
    return await work();
  } finally {
    spy.mockRestore();
  }
};
