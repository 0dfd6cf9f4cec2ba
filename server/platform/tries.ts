import { addressGroup } from './address-group.ts';
import type { Clock } from './clock.ts';
import { Failure } from './failure.ts';
import { createRateLimit } from './rate-limit.ts';
import { SIGN_IN_BURST, SIGN_IN_INTERVAL_MS } from '../wire/limits.ts';
import { nameKey } from '../wire/users.ts';

/** How often somebody may try a password, or the code of the set-up. */
export const createTries = (clock: Clock) => {
  const limit = createRateLimit({ burst: SIGN_IN_BURST, intervalMs: SIGN_IN_INTERVAL_MS, clock });

  /** @throws Failure rate_limited */
  const take = (key: string): void => {
    const wait = limit.take(key);
    if (wait === 0) return;
    throw new Failure('rate_limited', 'Too many tries. Wait a moment.', {
      headers: { 'retry-after': String(Math.ceil(wait / 1000)) },
    });
  };

  return {
    take,
    /** The machine's own caller has a count of its own: strangers cannot use up the owner's tries. */
    takeFor(account: string, from: { address: string; local: boolean }): void {
      if (from.local) take('local');
      else {
        take(`address ${addressGroup(from.address)}`);
        // Written in another way it is the same account; also where there is none, or the count would tell which there are.
        take(`account ${nameKey(account)}`);
      }
    },
  };
};
