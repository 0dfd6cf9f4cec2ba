import type { CertificateState } from '../../../../wire/exposure.ts';

/** When a certificate is asked for, and what the owner is told of it. All times in Unix milliseconds. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Orders within an hour: half of what the large authorities allow before they refuse for hours (Let's Encrypt: five failed validations). */
export const MAX_TRIES_PER_HOUR = 4;
/** After the authority said no: half an hour is nothing to a certificate that has a third of its life left. */
export const AUTHORITY_BACKOFF = { firstMs: 2 * MINUTE, longestMs: 6 * HOUR };
/** After it could not be asked. */
export const NETWORK_BACKOFF = { firstMs: 10_000, longestMs: 15 * MINUTE };
/** Milliseconds between two tries, whoever wishes for the next. */
export const LEAST_PAUSE_MS = 10_000;
/** After it gave something that nobody trusts, or that is for somebody else: it will do so again. */
export const USELESS_PAUSE_MS = DAY;
/** At least, after it said that it was asked too often. */
export const RATE_LIMIT_PAUSE_MS = HOUR;
/** A pause that seems longer was noted down under a clock that was wrong. */
const LONGEST_PAUSE_MS = 8 * DAY;

/** What is known of the certificate that is presented. */
export type Facts = {
  from: number;
  until: number;
  /** Where in its life it is renewed, from 0 to 1: chance, but the same each time it is looked at. */
  jitter: number;
  /** Why visitors would not trust its authority, in words. */
  untrusted: string | undefined;
  /** From when on its authority wants it replaced, and whether all of the time for that is over. */
  wish?: { replaceFrom: number; isOverdue: boolean } | undefined;
};

/** What is remembered between tries, and beyond the end of the process. */
export type Tries = {
  /** When orders were placed or gone on with, the last ones. */
  times: readonly number[];
  /** How many failed since the last that did not. */
  failures: number;
  /** Not before this, for the authority's sake. */
  hold: number | null;
};

export const NO_TRIES: Tries = { times: [], failures: 0, hold: null };

/**
 * At two thirds of its life, give or take a thirtieth: many that were made together are not renewed together. Where its authority wants it earlier, then: it
 * was revoked, or will be. Never later.
 */
export const renewalOf = ({ from, until, jitter, wish }: Facts): number =>
  Math.min(from + (until - from) * (0.6333 + jitter / 15), wish?.replaceFrom ?? Infinity);

export const timeState = ({ from, until }: Facts, now: number): 'good' | 'notYet' | 'expired' =>
  now < from ? 'notYet' : now >= until ? 'expired' : 'good';

/** From when on a new one is wanted; undefined while only the time has to pass. */
const wantedFrom = (facts: Facts | undefined, now: number): number | undefined => {
  if (facts === undefined) return now;
  const state = timeState(facts, now);
  // Another one would not be good either: the authority's certificates begin at its own time, and it is this machine's that is behind.
  if (state === 'notYet') return undefined;
  return state === 'expired' || facts.untrusted !== undefined ? now : renewalOf(facts);
};

/**
 * When to try next, undefined when no try is called for.
 * @param retry not before this, because the last try came to nothing without the authority.
 */
export const nextTry = (facts: Facts | undefined, tries: Tries, retry: number | undefined, now: number) => {
  const wanted = wantedFrom(facts, now);
  if (wanted === undefined) return undefined;
  const recent = tries.times.filter((time) => time > now - HOUR && time <= now);
  const full = recent.length < MAX_TRIES_PER_HOUR ? undefined : recent.at(-MAX_TRIES_PER_HOUR);
  const bounds = [
    wanted,
    tries.hold === null || tries.hold > now + LONGEST_PAUSE_MS ? 0 : tries.hold,
    retry === undefined || retry > now + LONGEST_PAUSE_MS ? 0 : retry,
    full === undefined ? 0 : full + HOUR,
  ];
  return Math.max(...bounds);
};

export const stateOf = (
  facts: Facts | undefined,
  { now, asking, failed }: { now: number; asking: boolean; failed: boolean },
): CertificateState => {
  if (facts === undefined) return asking ? 'asking' : failed ? 'failed' : 'none';
  const state = timeState(facts, now);
  if (state !== 'good') return state;
  if (facts.untrusted !== undefined) return 'untrusted';
  return asking ? 'renewing' : 'good';
};

const OVERDUE = 'The certificate authority wants it replaced at once: it was revoked, or will be.';

const day = (ms: number): string => new Date(ms).toUTCString();

/** What stands between a certificate and its visitors, for the owner. */
export const complaintOf = (facts: Facts | undefined, now: number): string | undefined => {
  if (facts === undefined) return undefined;
  const state = timeState(facts, now);
  if (state === 'expired') return `The certificate was good until ${day(facts.until)}.`;
  if (state === 'notYet')
    return `The certificate is good only from ${day(facts.from)} on, and the clock of this machine says ${day(now)}: is it right?`;
  if (facts.untrusted !== undefined) return facts.untrusted;
  return facts.wish?.isOverdue === true ? OVERDUE : undefined;
};
