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
 * Limit of anonymous requests per network. Authenticated requests do not count, because the access of their senders can
 * be revoked.
 */
export type AnonymousLimit = {
  /** Counts a request if it is allowed. @throws Failure rate_limited */
  countRequest(address: string): void;
  /**
   * Admits a request with a large body that identifies its sender. Call the returned function once, when it is known
   * whether the sender is identified.
   * @throws Failure rate_limited
   */
  admitBody(address: string): (isProven: boolean) => void;
};

/** A monotonic clock, which cannot be set back. */
const clock = { now: () => performance.now() };

/** Failures by seconds to wait. Creating an error with its stack is most of the cost of a refusal. */
const refusals = new Map<number, Failure>();
const refusalOf = (waitMs: number): Failure => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const cachedFailure = refusals.get(seconds);
  if (cachedFailure !== undefined) return cachedFailure;
  const failure = new Failure('rate_limited', 'Too many unauthenticated requests from this network. Try again later.', {
    headers: { 'retry-after': String(seconds), connection: 'close' },
  });
  refusals.set(seconds, failure);
  return failure;
};

export const createAnonymousLimit = (): AnonymousLimit => {
  const requests = createNetworkRateLimit({ burst: ANONYMOUS_BURST, intervalMs: ANONYMOUS_INTERVAL_MS, clock });
  const unprovenBodies = createNetworkRateLimit({ burst: UNPROVEN_BURST, intervalMs: UNPROVEN_INTERVAL_MS, clock });
  const bodies = createNetworkConcurrencyLimit({ maxConcurrent: MAX_UNPROVEN_BODIES });
  return {
    countRequest(address) {
      const wait = requests.take(address);
      if (wait > 0) throw refusalOf(wait);
    },
    admitBody(address) {
      const wait = unprovenBodies.peek(address);
      const release = wait > 0 ? undefined : bodies.admit(address);
      if (release === undefined) throw refusalOf(wait);
      return (isProven) => {
        release();
        if (!isProven) unprovenBodies.take(address);
      };
    },
  };
};
