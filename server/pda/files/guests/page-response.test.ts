import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../platform/http/route.ts';
import type { Guest } from './account.ts';
import { createGuestPages } from './page-response.ts';

const GUEST: Guest = {
  userId: 'g',
  name: 'Grace',
  sessionId: '',
  principal: { kind: 'user', userId: 'g', sessionId: '', scopes: new Set() },
  renewToken: () => Promise.resolve(undefined),
};

const pages = createGuestPages({
  accounts: { find: () => Promise.resolve(undefined), hasCookie: () => false },
  secret: () => Buffer.alloc(32),
  baseOf: (host) => `http://${host}`,
  publicHost: () => 'ada.example',
});

it('a refusal with 429 says when to try again, by default after two seconds', () => {
  const headersOf = (status: number, retryAfter?: number) =>
    pages.respond(status, { accept: 'text/html' }, '', { retryAfter }).headers;
  expect([headersOf(429), headersOf(429, 30), headersOf(403)]).toEqual([
    { 'retry-after': '2' },
    { 'retry-after': '30' },
    {},
  ]);
  expect(() => pages.respond(429, {}, '')).toThrow(expect.objectContaining({ headers: { 'retry-after': '2' } }));
});

describe('the address on a guest page', () => {
  const hostFor = (guest: Guest): string => pages.frameOf({ host: 'localhost:6767' } as Caller, {}, guest).host;

  it('is that of the request', () => {
    expect(hostFor(GUEST)).toBe('localhost:6767');
  });

  it('is the public one if the owner previews the page', () => {
    expect(hostFor({ ...GUEST, preview: { contentUrl: () => '' } })).toBe('ada.example');
  });
});
