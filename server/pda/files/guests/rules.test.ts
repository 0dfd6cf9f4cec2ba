import { describe, expect, it } from 'vitest';
import {
  csrfTokenFor,
  expiredGuestCookie,
  expiryOfInvitation,
  guestCookie,
  hashOfToken,
  isCsrfToken,
  isFromOwnPage,
  newInvitationToken,
  sharedPageOf,
  stateOfInvitation,
} from './rules.ts';

const PUBLIC_BASE = 'https://ada.example.org';
const LOCAL_BASE = 'http://127.0.0.1:4000';

describe('an invitation', () => {
  it('has a token of 256 random bits, whose hash is always the same and does not contain it', () => {
    const token = newInvitationToken();
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(newInvitationToken()).not.toBe(token);
    expect(hashOfToken(token)).not.toContain(token);
    expect(hashOfToken(token)).toBe(hashOfToken(token));
  });

  it('is open until it expires, is revoked or is accepted', () => {
    const openInvitation = { expires: 100, revoked: null, accepted: null };
    expect(stateOfInvitation(openInvitation, 99)).toBe('open');
    expect(stateOfInvitation(openInvitation, 100)).toBe('expired');
    expect(stateOfInvitation({ ...openInvitation, revoked: 5 }, 99)).toBe('revoked');
    expect(stateOfInvitation({ ...openInvitation, revoked: 5 }, 100)).toBe('revoked');
    expect(stateOfInvitation({ ...openInvitation, accepted: 5 }, 100)).toBe('accepted');
  });
});

describe('the validity of an invitation', () => {
  const NOW = 1000;
  const LATEST = NOW + 90 * 86_400_000;

  it.each([
    [{ days: 1 }, NOW + 86_400_000],
    [{ days: 90 }, LATEST],
    [{ expires: NOW + 1 }, NOW + 1],
    [{ expires: LATEST }, LATEST],
    [{ expires: NOW }, undefined],
    [{ expires: -1 }, undefined],
    [{ expires: LATEST + 1 }, undefined],
  ])('%j results in the expiry time %s', (validity, expected) => {
    expect(expiryOfInvitation(validity, NOW)).toBe(expected);
  });
});

describe('the cookie of a guest', () => {
  it('is bound to the host over https, and to the pages of guests otherwise', () => {
    expect(guestCookie(PUBLIC_BASE, 'a.b.c')).toBe('__Host-pda-guest=a.b.c; Path=/; Secure; HttpOnly; SameSite=Lax');
    expect(guestCookie(LOCAL_BASE, 'a.b.c')).toBe('pda-guest=a.b.c; Path=/guest; HttpOnly; SameSite=Lax');
  });

  it('is removed with the attributes with which it was set', () => {
    for (const base of [PUBLIC_BASE, LOCAL_BASE])
      expect(expiredGuestCookie(base)).toBe(`${guestCookie(base, '')}; Max-Age=0`);
  });
});

describe('a form', () => {
  it('has a CSRF token that is valid for its session only', () => {
    const secret = Buffer.alloc(32, 1);
    const token = csrfTokenFor(secret, 'session');
    expect(isCsrfToken(secret, 'session', token)).toBe(true);
    expect(isCsrfToken(secret, 'another', token)).toBe(false);
    expect(isCsrfToken(Buffer.alloc(32, 2), 'session', token)).toBe(false);
    for (const forgedToken of ['', token.slice(1), `${token}=`, token.toUpperCase()])
      expect(isCsrfToken(secret, 'session', forgedToken)).toBe(false);
  });

  it.each([
    [{}, true],
    [{ 'sec-fetch-site': 'same-origin', origin: 'null' }, true],
    [{ 'sec-fetch-site': 'none' }, true],
    [{ origin: PUBLIC_BASE }, true],
    [{ 'sec-fetch-site': 'cross-site', origin: 'null' }, false],
    [{ 'sec-fetch-site': 'same-site', origin: 'https://grace.example.org' }, false],
    [{ origin: 'https://grace.example.org' }, false],
    [{ origin: 'http://ada.example.org' }, false],
    [{ origin: `${PUBLIC_BASE}.evil.example` }, false],
  ])('is refused only if the browser reports that a page of another origin sent it: %j', (source, isAccepted) => {
    expect(isFromOwnPage(source, PUBLIC_BASE)).toBe(isAccepted);
  });
});

describe('a page with shared content', () => {
  it.each([
    ['/guest', 'list', '', ''],
    ['/guest?page=2', 'list', '', 'page=2'],
    ['/guest/files/tr%C3%A4ume.jpg', 'files', 'träume.jpg', ''],
    ['/guest/folders/f?path=a%2Fb&page=3', 'folders', 'f', 'path=a%2Fb&page=3'],
    ['/guest/collections/c', 'collections', 'c', ''],
    ['/guest/tables/t', 'tables', 't', ''],
    ['/guest/charts/c?month=2026-03', 'charts', 'c', 'month=2026-03'],
  ])('is recognised at %s', (path, kind, id, query) => {
    const page = sharedPageOf(path);
    expect([page?.kind, page?.id, page?.query.toString()]).toEqual([kind, id, query]);
  });

  it.each([
    '',
    '/guests',
    '/guest/',
    '/guest/files',
    '/guest/files/a/content',
    '/guest/account',
    '/guest/files/%zz',
    'http://',
  ])('is not recognised at %j', (path) => {
    expect(sharedPageOf(path)).toBeUndefined();
  });
});
