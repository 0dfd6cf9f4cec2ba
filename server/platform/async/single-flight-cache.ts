import type { Clock } from '../clock.ts';

const MIN_FRESH_MS = 1000;
const MAX_FRESH_MS = 59_000;
/** A value that would stay fresh for longer was loaded before the clock was set back, and is loaded again. */
const CLOCK_SET_BACK_MS = 60_000;
/**
 * A value stays fresh for this multiple of its load time. Loads of up to about three seconds therefore take at most 5 %
 * of the time.
 */
const FRESH_PER_LOAD = 20;

/** Caches a value for 1 to 59 seconds. Concurrent callers share one load; failures are not cached. */
export const createSingleFlightCache = <Value>(clock: Clock, loadValue: () => Promise<Value>) => {
  let cachedLoad: Promise<Value> | undefined;
  let freshUntil = 0;
  return {
    get(): Promise<Value> {
      const now = clock.now();
      if (cachedLoad !== undefined && now < freshUntil && freshUntil - now < CLOCK_SET_BACK_MS) return cachedLoad;
      const startedAt = performance.now();
      freshUntil = now + MAX_FRESH_MS;
      const load = loadValue();
      cachedLoad = load;
      const setFreshUntil = (time: number): void => {
        if (cachedLoad === load) freshUntil = time;
      };
      load.then(
        () =>
          setFreshUntil(
            now + Math.min(MAX_FRESH_MS, Math.max(MIN_FRESH_MS, (performance.now() - startedAt) * FRESH_PER_LOAD)),
          ),
        () => setFreshUntil(0),
      );
      return load;
    },
    /** Discards the value. The result of a load in progress is not cached, because it may be outdated. */
    forget(): void {
      cachedLoad = undefined;
    },
  };
};
