import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Invitation, InvitationValidity } from '../../../wire/invitations.ts';
import { GUEST_PATH } from '../../../wire/guest-paths.ts';
import { MAX_INVITATION_DAYS } from '../../../wire/limits.ts';
import type { InvitationRow } from './store.ts';

/** Seconds after which a refused attempt or download can be repeated, unless the limit states a different time. */
export const RETRY_AFTER_SECONDS = 2;

/** The token is the only secret of an invitation, so it has 256 random bits. */
export const newInvitationToken = (): string => randomBytes(32).toString('base64url');
/** Returns the hash that is stored, so that a leaked database cannot be used to accept an invitation. */
export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** @param now Unix milliseconds */
export const stateOfInvitation = (
  { expires, revoked, accepted }: Pick<InvitationRow, 'expires' | 'revoked' | 'accepted'>,
  now: number,
): Invitation['state'] => {
  if (accepted !== null) return 'accepted';
  if (revoked !== null) return 'revoked';
  return now >= expires ? 'expired' : 'open';
};

const DAY_MS = 86_400_000;

/**
 * Returns the expiry time of an invitation in Unix milliseconds; undefined unless it is in the future and at most
 * MAX_INVITATION_DAYS away.
 */
export const expiryOfInvitation = ({ days = 0, expires }: InvitationValidity, now: number): number | undefined => {
  const expiry = expires ?? now + days * DAY_MS;
  return expiry > now && expiry <= now + MAX_INVITATION_DAYS * DAY_MS ? expiry : undefined;
};

const isSecure = (base: string): boolean => base.startsWith('https:');

/**
 * Browsers accept the `__Host-` prefix only over https and only from this host, so that another PDA under the same
 * domain cannot replace the cookie.
 */
export const guestCookieName = (base: string): string => (isSecure(base) ? '__Host-pda-guest' : 'pda-guest');

export const guestCookie = (base: string, token: string): string => {
  const scope = isSecure(base) ? 'Path=/; Secure' : `Path=${GUEST_PATH}`;
  return `${guestCookieName(base)}=${token}; ${scope}; HttpOnly; SameSite=Lax`;
};

export const expiredGuestCookie = (base: string): string => `${guestCookie(base, '')}; Max-Age=0`;

export const csrfTokenFor = (secret: Buffer, sessionId: string): string =>
  createHmac('sha256', secret).update(`guest-form\n${sessionId}`).digest('base64url');

export const isCsrfToken = (secret: Buffer, sessionId: string, token: string): boolean => {
  const actual = Buffer.from(token);
  const expected = Buffer.from(csrfTokenFor(secret, sessionId));
  return actual.length === expected.length && timingSafeEqual(actual, expected);
};

/** `list`: the overview of all shared content, with an empty id. */
export type SharedPage = {
  kind: 'list' | 'files' | 'folders' | 'collections' | 'tables' | 'charts';
  id: string;
  query: URLSearchParams;
};

const SHARED_PAGE = new RegExp(
  `^${GUEST_PATH}(?:/(?<kind>files|folders|collections|tables|charts)/(?<id>[^/]+))?$`,
  'u',
);

export const sharedPageOf = (path: string): SharedPage | undefined => {
  const url = URL.parse(path, 'http://pda.example');
  const match = url === null ? null : SHARED_PAGE.exec(url.pathname);
  if (url === null || match === null) return undefined;
  const { kind, id = '' } = match.groups ?? {};
  try {
    return {
      kind: (kind as SharedPage['kind'] | undefined) ?? 'list',
      id: decodeURIComponent(id),
      query: url.searchParams,
    };
  } catch {
    return undefined;
  }
};

type RequestSource = { 'sec-fetch-site'?: string | undefined; origin?: string | undefined };

/**
 * Returns true unless the browser reports that a page of another origin sent the form. Another PDA under the same
 * domain is same-site but cross-origin. A page with the referrer policy `no-referrer` sends the origin `null`.
 */
export const isFromOwnPage = (source: RequestSource, base: string): boolean => {
  const site = source['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return source.origin === undefined || source.origin === 'null' || source.origin === base;
};
