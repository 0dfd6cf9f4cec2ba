import { isoTime } from '../../../../platform/clock.ts';
import { SERVICE_TOKEN_VALIDITY_MS, TOKEN_RENEWAL_MS, TOKEN_VALIDITY_MS } from '../../../../wire/limits.ts';
import type { Session } from '../../../../wire/owner.ts';
import type { SessionRow } from '../store.ts';

/** The last use of a session is recorded at most this often. */
export const LAST_USE_INTERVAL_MS = 60_000;

/** Returns the time in Unix milliseconds at which a session expires even if it is in use. */
const expiryOf = (row: SessionRow): number =>
  row.created + (row.kind === 'service' ? SERVICE_TOKEN_VALIDITY_MS : TOKEN_RENEWAL_MS);

/**
 * Returns true if a time is so far in the future that the clock must have been wrong. A token that was signed while the
 * clock was years ahead would stay valid for years.
 */
export const isFromWrongClock = (ms: number, now: number): boolean => ms > now + TOKEN_VALIDITY_MS;

/** Returns true if a token of the session may still be valid. The last use is precise to the minute. */
export const isUsable = (row: SessionRow, now: number): boolean =>
  now < expiryOf(row) &&
  now < row.last_seen + TOKEN_VALIDITY_MS + LAST_USE_INTERVAL_MS &&
  !isFromWrongClock(row.created, now);

export const toSession = (row: SessionRow, currentSessionId: string, nameOf: (userId: string) => string): Session => ({
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
  current: row.jti === currentSessionId,
});

/** This PDA starts sessions without an address for its own status checks. */
const isStatusCheck = (row: SessionRow): boolean => row.address === '';

/**
 * Returns the number of sessions and their last use by application id. Omits sessions that this PDA started for its own
 * status checks and that have not been used since.
 * @param rows sorted by last use, newest first
 */
export const countByApplication = (rows: readonly SessionRow[]) => {
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
