import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ATTACK_URLS, REGISTERED_URLS } from './attacks.test-support.ts';
import {
  failureUrlOf,
  allowedFallback,
  allowedRedirect,
  redirectUrlsOf,
  escapeInvisible,
  addParameters,
  type ApplicationUrls,
} from './rules.ts';

const app: ApplicationUrls = REGISTERED_URLS;

describe('an unregistered redirect URL', () => {
  it.each(ATTACK_URLS)('gets no token: %j', (redirect) => {
    expect(allowedRedirect(app, redirect)).toBeUndefined();
    expect(failureUrlOf(app, { redirect, fallback: undefined }, 'access_denied/user_cancelled')).toBeUndefined();
  });

  it('is tested in more than 100 variants', () => {
    expect(new Set(ATTACK_URLS).size).toBe(ATTACK_URLS.length);
    expect(ATTACK_URLS.length).toBeGreaterThan(100);
  });
});

describe('a registered redirect URL', () => {
  it.each([
    ['https://good.example/login/done'],
    ['HTTPS://GOOD.Example/login/done', 'https://good.example/login/done'],
    ['https://good.example:443/login/done', 'https://good.example/login/done'],
    ['goodapp://signed-in'],
    ['com.example.good:/signed-in'],
    ['https://bücher.example/Größe', 'https://xn--bcher-kva.example/Gr%C3%B6%C3%9Fe'],
    ['https://xn--bcher-kva.example/Größe', 'https://xn--bcher-kva.example/Gr%C3%B6%C3%9Fe'],
    ['https://BÜCHER.example/Gr%C3%B6%C3%9Fe', 'https://xn--bcher-kva.example/Gr%C3%B6%C3%9Fe'],
    ['https://other.example:8443/return?from=pda'],
    ['https://encoded.example/a%2Fb'],
    ['http://localhost:3000/back'],
  ])('is used in its canonical form: %j', (redirect, canonical = redirect) => {
    expect(allowedRedirect(app, redirect)).toBe(canonical);
  });

  it('may have additional query parameters if it is the page of the application', () => {
    expect(allowedRedirect(app, 'https://good.example/app?a=1&b=//evil.example')).toBe(
      'https://good.example/app?a=1&b=//evil.example',
    );
    const withQuery: ApplicationUrls = { ...app, kind: { kind: 'App', url: 'https://good.example/app?tenant=1' } };
    expect(allowedRedirect(withQuery, 'https://good.example/app?tenant=1&a=2')).toBe(
      'https://good.example/app?tenant=1&a=2',
    );
    expect(allowedRedirect(withQuery, 'https://good.example/app?tenant=12')).toBeUndefined();
    expect(allowedRedirect(withQuery, 'https://good.example/app?a=2&tenant=1')).toBeUndefined();
    expect(allowedRedirect(withQuery, 'https://good.example/app')).toBeUndefined();
  });

  it('may have any port on a loopback host', () => {
    expect(allowedRedirect(app, 'http://localhost:49152/back')).toBe('http://localhost:49152/back');
    expect(allowedRedirect(app, 'http://localhost/back')).toBe('http://localhost/back');
    expect(allowedRedirect(app, 'http://[::1]:1/back')).toBe('http://[::1]:1/back');
  });

  it.each([
    'javascript:alert(1)',
    'https://good.example/#/signed-in',
    'https://user@good.example/',
    'goodapp://user@signed-in',
    'goodapp://:password@signed-in',
    'goodapp://signed-in#here',
    'https://good.example/a/../b',
    'https://good.example./x',
    'file:///etc/passwd',
    '',
  ])('is ignored if no token may be sent to it: %j', (address) => {
    const application: ApplicationUrls = {
      kind: { kind: 'App', url: '' },
      setup: { kind: 'External', validRedirectUris: [address] },
    };
    expect(redirectUrlsOf(application)).toStrictEqual([]);
    expect(allowedRedirect(application, address)).toBeUndefined();
  });

  it('is listed once, in its canonical form', () => {
    expect(redirectUrlsOf({ ...app, setup: { ...app.setup, url: 'https://good.example/app' } })).toStrictEqual([
      'https://good.example/app',
      'https://xn--bcher-kva.example/Gr%C3%B6%C3%9Fe',
      'https://other.example:8443/return?from=pda',
      'http://localhost:3000/back',
      'http://[::1]:3000/back',
      'https://encoded.example/a%2Fb',
      'goodapp://signed-in',
      'com.example.good:/signed-in',
    ]);
  });
});

describe('a random variation of a registered redirect URL', () => {
  const registeredUrls = redirectUrlsOf(app);
  const suspiciousText = fc.constantFrom(
    '@',
    '\\',
    '/',
    '//',
    '..',
    '/../',
    '%2e%2e',
    '%2f',
    '%5c',
    '#',
    '?',
    '&',
    ':',
    ';',
    '.',
    ' ',
    '\t',
    '\n',
    '\0',
    'evil.example',
    '.evil.example',
    'evil.example/',
    'https://',
    'javascript:',
    '\u3002',
    '\u202e',
    '\u200b',
    '%00',
    ':443',
    ':80',
    'user@',
    '[::1]',
    'TOKEN',
    '?token=x',
    '\ud800',
  );
  const change = fc.record({
    relativePosition: fc.double({ min: 0, max: 1, noNaN: true }),
    remove: fc.nat(6),
    insert: fc.oneof(suspiciousText, fc.string({ maxLength: 4, unit: 'binary' }), fc.constant('')),
  });
  const mutatedUrls = fc
    .tuple(fc.constantFrom(...registeredUrls, 'https://bücher.example/Größe'), fc.array(change, { maxLength: 3 }))
    .map(([address, changes]) =>
      changes.reduce((text, { relativePosition, remove, insert }) => {
        const position = Math.round(relativePosition * text.length);
        return text.slice(0, position) + insert + text.slice(position + remove);
      }, address),
    );
  const originAndPathOf = (text: string): string => {
    const url = new URL(text);
    const port = ['localhost', '[::1]'].includes(url.hostname) ? '' : url.port;
    return `${url.protocol}//${url.hostname}:${port}${url.pathname}`;
  };
  const registeredTargets = new Set(registeredUrls.map(originAndPathOf));

  it('is accepted only with the same origin and path', () => {
    let acceptedCount = 0;
    fc.assert(
      fc.property(mutatedUrls, (redirect) => {
        const target = allowedRedirect(app, redirect);
        if (target === undefined) return;
        acceptedCount += 1;
        const url = new URL(addParameters(target, { token: 'abc' }));
        expect(registeredTargets).toContain(originAndPathOf(url.href));
        expect([url.username, url.password, url.hash]).toStrictEqual(['', '', '']);
        expect(url.searchParams.getAll('token')).toStrictEqual(['abc']);
        // A browser parses the URL again, so parsing must not change it any further.
        expect(new URL(target).href).toBe(target);
        expect(allowedRedirect(app, target)).toBe(target);
      }),
      { numRuns: 5000 },
    );
    // Guards against a rule that accepts nothing.
    expect(acceptedCount).toBeGreaterThan(200);
  });

  it('is accepted as a fallback only at a registered host', () => {
    const hosts = new Set(registeredUrls.map((text) => new URL(text).host.replace(/:3000$/u, '')));
    fc.assert(
      fc.property(mutatedUrls, (fallback) => {
        const target = allowedFallback(app, fallback);
        if (target === undefined) return;
        expect(hosts).toContain(new URL(target).host.replace(/^(localhost|\[::1\]):\d+$/u, '$1'));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('a fallback', () => {
  const redirect = 'https://good.example/login/done';
  const failureUrl = (fallback: string | undefined, requestedRedirect: string | undefined = redirect) =>
    failureUrlOf(app, { redirect: requestedRedirect, fallback }, 'access_denied/user_cancelled');
  const error = 'error=access_denied&error_reason=user_cancelled';

  it('may have any path at an origin of the application', () => {
    expect(failureUrl('https://good.example/failed?a=1')).toBe(`https://good.example/failed?a=1&${error}`);
    expect(failureUrl('http://localhost:1234/failed')).toBe(`http://localhost:1234/failed?${error}`);
    expect(failureUrl('goodapp://signed-in')).toBe(`goodapp://signed-in?${error}`);
  });

  it.each([
    'https://evil.example/',
    'https://good.example@evil.example/',
    'http://good.example/failed',
    'https://good.example:444/failed',
    'https://good.example/failed#x',
    'goodapp://elsewhere',
    'javascript:alert(1)',
    '//evil.example',
    'not an address',
    '',
  ])('is replaced by the redirect URL if it is not allowed: %j', (fallback) => {
    expect(failureUrl(fallback)).toBe(`https://good.example/login/done?${error}`);
  });

  it('is used if there is no redirect URL; if neither is registered, there is no failure URL', () => {
    expect(
      failureUrlOf(app, { redirect: undefined, fallback: 'https://good.example/f' }, 'access_denied/user_cancelled'),
    ).toBe(`https://good.example/f?${error}`);
    expect(failureUrl('https://evil.example/', 'https://evil.example/')).toBeUndefined();
    expect(failureUrl(undefined)).toBe(`https://good.example/login/done?${error}`);
  });
});

describe('parameters', () => {
  it('are appended and replace parameters of the same name', () => {
    const add = (text: string) => addParameters(text, { token: 't.t' });
    expect(add('https://a.example/')).toBe('https://a.example/?token=t.t');
    expect(add('https://a.example/?')).toBe('https://a.example/?token=t.t');
    expect(add('https://a.example/?a=1')).toBe('https://a.example/?a=1&token=t.t');
    expect(add('app://x')).toBe('app://x?token=t.t');
    expect(add('https://a.example/?token=evil')).toBe('https://a.example/?token=t.t');
    expect(add('https://a.example/?Token=evil&a=%20+&%74oken=evil&token')).toBe('https://a.example/?a=%20+&token=t.t');
    expect(add('https://a.example/?constructor=1&tokens=2')).toBe(
      'https://a.example/?constructor=1&tokens=2&token=t.t',
    );
  });

  it('are encoded', () => {
    expect(addParameters('https://a.example/', { error: 'a&b=c d', error_reason: 'é#' })).toBe(
      'https://a.example/?error=a%26b%3Dc%20d&error_reason=%C3%A9%23',
    );
  });
});

it('escapes invisible characters in untrusted text', () => {
  expect(escapeInvisible('https://a.example/\u202egnp\u200b\n')).toBe('https://a.example/\\u{202e}gnp\\u{200b}\\u{a}');
  expect(escapeInvisible('https://bücher.example/')).toBe('https://bücher.example/');
});
