import { addressGroup, wideAddressGroup } from './address-group.ts';
import type { Clock } from '../clock.ts';
import { createRateLimit } from './rate-limit.ts';

/** Factor between the limit of one IPv6 network and that of its /48, in which a customer may have 65,536 networks. */
const WIDE_GROUP_FACTOR = 4;

export type NetworkConcurrencyLimit = ReturnType<typeof createNetworkConcurrencyLimit>;

/** Creates a rate limit per network, and per /48 of IPv6. */
export const createNetworkRateLimit = (options: { burst: number; intervalMs: number; clock: Clock }) => {
  const { burst, intervalMs, clock } = options;
  const each = createRateLimit(options);
  const wide = createRateLimit({ burst: burst * WIDE_GROUP_FACTOR, intervalMs: intervalMs / WIDE_GROUP_FACTOR, clock });
  return {
    /** Counts one operation. @returns milliseconds to wait; 0 if it is allowed */
    take: (address: string): number => wide.take(wideAddressGroup(address)) || each.take(addressGroup(address)),
    /** Returns the milliseconds to wait without counting an operation; 0 if one is allowed. */
    wait: (address: string): number => wide.wait(wideAddressGroup(address)) || each.wait(addressGroup(address)),
  };
};

const createCount = (max: number) => {
  const counts = new Map<string, number>();
  return {
    isFull: (group: string): boolean => (counts.get(group) ?? 0) >= max,
    add(group: string, step: 1 | -1): void {
      const count = (counts.get(group) ?? 0) + step;
      if (count === 0) counts.delete(group);
      else counts.set(group, count);
    },
  };
};

/** Creates a limit of concurrent members per network, and optionally of the rate at which they are admitted. */
export const createNetworkConcurrencyLimit = (options: {
  maxConcurrent: number;
  rate?: { burst: number; intervalMs: number; clock: Clock };
}) => {
  const rate = options.rate === undefined ? undefined : createNetworkRateLimit(options.rate);
  const each = createCount(options.maxConcurrent);
  const wide = createCount(options.maxConcurrent * WIDE_GROUP_FACTOR);

  return {
    /**
     * Admits a member.
     * @returns the function that releases its slot; undefined if the network has reached its limit
     */
    admit(address: string): (() => void) | undefined {
      const [group, wider] = [addressGroup(address), wideAddressGroup(address)];
      if (each.isFull(group) || wide.isFull(wider) || (rate?.take(address) ?? 0) > 0) return undefined;
      each.add(group, 1);
      wide.add(wider, 1);
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        each.add(group, -1);
        wide.add(wider, -1);
      };
    },
  };
};
