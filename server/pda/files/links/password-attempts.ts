import type { Clock } from '../../../platform/clock.ts';
import { wideAddressGroup } from '../../../platform/limits/address-group.ts';
import { setBounded } from '../../../platform/limits/bounded-map.ts';
import { createLoginThrottle, type AttemptOrigin } from '../../../platform/limits/login-throttle.ts';
import { createRateLimit } from '../../../platform/limits/rate-limit.ts';
import { Failure } from '../../../platform/failure.ts';
import { MAX_SHARE_LINKS } from '../../../wire/limits.ts';

/** Time for which a wrong password counts against its network. */
const FAILURE_MS = 3_600_000;
/** Burst of attempts that a link admits from networks without a wrong password. One caller can have many networks. */
const FRESH_BURST = 1000;
/** Milliseconds until a link admits one more attempt by a network without a wrong password. */
const FRESH_INTERVAL_MS = 2000;
/** Maximum number of networks that can enter a wrong password for one link within `FAILURE_MS`. */
const MAX_FAILED_NETWORKS = FRESH_BURST + FAILURE_MS / FRESH_INTERVAL_MS;

/** `time`: Unix milliseconds. */
type FailedAttempt = { time: number };

/**
 * Limits password attempts for share links. Networks that entered a wrong password share the limit of the link.
 * Every other network has a separate limit, so that others cannot lock it out. Together, the networks without a wrong
 * password have a high limit per link.
 */
export const createPasswordAttempts = (clock: Clock) => {
  const throttle = createLoginThrottle(clock);
  const freshLimit = createRateLimit({ burst: FRESH_BURST, intervalMs: FRESH_INTERVAL_MS, clock });
  const failures = new Map<string, Map<string, FailedAttempt>>();

  const failuresOf = (linkId: string): Map<string, FailedAttempt> => {
    const failuresOfLink = failures.get(linkId) ?? new Map<string, FailedAttempt>();
    setBounded(failures, linkId, failuresOfLink, MAX_SHARE_LINKS);
    return failuresOfLink;
  };

  /** Counts an attempt. @throws Failure rate_limited */
  const count = (linkId: string, origin: AttemptOrigin, hasFailed: boolean): void => {
    throttle.countSignIn(linkId, { ...origin, isKnown: !hasFailed });
    const wait = hasFailed || origin.local ? 0 : freshLimit.take(linkId);
    if (wait > 0)
      throw new Failure('rate_limited', 'Too many attempts. Try again later.', {
        headers: { 'retry-after': String(Math.ceil(wait / 1000)) },
      });
  };

  return {
    /**
     * Counts an attempt and checks the password. Until the check is complete, the attempt counts as a wrong password,
     * which limits concurrent attempts of a network.
     * @throws Failure rate_limited
     */
    async check(linkId: string, origin: AttemptOrigin, isCorrect: () => Promise<boolean>): Promise<boolean> {
      const failuresOfLink = failuresOf(linkId);
      const network = wideAddressGroup(origin.address);
      const previous = failuresOfLink.get(network);
      count(linkId, origin, previous !== undefined && clock.now() - previous.time < FAILURE_MS);
      const attempt: FailedAttempt = { time: clock.now() };
      const record = (failedAttempt: FailedAttempt): void =>
        setBounded(failuresOfLink, network, failedAttempt, MAX_FAILED_NETWORKS);
      record(attempt);
      try {
        const result = await isCorrect();
        if (result) failuresOfLink.delete(network);
        else record(attempt);
        return result;
      } catch (error) {
        // The password was not checked, so this attempt no longer counts. A later attempt of the network still counts.
        if (failuresOfLink.get(network) === attempt) {
          if (previous === undefined) failuresOfLink.delete(network);
          else record(previous);
        }
        throw error;
      }
    },
  };
};
