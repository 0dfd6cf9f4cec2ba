import type { CertificateState } from '../../../../wire/exposure.ts';

/** Schedule of certificate requests, and the state of a certificate for the owner. All times are Unix milliseconds. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Orders per hour. Large authorities refuse for hours after slightly more (Let's Encrypt: five failed validations). */
export const ATTEMPTS_PER_HOUR_MAX = 4;
/**
 * Back-off after the authority refused. Renewal starts when a third of the validity period is left, so there is time.
 */
export const AUTHORITY_BACKOFF = { firstMs: 2 * MINUTE_MS, longestMs: 6 * HOUR_MS };
/** Back-off after the authority could not be reached. */
export const NETWORK_BACKOFF = { firstMs: 10_000, longestMs: 15 * MINUTE_MS };
/** Minimum pause between two attempts after a wake-up. */
export const ATTEMPT_PAUSE_MIN_MS = 10_000;
/** Pause after the authority issued an unusable certificate. The next certificate is likely to be unusable as well. */
export const UNUSABLE_PAUSE_MS = DAY_MS;
/** Minimum pause after the authority reported a rate limit. */
export const RATE_LIMIT_PAUSE_MS = HOUR_MS;
/** Stored pauses that are longer result from a wrong clock and are ignored. */
const PAUSE_MAX_MS = 8 * DAY_MS;
/** Earliest renewal as a fraction of the validity period, and the divisor of the jitter that is added to it. */
const RENEWAL_MIN_FRACTION = 0.6333;
const RENEWAL_JITTER_DIVISOR = 15;

/** Facts about the certificate that is presented. */
export type CertificateFacts = {
  from: number;
  until: number;
  /** Random number from 0 to 1 that determines the point of its renewal. Constant per certificate. */
  jitter: number;
  /** Reason why clients would not trust the issuing authority, as text for the owner. */
  untrusted: string | undefined;
  /** Renewal that the authority suggests. */
  suggested?: { replaceFrom: number; isOverdue: boolean } | undefined;
};

/** Stored state of attempts. */
export type AttemptHistory = {
  /** Times of the last orders that were placed or resumed. */
  times: readonly number[];
  /** Failures since the last success. */
  failures: number;
  /** Earliest time of the next attempt because of the authority. */
  hold: number | null;
};

/** History before the first attempt. */
export const NO_ATTEMPTS: AttemptHistory = { times: [], failures: 0, hold: null };

/**
 * Returns the time of renewal: two thirds of the validity period, with a jitter of a thirtieth, so that certificates
 * that were issued together are not renewed together. Earlier if the authority suggests it (the certificate was or will
 * be revoked), never later.
 */
export const renewalTimeOf = ({ from, until, jitter, suggested }: CertificateFacts): number =>
  Math.min(
    from + (until - from) * (RENEWAL_MIN_FRACTION + jitter / RENEWAL_JITTER_DIVISOR),
    suggested?.replaceFrom ?? Infinity,
  );

/** Returns whether a certificate is valid at a time. */
export const validityOf = ({ from, until }: CertificateFacts, now: number): 'good' | 'notYet' | 'expired' =>
  now < from ? 'notYet' : now >= until ? 'expired' : 'good';

/** Returns the time from which a new certificate is needed; undefined if a new one would not help. */
const neededFrom = (facts: CertificateFacts | undefined, now: number): number | undefined => {
  if (facts === undefined) return now;
  const validity = validityOf(facts, now);
  // The clock of this computer is behind, so a new certificate would not be valid yet, either.
  if (validity === 'notYet') return undefined;
  return validity === 'expired' || facts.untrusted !== undefined ? now : renewalTimeOf(facts);
};

/**
 * Returns the time of the next attempt; undefined if none is needed.
 * @param retryAt earliest time after a failure that was not caused by the authority
 */
export const nextAttemptAt = (
  facts: CertificateFacts | undefined,
  attempts: AttemptHistory,
  retryAt: number | undefined,
  now: number,
) => {
  const neededAt = neededFrom(facts, now);
  if (neededAt === undefined) return undefined;
  const recentTimes = attempts.times.filter((time) => time > now - HOUR_MS && time <= now);
  const limitingTime = recentTimes.length < ATTEMPTS_PER_HOUR_MAX ? undefined : recentTimes.at(-ATTEMPTS_PER_HOUR_MAX);
  const bounds = [
    neededAt,
    attempts.hold === null || attempts.hold > now + PAUSE_MAX_MS ? 0 : attempts.hold,
    retryAt === undefined || retryAt > now + PAUSE_MAX_MS ? 0 : retryAt,
    limitingTime === undefined ? 0 : limitingTime + HOUR_MS,
  ];
  return Math.max(...bounds);
};

/** Returns the state of the certificate for the owner. */
export const certificateStateOf = (
  facts: CertificateFacts | undefined,
  { now, isRequesting, hasFailed }: { now: number; isRequesting: boolean; hasFailed: boolean },
): CertificateState => {
  if (facts === undefined) return isRequesting ? 'asking' : hasFailed ? 'failed' : 'none';
  const validity = validityOf(facts, now);
  if (validity !== 'good') return validity;
  if (facts.untrusted !== undefined) return 'untrusted';
  return isRequesting ? 'renewing' : 'good';
};

const OVERDUE_PROBLEM =
  'The certificate authority requests an immediate replacement: the certificate was revoked, or will be.';

const formatTime = (ms: number): string => new Date(ms).toUTCString();

/** Describes the problem of a certificate for the owner; undefined if it has none. */
export const certificateProblemOf = (facts: CertificateFacts | undefined, now: number): string | undefined => {
  if (facts === undefined) return undefined;
  const validity = validityOf(facts, now);
  if (validity === 'expired') return `The certificate was valid until ${formatTime(facts.until)}.`;
  if (validity === 'notYet')
    return (
      `The certificate is valid from ${formatTime(facts.from)}, ` +
      `but this computer's clock says ${formatTime(now)}. Check the clock.`
    );
  if (facts.untrusted !== undefined) return facts.untrusted;
  return facts.suggested?.isOverdue === true ? OVERDUE_PROBLEM : undefined;
};
