import type { Clock } from '../../../platform/clock.ts';
import { wideAddressGroup } from '../../../platform/limits/address-group.ts';
import { setBounded } from '../../../platform/limits/bounded-map.ts';
import { createLoginThrottle, type AttemptOrigin } from '../../../platform/limits/login-throttle.ts';

/** Time for which a wrong password counts against its network. */
const FAILURE_MS = 3_600_000;
const MAX_FAILED_NETWORKS = 10_000;

/**
 * Limits attempts at the passwords of share links. Networks that entered a wrong password share the limit of the link.
 * Every other network has a separate limit, so that attempts of others do not lock it out.
 */
export const createPasswordAttempts = (clock: Clock) => {
  const throttle = createLoginThrottle(clock);
  /** Times of the last wrong passwords, by link and network. */
  const failures = new Map<string, number>();
  const keyOf = (linkId: string, { address }: AttemptOrigin): string => `${linkId} ${wideAddressGroup(address)}`;

  return {
    /** Counts an attempt before the password is checked. @throws Failure rate_limited */
    count(linkId: string, origin: AttemptOrigin): void {
      const failedAt = failures.get(keyOf(linkId, origin));
      const hasFailed = failedAt !== undefined && clock.now() - failedAt < FAILURE_MS;
      throttle.countSignIn(linkId, { ...origin, isKnown: !hasFailed });
    },
    /** Notes the result of an attempt. */
    note(linkId: string, origin: AttemptOrigin, isCorrect: boolean): void {
      const key = keyOf(linkId, origin);
      if (isCorrect) failures.delete(key);
      else setBounded(failures, key, clock.now(), MAX_FAILED_NETWORKS);
    },
  };
};
