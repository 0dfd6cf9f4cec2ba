/** Work queue with a concurrency limit. Work starts in the order of arrival. */
export const createQueue = (maxConcurrent: number) => {
  let runningCount = 0;
  const waiters: (() => void)[] = [];

  const runAndRelease = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } finally {
      runningCount -= 1;
      const next = waiters.shift();
      if (next !== undefined) {
        runningCount += 1;
        next();
      }
    }
  };

  return {
    /** Runs the work, or queues it while the limit is reached (`isQueued`). */
    run<T>(work: () => Promise<T>): { isQueued: boolean; result: Promise<T> } {
      if (runningCount < maxConcurrent) {
        runningCount += 1;
        return { isQueued: false, result: runAndRelease(work) };
      }
      const slot = new Promise<void>((resolve) => waiters.push(resolve));
      return { isQueued: true, result: slot.then(() => runAndRelease(work)) };
    },
  };
};
