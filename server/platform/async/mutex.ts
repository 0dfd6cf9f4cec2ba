/** Work that is done one after the other, in the order in which it was asked for. What goes wrong with one keeps none behind it from its turn. */
export const createTurns = () => {
  let last: Promise<unknown> = Promise.resolve();
  return <R>(work: () => Promise<R>): Promise<R> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
};
