import type { Clock } from '../clock.ts';

/**
 * Rate limiter per key: a burst, then one operation per interval. Uses the generic cell rate algorithm, which stores
 * one number per key: the time at which the bucket is full again. Fixed windows would admit twice the number at the
 * edge of a window.
 */
export type RateLimit = {
  /** Counts one operation. Returns 0 if it is allowed, else the milliseconds until the next one can be. */
  take(key: string): number;
  /** Returns what `take` would return, without counting. */
  wait(key: string): number;
};

/**
 * Maximum number of keys. Beyond it the full ones are evicted first, so that a flood of keys cannot exhaust memory.
 */
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
      // Keys are ordered by last use, so behind the first active one a full scan would find little.
      if (time > now && fullAt.size <= MAX_KEYS) return;
      fullAt.delete(key);
    }
  };

  const evaluate = (key: string): { now: number; theoretical: number; wait: number } => {
    const now = elapsedAt(clock.now());
    const theoretical = Math.max(fullAt.get(key) ?? now, now);
    return { now, theoretical, wait: Math.max(0, theoretical - (burst - 1) * intervalMs - now) };
  };

  return {
    wait: (key) => evaluate(key).wait,
    take(key) {
      const { now, theoretical, wait } = evaluate(key);
      if (wait > 0) return wait;
      fullAt.delete(key); // set again at the end of the map: the oldest keys are the first to be forgotten
      fullAt.set(key, theoretical + intervalMs);
      if (fullAt.size > MAX_KEYS) evict(now);
      return 0;
    },
  };
};
