import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { GUEST_PATH, type Invitation, type InvitationValidity } from '../../../wire/invitations.ts';
import { MAX_INVITATION_DAYS } from '../../../wire/limits.ts';
import type { InvitationRow } from './store.ts';

/** Rules of invitations and of the pages of guests, as pure functions. */

/** The token is the only secret of an invitation, so it has 256 random bits. */
export const newInvitationToken = (): string => randomBytes(32).toString('base64url');
/** Returns the hash that is stored instead of a token, so that a copy of the database opens no invitation. */
export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('base64url');

export const stateOfInvitation = (
  { expires, revoked, accepted }: Pick<InvitationRow, 'expires' | 'revoked' | 'accepted'>,
  now: number,
): Invitation['state'] => {
  if (accepted !== null) return 'accepted';
  if (revoked !== null) return 'revoked';
  return now >= expires ? 'expired' : 'open';
};

const DAY_MS = 86_400_000;

/** Returns the end of a validity in Unix milliseconds; undefined if it is in the past or too late. */
export const expiryOfInvitation = ({ days = 0, expires }: InvitationValidity, now: number): number | undefined => {
  const expiry = expires ?? now + days * DAY_MS;
  return expiry > now && expiry <= now + MAX_INVITATION_DAYS * DAY_MS ? expiry : undefined;
};

const isSecure = (base: string): boolean => base.startsWith('https:');

/**
 * Returns the name of the cookie with a guest's token. Browsers accept the prefix only over https and only from this
 * host, so that another PDA below the same domain cannot replace the cookie.
 * @param base scheme and host of this PDA
 */
export const guestCookieName = (base: string): string => (isSecure(base) ? '__Host-pda-guest' : 'pda-guest');

const cookieWith = (base: string, value: string): string => {
  const scope = isSecure(base) ? 'Path=/; Secure' : `Path=${GUEST_PATH}`;
  return `${guestCookieName(base)}=${value}; ${scope}; HttpOnly; SameSite=Lax`;
};

/** Returns the Set-Cookie header that signs a guest in until the browser is closed. */
export const guestCookie = (base: string, token: string): string => cookieWith(base, token);
/** Returns the Set-Cookie header that removes the cookie. */
export const expiredGuestCookie = (base: string): string => `${cookieWith(base, '')}; Max-Age=0`;

/** Returns the token of the forms of a session. Pages of other sites cannot read it. */
export const formTokenOf = (secret: Buffer, sessionId: string): string =>
  createHmac('sha256', secret).update(`guest-form\n${sessionId}`).digest('base64url');

export const isFormToken = (secret: Buffer, sessionId: string, token: string): boolean => {
  const actual = Buffer.from(token);
  const expected = Buffer.from(formTokenOf(secret, sessionId));
  return actual.length === expected.length && timingSafeEqual(actual, expected);
};

/** A page of a guest that shows what is shared. `list`: the page of everything; its id is empty. */
export type SharedPage = {
  kind: 'list' | 'files' | 'folders' | 'collections' | 'tables' | 'charts';
  id: string;
  query: URLSearchParams;
};

const SHARED_PAGE = new RegExp(
  `^${GUEST_PATH}(?:/(?<kind>files|folders|collections|tables|charts)/(?<id>[^/]+))?$`,
  'u',
);

/** Returns the page at a path with a query; undefined if it is another one, or no page. */
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

/** Headers by which a browser says which page sends a request. */
export type RequestSource = { 'sec-fetch-site'?: string | undefined; origin?: string | undefined };

/**
 * Returns true unless the browser says that a page of another origin sent the form. Another PDA below the same domain
 * is the same site, but another origin. Pages without referrer send the origin `null`.
 * @param base scheme and host of this PDA
 */
export const isFromOwnPage = (source: RequestSource, base: string): boolean => {
  const site = source['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  return source.origin === undefined || source.origin === 'null' || source.origin === base;
};
