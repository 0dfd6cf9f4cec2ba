/**
 * Creates a mutex: runs asynchronous work one at a time, in call order. A failure does not affect the work behind it in
 * the queue.
 */
export const createMutex = () => {
  let last: Promise<unknown> = Promise.resolve();
  return <R>(work: () => Promise<R>): Promise<R> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
};
