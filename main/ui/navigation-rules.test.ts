import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { destinationOf, mayHave, mayLoad } from './navigation-rules.ts';

const OURS = 'http://127.0.0.1:4000';

describe('destinationOf', () => {
  it.each([
    'http://127.0.0.1:4000/',
    'http://127.0.0.1:4000/#/setup?code=x',
    'http://127.0.0.1:4000/api/v2.6/openapi.json',
    'HTTP://127.0.0.1:4000',
  ])('our own pages are shown inside: %s', (url) => {
    expect(destinationOf(url, OURS)).toBe('inside');
  });

  it.each([
    'https://example.org/',
    'https://example.org:8443/a?b#c',
    'https://127.0.0.1:4000/',
    'http://example.org/',
    'mailto:a@example.org',
    'mailto:a@example.org?subject=Hello&body=x',
  ])('goes to the system: %s', (url) => {
    expect(destinationOf(url, OURS)).toBe('system-browser');
  });

  it.each([
    ['another port on this machine', 'http://127.0.0.1:4001/'],
    ['another name of this machine', 'http://localhost:4000/'],
    ['a host that begins like ours', 'http://127.0.0.1:4000.evil.example/'],
    ['our address as a user name', 'http://127.0.0.1:4000@evil.example/'],
    ['a bank as a user name', 'https://bank.example@evil.example/'],
    ['a password', 'https://:secret@evil.example/'],
    ['this machine by a number', 'http://2130706433:631/'],
    ['this machine by its other number', 'http://[::1]/'],
    ['this machine within the new numbers', 'http://[::ffff:127.0.0.1]/'],
    ['any number of this machine', 'http://0:4000/'],
    ['a name that is this machine', 'http://x.localhost/'],
    ['a file', 'file:///etc/passwd'],
    ['a share of files', String.raw`\\evil.example\share`],
    ['a script', 'javascript:alert(1)'],
    ['a made-up page', 'data:text/html,<script>alert(1)</script>'],
    ['a made-up page of ours', 'blob:http://127.0.0.1:4000/0b9e'],
    ['our page as source', 'view-source:http://127.0.0.1:4000/'],
    ['a program', 'ms-msdt:/id PCWDiagnostic'],
    ['a letter with a file', 'mailto:a@example.org?attach=/etc/passwd'],
    ['a letter with a file, written otherwise', 'mailto:a@example.org?subject=x&ATTACHMENT=/etc/passwd'],
    ['our own scheme', 'pda://request/1'],
    ['nothing', ''],
    ['a blank page', 'about:blank'],
    ['a relative path', '/setup'],
    ['an endless address', `https://example.org/${'a'.repeat(2_000)}`],
  ])('leads nowhere: %s', (_what, url) => {
    expect(destinationOf(url, OURS)).toBe('nowhere');
  });

  it('returns no inside destination while the server is not running', () => {
    expect(destinationOf('http://127.0.0.1:4000/', null)).toBe('nowhere');
  });

  it('opens only our own origin inside and only web and mail URLs outside', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), fc.string(), fc.webUrl({ validSchemes: ['http', 'ftp', 'ws'] })), (url) => {
        const destination = destinationOf(url, OURS);
        if (destination === 'inside') expect(new URL(url).origin).toBe(OURS);
        if (destination === 'system-browser') expect(new URL(url).protocol).toMatch(/^https?:$/);
      }),
    );
  });
});

describe('permissions of a page', () => {
  it('is to copy text, for our own pages', () => {
    expect(mayHave('clipboard-sanitized-write', `${OURS}/`, OURS)).toBe(true);
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
  ])('is never %j', (permission) => {
    expect(mayHave(permission, `${OURS}/`, OURS)).toBe(false);
  });

  it('is denied for any other page', () => {
    for (const page of ['https://example.org/', 'http://127.0.0.1:4001/', 'null', '', 'about:blank']) {
      expect(mayHave('clipboard-sanitized-write', page, OURS)).toBe(false);
    }
    expect(mayHave('clipboard-sanitized-write', `${OURS}/`, null)).toBe(false);
  });
});

describe('requests of a page', () => {
  it('allows downloads of our server and of the page itself', () => {
    for (const url of [`${OURS}/assets/a.js`, 'data:image/png;base64,AA', `blob:${OURS}/1`, 'about:blank'])
      expect(mayLoad(url, OURS), url).toBe(true);
  });

  it.each([
    'https://example.org/pixel.png',
    'http://127.0.0.1:4001/',
    'ws://127.0.0.1:4000/',
    'file:///etc/passwd',
    'ftp://x/',
    '',
  ])('denies requests to other servers: %j', (url) => {
    expect(mayLoad(url, OURS)).toBe(false);
  });
});
