import type { CertificateState } from '../../../../wire/exposure.ts';

// Rules for certificate requests, and the state that the owner sees. All times are Unix milliseconds.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Large authorities have a slightly higher limit (Let's Encrypt: five failed validations per hour). */
export const ATTEMPTS_PER_HOUR_MAX = 4;
/** Pauses after failures at the authority. They can be long: renewal starts with about a third of the validity left. */
export const AUTHORITY_BACKOFF = { firstMs: 2 * MINUTE_MS, longestMs: 6 * HOUR_MS };
export const NETWORK_BACKOFF = { firstMs: 10_000, longestMs: 15 * MINUTE_MS };
export const ATTEMPT_PAUSE_MIN_MS = 10_000;
/** Minimum pause after the authority issued an unusable certificate, because the next one is likely unusable, too. */
export const UNUSABLE_PAUSE_MS = DAY_MS;
export const RATE_LIMIT_PAUSE_MS = HOUR_MS;
/** Longer pauses come from a wrong clock and are ignored. */
const PAUSE_MAX_MS = 8 * DAY_MS;
/** Earliest regular renewal as a fraction of the validity period, and divisor of the added jitter. */
const RENEWAL_MIN_FRACTION = 0.6333;
const RENEWAL_JITTER_DIVISOR = 15;

export type CertificateFacts = {
  from: number;
  until: number;
  /** Number from 0 to 1 that spreads the times of renewal. Derived from the certificate's hash, so it is constant. */
  jitter: number;
  trustProblem: string | undefined;
  suggestedRenewal?: { replaceFrom: number; isOverdue: boolean } | undefined;
};

export type AttemptHistory = {
  times: readonly number[];
  failures: number;
  /** Earliest time of the next attempt after a failure at the authority. */
  hold: number | null;
};

export const NO_ATTEMPTS: AttemptHistory = { times: [], failures: 0, hold: null };

/**
 * Returns the time of renewal. The jitter spreads the renewals of certificates that were issued together. A suggestion
 * of the authority, for example after a revocation, can only make the renewal earlier.
 */
export const renewalTimeOf = ({ from, until, jitter, suggestedRenewal }: CertificateFacts): number =>
  Math.min(
    from + (until - from) * (RENEWAL_MIN_FRACTION + jitter / RENEWAL_JITTER_DIVISOR),
    suggestedRenewal?.replaceFrom ?? Infinity,
  );

export const validityOf = ({ from, until }: CertificateFacts, now: number): 'good' | 'notYet' | 'expired' =>
  now < from ? 'notYet' : now >= until ? 'expired' : 'good';

const neededFrom = (facts: CertificateFacts | undefined, now: number): number | undefined => {
  if (facts === undefined) return now;
  const validity = validityOf(facts, now);
  // This computer's clock is behind, so a new certificate would not be valid yet either.
  if (validity === 'notYet') return undefined;
  return validity === 'expired' || facts.trustProblem !== undefined ? now : renewalTimeOf(facts);
};

/**
 * Returns the time of the next attempt; undefined if a new certificate would not help.
 * @param retryAt earliest time after a failure that the authority did not cause
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
  const limitingTime = recentTimes.at(-ATTEMPTS_PER_HOUR_MAX);
  const bounds = [
    neededAt,
    attempts.hold === null || attempts.hold > now + PAUSE_MAX_MS ? 0 : attempts.hold,
    retryAt === undefined || retryAt > now + PAUSE_MAX_MS ? 0 : retryAt,
    limitingTime === undefined ? 0 : limitingTime + HOUR_MS,
  ];
  return Math.max(...bounds);
};

export const certificateStateOf = (
  facts: CertificateFacts | undefined,
  { now, isRequesting, hasFailed }: { now: number; isRequesting: boolean; hasFailed: boolean },
): CertificateState => {
  if (facts === undefined) return isRequesting ? 'asking' : hasFailed ? 'failed' : 'none';
  const validity = validityOf(facts, now);
  if (validity !== 'good') return validity;
  if (facts.trustProblem !== undefined) return 'untrusted';
  return isRequesting ? 'renewing' : 'good';
};

const OVERDUE_PROBLEM =
  'The certificate authority requests an immediate replacement. It may have revoked the certificate.';

const formatTime = (ms: number): string => new Date(ms).toUTCString();

export const certificateProblemOf = (facts: CertificateFacts | undefined, now: number): string | undefined => {
  if (facts === undefined) return undefined;
  const validity = validityOf(facts, now);
  if (validity === 'expired') return `The certificate was valid until ${formatTime(facts.until)}.`;
  if (validity === 'notYet')
    return (
      `The certificate is valid from ${formatTime(facts.from)}, ` +
      `but this computer's clock says ${formatTime(now)}. Check the clock.`
    );
  if (facts.trustProblem !== undefined) return facts.trustProblem;
  return facts.suggestedRenewal?.isOverdue === true ? OVERDUE_PROBLEM : undefined;
};
