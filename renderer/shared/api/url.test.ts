import { describe, expect, it } from 'vitest';
import { urlOf } from './url.ts';

describe('urlOf', () => {
  it('encodes path parameters, and keeps the slashes of `*` parameters', () => {
    expect(urlOf('/data/:namespace/*endpoint', { params: { namespace: 'a/b', endpoint: 'c d/e?' } })).toBe(
      '/data/a%2Fb/c%20d/e%3F',
    );
  });

  it('includes empty strings and zeros, and omits undefined parameters', () => {
    const query = { endpoint: 'diary/moods', field: '', skip: 0, before: undefined };
    expect(urlOf('/charts/values', { query })).toBe('/charts/values?endpoint=diary%2Fmoods&field=&skip=0');
    expect(urlOf('/charts', { query: { before: undefined } })).toBe('/charts');
  });
});
