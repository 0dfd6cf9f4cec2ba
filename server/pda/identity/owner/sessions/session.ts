import { isoTime } from '../../../../platform/clock.ts';
import { SERVICE_TOKEN_VALIDITY_MS, TOKEN_RENEWAL_MS, TOKEN_VALIDITY_MS } from '../../../../wire/limits.ts';
import type { Session } from '../../../../wire/owner.ts';
import type { SessionRow } from '../store.ts';

/* Rules of sessions: their expiry, the owner's view of them, and their number per application. */

/** Interval at which the last use of a session is recorded. The owner needs no more precision. */
export const LAST_USE_INTERVAL_MS = 60_000;

/** Returns the time in Unix milliseconds at which a session expires, even if it is in use. */
const expiryOf = (row: SessionRow): number =>
  row.created + (row.kind === 'service' ? SERVICE_TOKEN_VALIDITY_MS : TOKEN_RENEWAL_MS);

/**
 * Returns true if a time is so far in the future that the clock must have been wrong. A token that was signed while the
 * clock was years ahead would otherwise be valid for years. Setting the clock back by some hours ends no session.
 */
export const isFromWrongClock = (ms: number, now: number): boolean => ms > now + TOKEN_VALIDITY_MS;

/** Returns true if a token of the session can still be valid. The recorded last use is precise to the minute. */
export const isUsable = (row: SessionRow, now: number): boolean =>
  now < expiryOf(row) &&
  now < row.last_seen + TOKEN_VALIDITY_MS + LAST_USE_INTERVAL_MS &&
  !isFromWrongClock(row.created, now);

/** Returns the owner's view of a session. @param current id of the session that sends the request */
export const toSession = (row: SessionRow, current: string, nameOf: (userId: string) => string): Session => ({
  id: row.jti,
  kind: row.kind,
  application: row.application,
  ...(row.offer === null ? {} : { offer: row.offer }),
  user: row.user_id === null ? null : { userId: row.user_id, name: nameOf(row.user_id) },
  created: isoTime(row.created),
  lastSeen: isoTime(row.last_seen),
  ends: isoTime(expiryOf(row)),
  issuer: row.issuer,
  address: row.address,
  userAgent: row.user_agent,
  current: row.jti === current,
});

/** Returns true for sessions that this PDA started for its own status checks. They have no address. */
const isStatusCheck = (row: SessionRow): boolean => row.address === '';

/**
 * Counts the sessions of each application and returns the time of their last use. A session for a status check counts
 * only once it was used.
 * @param rows sorted by last use, newest first
 */
export const countByApplication = (
  rows: readonly SessionRow[],
): Map<string, { sessions: number; lastSeen: number }> => {
  const counts = new Map<string, { sessions: number; lastSeen: number }>();
  for (const row of rows) {
    if (row.kind !== 'application' || row.application === null) continue;
    if (isStatusCheck(row) && row.last_seen === row.created) continue;
    const entry = counts.get(row.application);
    if (entry === undefined) counts.set(row.application, { sessions: 1, lastSeen: row.last_seen });
    else entry.sessions += 1;
  }
  return counts;
};
