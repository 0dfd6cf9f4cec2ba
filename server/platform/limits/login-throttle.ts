import { addressGroup, wideAddressGroup } from './address-group.ts';
import type { Clock } from '../clock.ts';
import { createFairAdmission } from './fair-admission.ts';
import { Failure } from '../failure.ts';
import { createNetworkRateLimit } from './network-rate-limit.ts';
import { createRateLimit } from './rate-limit.ts';
import {
  MAX_PASSWORD_CHECKS,
  MAX_WAITING_PASSWORD_CHECKS,
  SIGN_IN_BURST,
  SIGN_IN_INTERVAL_MS,
} from '../../wire/limits.ts';
import { nameKey } from '../../wire/users.ts';

/** `isKnown`: true if the network is trusted, for example because the account has signed in from it before. */
export type AttemptOrigin = { address: string; local: boolean; isKnown?: boolean };

const RETRY_AFTER_SECONDS = 2;

const busyFailure = (): Failure =>
  new Failure('rate_limited', 'The server is busy. Try again shortly.', {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });

type WaitingCheck = { start: () => void; refuse: (failure: Failure) => void };

const createCheckQueue = () => {
  const waitingChecks = new Set<WaitingCheck>();
  const admission = createFairAdmission<WaitingCheck>({
    max: MAX_WAITING_PASSWORD_CHECKS,
    onEvict(check) {
      waitingChecks.delete(check);
      check.refuse(busyFailure());
    },
  });
  return {
    /** Resolves when the check may start. @throws Failure rate_limited */
    wait: (address: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const check: WaitingCheck = { start: resolve, refuse: reject };
        if (admission.admit(wideAddressGroup(address), check)) waitingChecks.add(check);
        else reject(busyFailure());
      }),
    startNext(): boolean {
      const [next] = waitingChecks;
      if (next === undefined) return false;
      waitingChecks.delete(next);
      admission.release(next);
      next.start();
      return true;
    },
  };
};

/**
 * Semaphore of password checks. Each check costs a thread and several megabytes, and limits per network do not stop a
 * caller with many networks, so only a few checks run concurrently. Known networks have a separate queue,
 * whose checks start first and which other networks cannot fill. Local requests never wait.
 */
const createCheckSemaphore = () => {
  let runningChecks = 0;
  const knownNetworks = createCheckQueue();
  const unknownNetworks = createCheckQueue();

  return async <R>(origin: AttemptOrigin, work: () => Promise<R>): Promise<R> => {
    if (origin.local) return work();
    if (runningChecks >= MAX_PASSWORD_CHECKS)
      await (origin.isKnown === true ? knownNetworks : unknownNetworks).wait(origin.address);
    else runningChecks += 1;
    try {
      return await work();
    } finally {
      // The next check takes over the slot.
      if (!knownNetworks.startNext() && !unknownNetworks.startNext()) runningChecks -= 1;
    }
  };
};

export const createLoginThrottle = (clock: Clock) => {
  const options = { burst: SIGN_IN_BURST, intervalMs: SIGN_IN_INTERVAL_MS, clock };
  const limit = createRateLimit(options);
  const networkLimit = createNetworkRateLimit(options);
  /** Counters that callers from other networks can neither use up nor evict with many names. */
  const protectedLimit = createRateLimit(options);

  const take = (key: string, counter: { take(key: string): number } = limit): void => {
    const wait = counter.take(key);
    if (wait === 0) return;
    throw new Failure('rate_limited', 'Too many attempts. Try again later.', {
      headers: { 'retry-after': String(Math.ceil(wait / 1000)) },
    });
  };

  return {
    /** Counts an attempt. @throws Failure rate_limited */
    take: (key: string): void => take(key),
    /** Runs a password check when a slot is free. @throws Failure rate_limited */
    check: createCheckSemaphore(),
    /**
     * Counts a sign-in attempt. Local callers and the known networks of an account have their own counters.
     * @throws Failure rate_limited
     */
    countSignIn(account: string, { address, local, isKnown = false }: AttemptOrigin): void {
      // Spellings of a name share a counter. Unknown names also count: otherwise the limit would reveal which accounts
      // exist.
      const name = nameKey(account);
      if (local) take('local', protectedLimit);
      else if (isKnown) take(`network ${addressGroup(address)} account ${name}`, protectedLimit);
      else {
        take(address, networkLimit);
        take(`account ${name}`);
      }
    },
    /**
     * Counts a password attempt in an owner session. Remote sign-ins do not use up this counter.
     * @throws Failure rate_limited
     */
    countSessionAttempt: ({ local }: AttemptOrigin): void => take(local ? 'local' : 'session', protectedLimit),
  };
};

export type LoginThrottle = ReturnType<typeof createLoginThrottle>;
