import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ATTACKS, REGISTERED } from './attacks.test-support.ts';
import {
  failureAddress,
  mayFallBackTo,
  mayReturnTo,
  returnAddresses,
  escapeInvisible,
  withParameters,
  type Addresses,
} from './rules.ts';

const app: Addresses = REGISTERED;

describe('an unregistered redirect URL', () => {
  it.each(ATTACKS)('gets no token: %j', (redirect) => {
    expect(mayReturnTo(app, redirect)).toBeUndefined();
    expect(failureAddress(app, { redirect, fallback: undefined }, 'access_denied/user_cancelled')).toBeUndefined();
  });

  it('is tested in more than 100 variants', () => {
    expect(new Set(ATTACKS).size).toBe(ATTACKS.length);
    expect(ATTACKS.length).toBeGreaterThan(100);
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
  ])('is used in its canonical form: %j', (redirect, plain = redirect) => {
    expect(mayReturnTo(app, redirect)).toBe(plain);
  });

  it('accepts any query if it is the page of the application', () => {
    expect(mayReturnTo(app, 'https://good.example/app?a=1&b=//evil.example')).toBe(
      'https://good.example/app?a=1&b=//evil.example',
    );
    const withQuery: Addresses = { ...app, kind: { kind: 'App', url: 'https://good.example/app?tenant=1' } };
    expect(mayReturnTo(withQuery, 'https://good.example/app?tenant=1&a=2')).toBe(
      'https://good.example/app?tenant=1&a=2',
    );
    expect(mayReturnTo(withQuery, 'https://good.example/app?tenant=12')).toBeUndefined();
    expect(mayReturnTo(withQuery, 'https://good.example/app?a=2&tenant=1')).toBeUndefined();
    expect(mayReturnTo(withQuery, 'https://good.example/app')).toBeUndefined();
  });

  it('accepts any port on a loopback host', () => {
    expect(mayReturnTo(app, 'http://localhost:49152/back')).toBe('http://localhost:49152/back');
    expect(mayReturnTo(app, 'http://localhost/back')).toBe('http://localhost/back');
    expect(mayReturnTo(app, 'http://[::1]:1/back')).toBe('http://[::1]:1/back');
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
  ])('is ignored if no token can be delivered to it: %j', (address) => {
    const careless: Addresses = {
      kind: { kind: 'App', url: '' },
      setup: { kind: 'External', validRedirectUris: [address] },
    };
    expect(returnAddresses(careless)).toStrictEqual([]);
    expect(mayReturnTo(careless, address)).toBeUndefined();
  });

  it('is listed once', () => {
    expect(returnAddresses({ ...app, setup: { ...app.setup, url: 'https://good.example/app' } })).toStrictEqual([
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
  const registered = returnAddresses(app);
  const strange = fc.constantFrom(
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
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    remove: fc.nat(6),
    insert: fc.oneof(strange, fc.string({ maxLength: 4, unit: 'binary' }), fc.constant('')),
  });
  const mutated = fc
    .tuple(fc.constantFrom(...registered, 'https://bücher.example/Größe'), fc.array(change, { maxLength: 3 }))
    .map(([address, changes]) =>
      changes.reduce((text, { at, remove, insert }) => {
        const place = Math.round(at * text.length);
        return text.slice(0, place) + insert + text.slice(place + remove);
      }, address),
    );
  const placeOf = (text: string): string => {
    const url = new URL(text);
    const port = ['localhost', '[::1]'].includes(url.hostname) ? '' : url.port;
    return `${url.protocol}//${url.hostname}:${port}${url.pathname}`;
  };
  const places = new Set(registered.map(placeOf));

  it('is accepted only with the same origin and path', () => {
    let accepted = 0;
    fc.assert(
      fc.property(mutated, (redirect) => {
        const to = mayReturnTo(app, redirect);
        if (to === undefined) return;
        accepted += 1;
        const url = new URL(withParameters(to, { token: 'abc' }));
        expect(places).toContain(placeOf(url.href));
        expect([url.username, url.password, url.hash]).toStrictEqual(['', '', '']);
        expect(url.searchParams.getAll('token')).toStrictEqual(['abc']);
        // A browser parses the URL again, so parsing must not change it any further.
        expect(new URL(to).href).toBe(to);
        expect(mayReturnTo(app, to)).toBe(to);
      }),
      { numRuns: 5000 },
    );
    // Guards against a rule that accepts nothing.
    expect(accepted).toBeGreaterThan(200);
  });

  it('receives failures only at its own origin', () => {
    const origins = new Set(registered.map((text) => new URL(text).host.replace(/:3000$/u, '')));
    fc.assert(
      fc.property(mutated, (fallback) => {
        const to = mayFallBackTo(app, fallback);
        if (to === undefined) return;
        expect(origins).toContain(new URL(to).host.replace(/^(localhost|\[::1\]):\d+$/u, '$1'));
      }),
      { numRuns: 3000 },
    );
  });
});

describe('a fallback', () => {
  const redirect = 'https://good.example/login/done';
  const address = (fallback: string | undefined, to: string | undefined = redirect) =>
    failureAddress(app, { redirect: to, fallback }, 'access_denied/user_cancelled');
  const error = 'error=access_denied&error_reason=user_cancelled';

  it('accepts any path at an origin of the application', () => {
    expect(address('https://good.example/failed?a=1')).toBe(`https://good.example/failed?a=1&${error}`);
    expect(address('http://localhost:1234/failed')).toBe(`http://localhost:1234/failed?${error}`);
    expect(address('goodapp://signed-in')).toBe(`goodapp://signed-in?${error}`);
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
  ])('is ignored in favor of the redirect if it is elsewhere: %j', (fallback) => {
    expect(address(fallback)).toBe(`https://good.example/login/done?${error}`);
  });

  it('is used if the redirect is missing or unregistered', () => {
    expect(
      failureAddress(app, { redirect: undefined, fallback: 'https://good.example/f' }, 'access_denied/user_cancelled'),
    ).toBe(`https://good.example/f?${error}`);
    expect(address('https://evil.example/', 'https://evil.example/')).toBeUndefined();
    expect(address(undefined)).toBe(`https://good.example/login/done?${error}`);
  });
});

describe('parameters', () => {
  it('are appended and replace those of the same name', () => {
    const add = (text: string) => withParameters(text, { token: 't.t' });
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
    expect(withParameters('https://a.example/', { error: 'a&b=c d', error_reason: 'é#' })).toBe(
      'https://a.example/?error=a%26b%3Dc%20d&error_reason=%C3%A9%23',
    );
  });
});

it('shows user-supplied text without hidden characters', () => {
  expect(escapeInvisible('https://a.example/\u202egnp\u200b\n')).toBe('https://a.example/\\u{202e}gnp\\u{200b}\\u{a}');
  expect(escapeInvisible('https://bücher.example/')).toBe('https://bücher.example/');
});
