import { addressGroup, wideAddressGroup } from './address-group.ts';
import type { Clock } from '../clock.ts';
import { createFairAdmission } from './fair-admission.ts';
import { Failure } from '../failure.ts';
import { createRateLimit } from './rate-limit.ts';
import {
  MAX_PASSWORD_CHECKS,
  MAX_WAITING_PASSWORD_CHECKS,
  SIGN_IN_BURST,
  SIGN_IN_INTERVAL_MS,
} from '../../wire/limits.ts';
import { nameKey } from '../../wire/users.ts';

/** Where a try comes from. `isKnown`: the account signed in from this network before. */
type AttemptOrigin = { address: string; local: boolean; isKnown?: boolean };

const RETRY_AFTER_SECONDS = 2;

const busy = (): Failure =>
  new Failure('rate_limited', 'Many are signing in at this moment. Try again in a moment.', {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });

type WaitingCheck = { start: () => void; refuse: (failure: Failure) => void };

/** Checks that wait for a slot, bounded and fair per network. */
const createCheckQueue = () => {
  const waiting = new Set<WaitingCheck>();
  const share = createFairAdmission<WaitingCheck>({
    max: MAX_WAITING_PASSWORD_CHECKS,
    onEvict(check) {
      waiting.delete(check);
      check.refuse(busy());
    },
  });
  return {
    /** Resolves when the check may start. @throws Failure rate_limited */
    wait: (address: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const check: WaitingCheck = { start: resolve, refuse: reject };
        if (share.admit(wideAddressGroup(address), check)) waiting.add(check);
        else reject(busy());
      }),
    /** Starts the check that has waited longest. Returns false when none waits. */
    startNext(): boolean {
      const [next] = waiting;
      if (next === undefined) return false;
      waiting.delete(next);
      share.release(next);
      next.start();
      return true;
    },
  };
};

/**
 * Password checks cost a thread and several megabytes each, and limits per network do not stop a caller with many networks. Only a few run at once; the
 * rest queue. Networks that the account signed in from queue apart and go first: others cannot fill their queue. Local calls never wait.
 */
const createChecks = () => {
  let running = 0;
  const known = createCheckQueue();
  const unknown = createCheckQueue();

  return async <R>(origin: AttemptOrigin, work: () => Promise<R>): Promise<R> => {
    if (origin.local) return work();
    if (running >= MAX_PASSWORD_CHECKS) await (origin.isKnown === true ? known : unknown).wait(origin.address);
    else running += 1;
    try {
      return await work();
    } finally {
      // The next check takes the slot over.
      if (!known.startNext() && !unknown.startNext()) running -= 1;
    }
  };
};

/** How often somebody may try a password, or the code of the set-up, and how many are checked at one time. */
export const createLoginThrottle = (clock: Clock) => {
  const options = { burst: SIGN_IN_BURST, intervalMs: SIGN_IN_INTERVAL_MS, clock };
  const limit = createRateLimit(options);
  /** Counts that anonymous callers cannot use up, nor evict by many names. */
  const ownLimit = createRateLimit(options);

  /** @throws Failure rate_limited */
  const take = (key: string, counts = limit): void => {
    const wait = counts.take(key);
    if (wait === 0) return;
    throw new Failure('rate_limited', 'Too many tries. Wait a moment.', {
      headers: { 'retry-after': String(Math.ceil(wait / 1000)) },
    });
  };

  return {
    take: (key: string): void => take(key),
    /** Checks a password when its turn comes. @throws Failure rate_limited */
    check: createChecks(),
    /** Takes one try to sign in. Local callers, and each network that the account signed in from, have a count of their own. */
    takeFor(account: string, { address, local, isKnown = false }: AttemptOrigin): void {
      const group = addressGroup(address);
      // Written in another way it is the same account; also where there is none, or the count would tell which there are.
      const name = nameKey(account);
      if (local) take('local', ownLimit);
      else if (isKnown) take(`network ${group} account ${name}`, ownLimit);
      else {
        take(`address ${group}`);
        take(`account ${name}`);
      }
    },
    /** Takes one try of the owner's password in a session of the owner: sign-ins that fail elsewhere do not count. */
    takeForSession: ({ local }: AttemptOrigin): void => take(local ? 'local' : 'session', ownLimit),
  };
};
