/** Timers of the tunnel. Tests pass ones that run without waiting. */
export type Timers = {
  /** Runs work once after `ms` milliseconds. Returns a function that cancels it. */
  after(ms: number, work: () => void): () => void;
};

export const systemTimers: Timers = {
  after(ms, work) {
    // Unreferenced: does not keep the process alive.
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  },
};
