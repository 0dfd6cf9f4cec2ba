import type { Clock } from '../platform/clock.ts';
import { createRateLimit } from '../platform/rate-limit.ts';

export type Gate = ReturnType<typeof createGate>;

/** How many of one network may be in at the same time, and how often. */
export const createGate = (options: { atOnce: number; burst: number; intervalMs: number; clock: Clock }) => {
  const rate = createRateLimit(options);
  const inside = new Map<string, number>();

  return {
    /** @returns how to leave again, to be called once; undefined when nobody more of this network is let in */
    enter(network: string): (() => void) | undefined {
      const count = inside.get(network) ?? 0;
      if (count >= options.atOnce || rate.take(network) > 0) return undefined;
      inside.set(network, count + 1);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        const now = (inside.get(network) ?? 1) - 1;
        if (now === 0) inside.delete(network);
        else inside.set(network, now);
      };
    },
  };
};
