import {
  MAX_UNPROVEN_BODIES,
  ANONYMOUS_BURST,
  ANONYMOUS_INTERVAL_MS,
  UNPROVEN_BURST,
  UNPROVEN_INTERVAL_MS,
} from '../../wire/limits.ts';
import { Failure } from '../failure.ts';
import { createNetworkConcurrencyLimit, createNetworkRateLimit } from './network-rate-limit.ts';

/**
 * What callers may do who have not shown that they have a right to anything: so much from one network in a time, whatever they ask for. Who has a right
 * is not counted; the owner knows them by name, and can end it.
 */
export type AnonymousLimit = {
  /** One request of a network. @throws Failure rate_limited */
  countRequest(address: string): void;
  /**
   * A large body that has to be read to find out who sent it. Returns how to say what came of it, once.
   * @throws Failure rate_limited
   */
  admitBody(address: string): (isProven: boolean) => void;
};

/** Time that nobody sets. */
const clock = { now: () => performance.now() };

/** Refusals by the seconds that they ask to wait: to make one, with where it was made, is most of what it costs to refuse. */
const refusals = new Map<number, Failure>();
const refused = (waitMs: number): Failure => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const known = refusals.get(seconds);
  if (known !== undefined) return known;
  const made = new Failure('rate_limited', 'Too many requests from this network without a valid token. Wait.', {
    headers: { 'retry-after': String(seconds), connection: 'close' },
  });
  refusals.set(seconds, made);
  return made;
};

export const createAnonymousLimit = (): AnonymousLimit => {
  const requests = createNetworkRateLimit({ burst: ANONYMOUS_BURST, intervalMs: ANONYMOUS_INTERVAL_MS, clock });
  const unproven = createNetworkRateLimit({ burst: UNPROVEN_BURST, intervalMs: UNPROVEN_INTERVAL_MS, clock });
  const reading = createNetworkConcurrencyLimit({ maxConcurrent: MAX_UNPROVEN_BODIES });
  return {
    countRequest(address) {
      const wait = requests.take(address);
      if (wait > 0) throw refused(wait);
    },
    admitBody(address) {
      const wait = unproven.wait(address);
      const leave = wait > 0 ? undefined : reading.admit(address);
      if (leave === undefined) throw refused(wait);
      return (isProven) => {
        leave();
        if (!isProven) unproven.take(address);
      };
    },
  };
};
