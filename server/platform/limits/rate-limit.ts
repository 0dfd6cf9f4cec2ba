import type { Clock } from '../clock.ts';

/**
 * Rate limiter per key: a burst, then one operation per interval. Uses the generic cell rate algorithm, which stores
 * one number per key: the time at which the bucket is full again. Fixed windows would admit twice the number at the
 * edge of a window.
 */
export type RateLimit = {
  /** Counts an operation and returns 0 if it is allowed. Otherwise only returns the milliseconds to wait. */
  take(key: string): number;
  /** Returns what `take` would return, without counting an operation. */
  peek(key: string): number;
};

/** Beyond this number, the least recently used keys are evicted, so that a flood of keys cannot exhaust memory. */
const MAX_KEYS = 10_000;

export const createRateLimit = (options: { burst: number; intervalMs: number; clock: Clock }): RateLimit => {
  const { burst, intervalMs, clock } = options;
  const fullAt = new Map<string, number>();
  let lastNow = clock.now();
  let elapsed = 0;

  /**
   * Returns the elapsed milliseconds. They do not decrease when the clock is set back: remaining operations are kept,
   * and none are gained.
   */
  const elapsedAt = (now: number): number => {
    elapsed += Math.max(0, now - lastNow);
    lastNow = now;
    return elapsed;
  };

  const evict = (now: number): void => {
    for (const [key, time] of fullAt) {
      // Keys are ordered by last use: after the first key that must be kept, few keys could be evicted.
      if (time > now && fullAt.size <= MAX_KEYS) return;
      fullAt.delete(key);
    }
  };

  const evaluate = (key: string): { now: number; theoreticalArrival: number; wait: number } => {
    const now = elapsedAt(clock.now());
    const theoreticalArrival = Math.max(fullAt.get(key) ?? now, now);
    return { now, theoreticalArrival, wait: Math.max(0, theoreticalArrival - (burst - 1) * intervalMs - now) };
  };

  return {
    peek: (key) => evaluate(key).wait,
    take(key) {
      const { now, theoreticalArrival, wait } = evaluate(key);
      if (wait > 0) return wait;
      // Moves the key to the end of the map, so that the least recently used keys are evicted first.
      fullAt.delete(key);
      fullAt.set(key, theoreticalArrival + intervalMs);
      if (fullAt.size > MAX_KEYS) evict(now);
      return 0;
    },
  };
};
