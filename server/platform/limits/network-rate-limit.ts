import { addressGroup, wideAddressGroup } from './address-group.ts';
import type { Clock } from '../clock.ts';
import { createRateLimit } from './rate-limit.ts';

/** One customer of IPv6 may have 65,536 networks: all of them together may do so many times what one may. */
const WIDE_GROUP_FACTOR = 4;

export type NetworkConcurrencyLimit = ReturnType<typeof createNetworkConcurrencyLimit>;

/** How often a network may do something, and the customer whom it may be one of many of. */
export const createNetworkRateLimit = (options: { burst: number; intervalMs: number; clock: Clock }) => {
  const { burst, intervalMs, clock } = options;
  const each = createRateLimit(options);
  const wide = createRateLimit({ burst: burst * WIDE_GROUP_FACTOR, intervalMs: intervalMs / WIDE_GROUP_FACTOR, clock });
  return {
    /** Takes one. @returns milliseconds to wait; 0: let through */
    take: (address: string): number => wide.take(wideAddressGroup(address)) || each.take(addressGroup(address)),
    /** The same, and takes none. */
    wait: (address: string): number => wide.wait(wideAddressGroup(address)) || each.wait(addressGroup(address)),
  };
};

const createCount = (most: number) => {
  const inside = new Map<string, number>();
  return {
    isFull: (group: string): boolean => (inside.get(group) ?? 0) >= most,
    add(group: string, step: 1 | -1): void {
      const count = (inside.get(group) ?? 0) + step;
      if (count === 0) inside.delete(group);
      else inside.set(group, count);
    },
  };
};

/** How many of one network may be in at the same time, and how often one more, where that is bounded. */
export const createNetworkConcurrencyLimit = (options: {
  maxConcurrent: number;
  rate?: { burst: number; intervalMs: number; clock: Clock };
}) => {
  const rate = options.rate === undefined ? undefined : createNetworkRateLimit(options.rate);
  const each = createCount(options.maxConcurrent);
  const wide = createCount(options.maxConcurrent * WIDE_GROUP_FACTOR);

  return {
    /** @returns how to leave again, to be called once; undefined when nobody more of this network is let in */
    admit(address: string): (() => void) | undefined {
      const [group, wider] = [addressGroup(address), wideAddressGroup(address)];
      if (each.isFull(group) || wide.isFull(wider) || (rate?.take(address) ?? 0) > 0) return undefined;
      each.add(group, 1);
      wide.add(wider, 1);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        each.add(group, -1);
        wide.add(wider, -1);
      };
    },
  };
};
