import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseUrl } from '../addresses.cjs';
import { makeAddress } from './address.cjs';

const own = makeAddress(parseUrl);
const PARTS = [
  'href',
  'origin',
  'protocol',
  'username',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const;
const word = fc.string({ unit: fc.constantFrom(..."ab é+&=%?#/~!'()*-._ü€"), maxLength: 8 });

describe('URL', () => {
  it('parses URLs like the platform', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (text) => {
        const [mine, theirs] = [new own.URL(text), new URL(text)];
        expect(PARTS.map((part) => Reflect.get(mine, part))).toEqual(PARTS.map((part) => theirs[part]));
      }),
    );
  });

  it('updates the URL when parts change and vice versa', () => {
    const url = new own.URL('../c?x=1#y', 'https://me@a.example:8080/a/b');
    url.searchParams.append('ü', 'a b');
    Reflect.set(url, 'hostname', 'b.example');
    expect(String(url)).toBe('https://me@b.example:8080/c?x=1&%C3%BC=a+b#y');
    Reflect.set(url, 'search', '?z=2');
    expect([...url.searchParams.keys()]).toEqual(['z']);
    expect(JSON.stringify({ url })).toContain('b.example');
  });

  it('rejects invalid URLs', () => {
    expect(() => new own.URL('nope')).toThrow(TypeError);
    expect(own.URL.canParse('nope')).toBe(false);
    expect(own.URL.parse('https://a.example/')?.toString()).toBe('https://a.example/');
    expect(() => new own.URL(`https://a.example/${'x'.repeat(200_000)}`)).toThrow(TypeError);
  });
});

describe('URLSearchParams', () => {
  it('parses and serialises like the platform', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(word, word), { maxLength: 6 }), (pairs) => {
        const [mine, theirs] = [new own.URLSearchParams(pairs), new URLSearchParams(pairs)];
        expect(mine.toString()).toBe(theirs.toString());
        mine.sort();
        theirs.sort();
        const again = new own.URLSearchParams(mine.toString());
        expect([...again.entries()]).toEqual([...theirs]);
      }),
    );
  });

  it('sets, deletes and finds by name', () => {
    const params = new own.URLSearchParams({ a: '1', b: '2' });
    params.append('a', '3');
    params.set('a', '4');
    params.delete('b');
    expect([params.getAll('a'), params.has('b'), params.get('b'), params.size]).toEqual([['4'], false, null, 1]);
  });
});

describe('parseUrl', () => {
  it('returns undefined for invalid operations', () => {
    expect(parseUrl('parse', {}, '', '')).toBeUndefined();
    expect(parseUrl('set', 'https://a.example/', 'origin', 'x')).toBeUndefined();
    expect(parseUrl('set', 'https://a.example/', '__proto__', 'x')).toBeUndefined();
    expect(parseUrl('set', 'https://a.example/', 'toString', 'x')).toBeUndefined();
  });
});
