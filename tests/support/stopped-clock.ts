import { vi } from 'vitest';

/** Stops the monotonic clock of this process during `work`, so that rate limits do not refill on a slow machine. */
export const runWithStoppedClock = async <T>(work: () => Promise<T>): Promise<T> => {
  const spy = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  try {
    return await work();
  } finally {
    spy.mockRestore();
  }
};
