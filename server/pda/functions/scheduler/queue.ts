/** A few at a time, the rest in the order in which they came. */
export type Queue = {
  /** Resolves with what the work gives, once it had its turn. `waiting`: it has to wait for one. */
  run<T>(work: () => Promise<T>): { waiting: boolean; result: Promise<T> };
};

export const createQueue = (atOnce: number): Queue => {
  let running = 0;
  const line: (() => void)[] = [];

  const turn = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } finally {
      running -= 1;
      const next = line.shift();
      if (next !== undefined) {
        running += 1;
        next();
      }
    }
  };

  return {
    run(work) {
      if (running < atOnce) {
        running += 1;
        return { waiting: false, result: turn(work) };
      }
      const mine = new Promise<void>((resolve) => line.push(resolve));
      return { waiting: true, result: mine.then(() => turn(work)) };
    },
  };
};
