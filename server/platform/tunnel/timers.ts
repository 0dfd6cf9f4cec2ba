/** Timers of the tunnel. Tests pass timers that run without waiting. */
export type Timers = {
  schedule(ms: number, work: () => void): () => void;
};

/** Timers that do not keep the process alive. */
export const systemTimers: Timers = {
  schedule(ms, work) {
    const timer = setTimeout(work, ms).unref();
    return () => clearTimeout(timer);
  },
};
