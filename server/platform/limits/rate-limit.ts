import type { Clock } from '../clock.ts';

/**
 * "So many at once, then one per interval", per key. The generic cell rate algorithm keeps one number per key: the time at
 * which the bucket would be full again. Counting windows would let twice the number through at a window's edge.
 */
export type RateLimit = {
  /** Takes one; returns 0 when let through, else the milliseconds until the next try has a chance. */
  take(key: string): number;
  /** What `take` would answer, without taking one. */
  wait(key: string): number;
};

/** Keys kept at most. Past that the full ones go first, so that a flood of keys cannot take memory. */
const MAX_KEYS = 10_000;

export const createRateLimit = (options: { burst: number; intervalMs: number; clock: Clock }): RateLimit => {
  const { burst, intervalMs, clock } = options;
  const fullAt = new Map<string, number>();
  let lastNow = clock.now();
  let elapsed = 0;

  /**
   * Milliseconds that have passed since the beginning. A clock that is set back makes it stand still for that moment: whoever had
   * tries left still has them, and nobody gets more.
   */
  const elapsedAt = (now: number): number => {
    elapsed += Math.max(0, now - lastNow);
    lastNow = now;
    return elapsed;
  };

  const evict = (now: number): void => {
    for (const [key, time] of fullAt) {
      // The order is that of the last try, so behind the first that counts there is little to be had for a walk over all.
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
