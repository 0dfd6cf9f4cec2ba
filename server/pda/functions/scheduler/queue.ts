/** Work queue with a concurrency limit. Work starts in the order of arrival. */
export type Queue = {
  /** Queues work and resolves with its result. `isQueued` is true if the work could not start at once. */
  run<T>(work: () => Promise<T>): { isQueued: boolean; result: Promise<T> };
};

export const createQueue = (maxConcurrent: number): Queue => {
  let running = 0;
  const waiters: (() => void)[] = [];

  const runAndRelease = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } finally {
      running -= 1;
      const next = waiters.shift();
      if (next !== undefined) {
        running += 1;
        next();
      }
    }
  };

  return {
    run(work) {
      if (running < maxConcurrent) {
        running += 1;
        return { isQueued: false, result: runAndRelease(work) };
      }
      const slot = new Promise<void>((resolve) => waiters.push(resolve));
      return { isQueued: true, result: slot.then(() => runAndRelease(work)) };
    },
  };
};
