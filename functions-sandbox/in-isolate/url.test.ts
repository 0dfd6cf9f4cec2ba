import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseUrl } from '../url-parser.cjs';
import { makeUrlClasses } from './url.cjs';

const isolateClasses = makeUrlClasses(parseUrl);
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
  it('parses URLs as the platform does', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (text) => {
        const [ours, native] = [new isolateClasses.URL(text), new URL(text)];
        expect(PARTS.map((property) => Reflect.get(ours, property))).toEqual(PARTS.map((property) => native[property]));
      }),
    );
  });

  it('keeps the URL, its parts and its search parameters in step', () => {
    const url = new isolateClasses.URL('../c?x=1#y', 'https://me@a.example:8080/a/b');
    url.searchParams.append('ü', 'a b');
    Reflect.set(url, 'hostname', 'b.example');
    expect(String(url)).toBe('https://me@b.example:8080/c?x=1&%C3%BC=a+b#y');
    Reflect.set(url, 'search', '?z=2');
    expect([...url.searchParams.keys()]).toEqual(['z']);
    expect(JSON.stringify({ url })).toContain('b.example');
  });

  it('rejects invalid URLs and URLs that are too long', () => {
    expect(() => new isolateClasses.URL('nope')).toThrow(TypeError);
    expect(isolateClasses.URL.canParse('nope')).toBe(false);
    expect(isolateClasses.URL.parse('https://a.example/')?.toString()).toBe('https://a.example/');
    expect(() => new isolateClasses.URL(`https://a.example/${'x'.repeat(200_000)}`)).toThrow(TypeError);
  });
});

describe('URLSearchParams', () => {
  it('parses and serialises as the platform does', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(word, word), { maxLength: 6 }), (pairs) => {
        const [ours, native] = [new isolateClasses.URLSearchParams(pairs), new URLSearchParams(pairs)];
        expect(ours.toString()).toBe(native.toString());
        ours.sort();
        native.sort();
        const copy = new isolateClasses.URLSearchParams(ours.toString());
        expect([...copy.entries()]).toEqual([...native]);
      }),
    );
  });

  it('sets, deletes and finds by name', () => {
    const params = new isolateClasses.URLSearchParams({ a: '1', b: '2' });
    params.append('a', '3');
    params.set('a', '4');
    params.delete('b');
    expect([params.getAll('a'), params.has('b'), params.get('b'), params.size]).toEqual([['4'], false, null, 1]);
  });
});

describe('parseUrl', () => {
  it('returns undefined for an argument that is not text and for a part that cannot be set', () => {
    expect(parseUrl('parse', {}, '', '')).toBeUndefined();
    expect(parseUrl('set', 'https://a.example/', 'origin', 'x')).toBeUndefined();
    expect(parseUrl('set', 'https://a.example/', '__proto__', 'x')).toBeUndefined();
    expect(parseUrl('set', 'https://a.example/', 'toString', 'x')).toBeUndefined();
  });
});
