import { isoTime } from '../../../../platform/clock.ts';
import { SERVICE_TOKEN_VALIDITY_MS, TOKEN_RENEWAL_MS, TOKEN_VALIDITY_MS } from '../../../../wire/limits.ts';
import type { Session } from '../../../../wire/owner.ts';
import type { SessionRow } from '../store.ts';

/** What a session is to others: whether it can be used, as the owner is shown it, counted by application. */

/** Milliseconds between two notes of a session's use: once a minute is enough to tell the owner. */
export const NOTED_EVERY_MS = 60_000;

/** Unix milliseconds at which a session is over, however much it is used. */
const endOf = (row: SessionRow): number =>
  row.created + (row.kind === 'service' ? SERVICE_TOKEN_VALIDITY_MS : TOKEN_RENEWAL_MS);

/**
 * Returns true if a time is so far in the future that the clock must have been wrong. A token signed while the clock was years
 * ahead would otherwise be valid for years. Setting the clock back by hours ends no session.
 */
export const isOfAnotherClock = (ms: number, now: number): boolean => ms > now + TOKEN_VALIDITY_MS;

/** Whether a token of the session can still be valid. The last use is noted to the minute. */
export const canBeUsed = (row: SessionRow, now: number): boolean =>
  now < endOf(row) && now < row.last_seen + TOKEN_VALIDITY_MS + NOTED_EVERY_MS && !isOfAnotherClock(row.created, now);

/** As the owner is shown it. @param current the session that looks */
export const toSession = (row: SessionRow, current: string, nameOf: (userId: string) => string): Session => ({
  id: row.jti,
  kind: row.kind,
  application: row.application,
  ...(row.offer === null ? {} : { offer: row.offer }),
  user: row.user_id === null ? null : { userId: row.user_id, name: nameOf(row.user_id) },
  created: isoTime(row.created),
  lastSeen: isoTime(row.last_seen),
  ends: isoTime(endOf(row)),
  issuer: row.issuer,
  address: row.address,
  userAgent: row.user_agent,
  current: row.jti === current,
});

/** Sessions that this PDA starts by itself, for a service that it asks how it is, are from no address. */
const isOwnDoing = (row: SessionRow): boolean => row.address === '';

/**
 * How many sessions each application has, and when one of them was used last. One that this PDA started by itself counts from its first use.
 * @param rows last used first
 */
export const byApplication = (rows: readonly SessionRow[]): Map<string, { sessions: number; lastSeen: number }> => {
  const found = new Map<string, { sessions: number; lastSeen: number }>();
  for (const row of rows) {
    if (row.kind !== 'application' || row.application === null) continue;
    if (isOwnDoing(row) && row.last_seen === row.created) continue;
    const known = found.get(row.application);
    if (known === undefined) found.set(row.application, { sessions: 1, lastSeen: row.last_seen });
    else known.sessions += 1;
  }
  return found;
};
