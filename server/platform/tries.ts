import { addressGroup, wideAddressGroup } from './address-group.ts';
import type { Clock } from './clock.ts';
import { createFairShare } from './fair-share.ts';
import { Failure } from './failure.ts';
import { createRateLimit } from './rate-limit.ts';
import { MAX_PASSWORD_CHECKS, MAX_PASSWORD_TRIES_WAITING, SIGN_IN_BURST, SIGN_IN_INTERVAL_MS } from '../wire/limits.ts';
import { nameKey } from '../wire/users.ts';

type From = { address: string; local: boolean };

const RETRY_AFTER_SECONDS = 2;

const busy = (): Failure =>
  new Failure('rate_limited', 'Many are signing in at this moment. Try again in a moment.', {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });

/**
 * Checks of passwords take a thread and megabytes each, and who comes from many networks is held up by no count of tries: a few run at one time, some wait, and where more
 * want in, the network with the most makes way. Whoever is at the machine itself never waits for strangers.
 */
const createChecks = () => {
  type Waiting = { go: () => void; refuse: (failure: Failure) => void };
  let running = 0;
  const waiting = new Set<Waiting>();
  const share = createFairShare<Waiting>({
    most: MAX_PASSWORD_TRIES_WAITING,
    drop(guest) {
      waiting.delete(guest);
      guest.refuse(busy());
    },
  });

  const place = async (address: string): Promise<void> => {
    if (running >= MAX_PASSWORD_CHECKS) {
      await new Promise<void>((resolve, reject) => {
        const guest: Waiting = { go: resolve, refuse: reject };
        if (share.enter(wideAddressGroup(address), guest)) waiting.add(guest);
        else reject(busy());
      });
    } else running += 1;
  };
  /** Whoever waits takes the place over. */
  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) running -= 1;
    else {
      waiting.delete(next);
      share.leave(next);
      next.go();
    }
  };

  return async <R>(from: From, work: () => Promise<R>): Promise<R> => {
    if (from.local) return work();
    await place(from.address);
    try {
      return await work();
    } finally {
      leave();
    }
  };
};

/** How often somebody may try a password, or the code of the set-up, and how many are checked at one time. */
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
    /** Checks a password when its turn comes. @throws Failure rate_limited */
    check: createChecks(),
    /** The machine's own caller has a count of its own: strangers cannot use up the owner's tries. */
    takeFor(account: string, from: From): void {
      if (from.local) take('local');
      else {
        take(`address ${addressGroup(from.address)}`);
        // Written in another way it is the same account; also where there is none, or the count would tell which there are.
        take(`account ${nameKey(account)}`);
      }
    },
  };
};
