import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { destinationOf, isFrameAllowed, isPermissionAllowed, isRequestAllowed } from './navigation-rules.ts';

const OUR_ORIGIN = 'http://127.0.0.1:4000';

describe('destinationOf', () => {
  it.each([
    'http://127.0.0.1:4000/',
    'http://127.0.0.1:4000/#/setup?code=x',
    'http://127.0.0.1:4000/api/v2.6/openapi.json',
    'HTTP://127.0.0.1:4000',
  ])('opens our own pages inside: %s', (url) => {
    expect(destinationOf(url, OUR_ORIGIN)).toBe('inside');
  });

  it.each([
    'https://example.org/',
    'https://example.org:8443/a?b#c',
    'https://127.0.0.1:4000/',
    'http://example.org/',
    'mailto:a@example.org',
    'mailto:a@example.org?subject=Hello&body=x',
  ])('opens in the system browser or mail program: %s', (url) => {
    expect(destinationOf(url, OUR_ORIGIN)).toBe('system-browser');
  });

  it.each([
    ['another port on this machine', 'http://127.0.0.1:4001/'],
    ['another name for this machine', 'http://localhost:4000/'],
    ['a host that begins like ours', 'http://127.0.0.1:4000.evil.example/'],
    ['our address as a user name', 'http://127.0.0.1:4000@evil.example/'],
    ['a bank as a user name', 'https://bank.example@evil.example/'],
    ['a password', 'https://:secret@evil.example/'],
    ['this machine as a decimal number', 'http://2130706433:631/'],
    ['this machine as an IPv6 address', 'http://[::1]/'],
    ['this machine as an IPv4-mapped IPv6 address', 'http://[::ffff:127.0.0.1]/'],
    ['the unspecified address', 'http://0:4000/'],
    ['a subdomain of localhost', 'http://x.localhost/'],
    ['a file', 'file:///etc/passwd'],
    ['a network share', String.raw`\\evil.example\share`],
    ['a script', 'javascript:alert(1)'],
    ['a data URL', 'data:text/html,<script>alert(1)</script>'],
    ['a blob URL of our origin', 'blob:http://127.0.0.1:4000/0b9e'],
    ['the source view of our page', 'view-source:http://127.0.0.1:4000/'],
    ['a scheme that starts a program', 'ms-msdt:/id PCWDiagnostic'],
    ['a mail with an attachment', 'mailto:a@example.org?attach=/etc/passwd'],
    ['a mail with an attachment under another parameter', 'mailto:a@example.org?subject=x&ATTACHMENT=/etc/passwd'],
    ['our own scheme', 'pda://request/1'],
    ['an empty string', ''],
    ['a blank page', 'about:blank'],
    ['a relative path', '/setup'],
    ['an overlong URL', `https://example.org/${'a'.repeat(2_000)}`],
  ])('blocks %s', (_case, url) => {
    expect(destinationOf(url, OUR_ORIGIN)).toBe('blocked');
  });

  it('opens nothing inside while the server is not running', () => {
    expect(destinationOf('http://127.0.0.1:4000/', null)).toBe('blocked');
  });

  it('opens only our own origin inside and only web and mail URLs outside', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), fc.string(), fc.webUrl({ validSchemes: ['http', 'ftp', 'ws'] })), (url) => {
        const destination = destinationOf(url, OUR_ORIGIN);
        if (destination === 'inside') expect(new URL(url).origin).toBe(OUR_ORIGIN);
        if (destination === 'system-browser') expect(new URL(url).protocol).toMatch(/^(?:https?|mailto):$/);
      }),
    );
  });
});

describe('a frame within a page', () => {
  it.each([`${OUR_ORIGIN}/storage/f`, 'about:srcdoc'])('may show %s', (url) => {
    expect(isFrameAllowed(url, OUR_ORIGIN)).toBe(true);
  });

  it.each(['https://example.org/', 'about:blank', 'about:srcdoc?x', 'data:text/html,x', 'file:///etc/passwd', ''])(
    'may not show %j',
    (url) => {
      expect(isFrameAllowed(url, OUR_ORIGIN)).toBe(false);
    },
  );
});

describe('permissions of a page', () => {
  it('include writing to the clipboard for our own pages', () => {
    expect(isPermissionAllowed('clipboard-sanitized-write', `${OUR_ORIGIN}/`, OUR_ORIGIN)).toBe(true);
  });

  it.each([
    'clipboard-read',
    'media',
    'geolocation',
    'notifications',
    'openExternal',
    'usb',
    'fileSystem',
    'unknown',
    '',
  ])('never include %j', (permission) => {
    expect(isPermissionAllowed(permission, `${OUR_ORIGIN}/`, OUR_ORIGIN)).toBe(false);
  });

  it('are denied for any other page', () => {
    for (const page of ['https://example.org/', 'http://127.0.0.1:4001/', 'null', '', 'about:blank']) {
      expect(isPermissionAllowed('clipboard-sanitized-write', page, OUR_ORIGIN)).toBe(false);
    }
    expect(isPermissionAllowed('clipboard-sanitized-write', `${OUR_ORIGIN}/`, null)).toBe(false);
  });
});

describe('requests of a page', () => {
  it('are allowed to our server and within the page', () => {
    for (const url of [`${OUR_ORIGIN}/assets/a.js`, 'data:image/png;base64,AA', `blob:${OUR_ORIGIN}/1`, 'about:blank'])
      expect(isRequestAllowed(url, OUR_ORIGIN), url).toBe(true);
  });

  it.each([
    'https://example.org/pixel.png',
    'http://127.0.0.1:4001/',
    'ws://127.0.0.1:4000/',
    'file:///etc/passwd',
    'ftp://x/',
    '',
  ])('are blocked for all other URLs: %j', (url) => {
    expect(isRequestAllowed(url, OUR_ORIGIN)).toBe(false);
  });
});
