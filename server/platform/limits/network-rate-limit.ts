import { addressGroup, wideAddressGroup } from './address-group.ts';
import type { Clock } from '../clock.ts';
import { createRateLimit } from './rate-limit.ts';

/** Ratio between the limits of an IPv6 /48 and of one /64 in it. A customer with a /48 has 65,536 networks. */
const WIDE_GROUP_FACTOR = 4;

export type NetworkConcurrencyLimit = ReturnType<typeof createNetworkConcurrencyLimit>;

export const createNetworkRateLimit = (options: { burst: number; intervalMs: number; clock: Clock }) => {
  const { burst, intervalMs, clock } = options;
  const perNetwork = createRateLimit(options);
  const perWideGroup = createRateLimit({
    burst: burst * WIDE_GROUP_FACTOR,
    intervalMs: intervalMs / WIDE_GROUP_FACTOR,
    clock,
  });
  const wideKeyOf = (address: string, subject: string): string => `${wideAddressGroup(address)} ${subject}`;
  const keyOf = (address: string, subject: string): string => `${addressGroup(address)} ${subject}`;
  const peek = (address: string, subject = ''): number =>
    perWideGroup.peek(wideKeyOf(address, subject)) || perNetwork.peek(keyOf(address, subject));
  return {
    /**
     * Counts one operation if it is allowed.
     * @param subject operations on different subjects are counted separately
     * @returns milliseconds to wait; 0 if it is allowed
     */
    take(address: string, subject = ''): number {
      const wait = peek(address, subject);
      if (wait > 0) return wait;
      perWideGroup.take(wideKeyOf(address, subject));
      return perNetwork.take(keyOf(address, subject));
    },
    /** Returns the milliseconds to wait, without counting an operation; 0 if one is allowed. */
    peek,
  };
};

/** Creates a counter per key. `add` does not enforce the maximum: callers check `isFull` first. */
export const createCounter = (max: number) => {
  const counts = new Map<string, number>();
  return {
    isFull: (key: string): boolean => (counts.get(key) ?? 0) >= max,
    add(key: string, step: 1 | -1): void {
      const count = (counts.get(key) ?? 0) + step;
      if (count === 0) counts.delete(key);
      else counts.set(key, count);
    },
  };
};

/** Limits concurrent operations per network and per /48 of IPv6, and optionally the rate at which they begin. */
export const createNetworkConcurrencyLimit = (options: {
  maxConcurrent: number;
  rate?: { burst: number; intervalMs: number; clock: Clock };
}) => {
  const rate = options.rate === undefined ? undefined : createNetworkRateLimit(options.rate);
  const perNetwork = createCounter(options.maxConcurrent);
  const perWideGroup = createCounter(options.maxConcurrent * WIDE_GROUP_FACTOR);

  return {
    admit(address: string): (() => void) | undefined {
      const [group, wideGroup] = [addressGroup(address), wideAddressGroup(address)];
      if (perNetwork.isFull(group) || perWideGroup.isFull(wideGroup) || (rate?.take(address) ?? 0) > 0)
        return undefined;
      perNetwork.add(group, 1);
      perWideGroup.add(wideGroup, 1);
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        perNetwork.add(group, -1);
        perWideGroup.add(wideGroup, -1);
      };
    },
  };
};
