/**
 * Creates a mutex: a function that runs work one at a time, in call order. A failure does not affect the work that is
 * queued behind it.
 */
export const createMutex = () => {
  let last: Promise<unknown> = Promise.resolve();
  return <R>(work: () => Promise<R>): Promise<R> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
};

/**
 * Creates a mutex per key. Work that need not wait begins within the call, before anything that the caller starts next.
 */
export const createKeyedMutex = () => {
  const lastByKey = new Map<string, Promise<unknown>>();
  return {
    isInUse: (key: string): boolean => lastByKey.has(key),
    async run<R>(key: string, work: () => Promise<R>): Promise<R> {
      const previousRun = lastByKey.get(key);
      const result = previousRun === undefined ? work() : previousRun.then(work);
      const last = result.catch(() => undefined);
      lastByKey.set(key, last);
      try {
        return await result;
      } finally {
        if (lastByKey.get(key) === last) lastByKey.delete(key);
      }
    },
  };
};
