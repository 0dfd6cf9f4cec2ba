/** Waiting, as the tunnel does it: a test lets an hour pass in no time. */
export type Timers = {
  /** Does it once, after so many milliseconds. Returns how to leave it. */
  after(ms: number, work: () => void): () => void;
};

export const systemTimers: Timers = {
  after(ms, work) {
    // A process that has nothing else to do is not kept for it.
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  },
};
