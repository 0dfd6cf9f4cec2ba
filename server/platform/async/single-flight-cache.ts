import type { Clock } from '../clock.ts';

const FRESH_MS = 1000;
/** Slow loads are repeated less often, so that loading takes at most a twentieth of the time. */
const PAUSE_PER_READING = 20;

/**
 * Creates a cached value with a time to live of at least one second. Concurrent callers share one load; failures are
 * not cached.
 */
export const createSingleFlightCache = <Value>(clock: Clock, loadValue: () => Promise<Value>) => {
  let loading: Promise<Value> | undefined;
  let freshUntil = 0;
  return {
    get(): Promise<Value> {
      const now = clock.now();
      // The upper bound of a minute keeps a clock that was set back from extending the lifetime.
      if (loading !== undefined && now < freshUntil && freshUntil - now < 60_000) return loading;
      const startedAt = performance.now();
      freshUntil = now + 59_000;
      const load = loadValue();
      loading = load;
      const settle = (fresh: number): void => {
        if (loading === load) freshUntil = fresh;
      };
      load.then(
        () => settle(now + Math.min(59_000, Math.max(FRESH_MS, (performance.now() - startedAt) * PAUSE_PER_READING))),
        () => settle(0),
      );
      return load;
    },
    forget(): void {
      freshUntil = 0;
    },
  };
};
