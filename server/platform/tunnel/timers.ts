/** Timers of the tunnel. Tests pass timers that run without waiting. */
export type Timers = {
  /** Runs work once after `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, work: () => void): () => void;
};

/** Timers that do not keep the process alive. */
export const systemTimers: Timers = {
  after(ms, work) {
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  },
};
