import { describe, expect, it } from 'vitest';
import { publicAccess } from '../auth/principal.ts';
import { messageResponse, route } from './route.ts';
import { createRouteTable } from './router.ts';
import { cpuMs } from '../../../tests/support/cpu-time.ts';

const declareRoute = (method: string, path: string) =>
  route({
    method,
    path,
    tag: 't',
    summary: path,
    access: publicAccess,
    responses: { 200: { description: 'x' } },
    handler: () => messageResponse(200, path),
  });

const router = createRouteTable(
  [
    declareRoute('GET', '/healthz'),
    declareRoute('GET', '/api/v2.6/data/sources'),
    declareRoute('GET', '/api/v2.6/data/:namespace/*endpoint'),
    declareRoute('POST', '/api/v2.6/data/:namespace/*endpoint'),
    declareRoute('GET', '/api/v2.6/data-bundle/*name'),
    declareRoute('GET', '/api/v2.6/data-bundle/*name/structure'),
    declareRoute('POST', '/api/v2.6/data-bundle/*name'),
    declareRoute('GET', '/api/v2.6/owner'),
    declareRoute('GET', '/api/v2.6/owner/sessions'),
    declareRoute('DELETE', '/api/v2.6/owner/sessions/:sessionId'),
  ],
  () => () => undefined,
);

const findRoute = (method: string, path: string): unknown => {
  const match = router.find(method, path);
  if (match === undefined) return undefined;
  return 'allowedMethods' in match ? match.allowedMethods : [match.route.path, match.params];
};

describe('createRouteTable', () => {
  it('matches one segment for :name and one or more for *name', () => {
    expect(findRoute('GET', '/api/v2.6/data/ns/a')).toStrictEqual([
      '/api/v2.6/data/:namespace/*endpoint',
      { namespace: 'ns', endpoint: 'a' },
    ]);
    expect(findRoute('GET', '/api/v2.6/data/ns/a/b/c')).toStrictEqual([
      '/api/v2.6/data/:namespace/*endpoint',
      { namespace: 'ns', endpoint: 'a/b/c' },
    ]);
    expect(findRoute('GET', '/api/v2.6/data/ns')).toBeUndefined();
    expect(findRoute('DELETE', '/api/v2.6/owner/sessions/a/b')).toBeUndefined();
  });

  it('prefers the route with more literal segments, regardless of the order of declaration', () => {
    expect(findRoute('GET', '/api/v2.6/data-bundle/a/b/structure')).toStrictEqual([
      '/api/v2.6/data-bundle/*name/structure',
      { name: 'a/b' },
    ]);
    expect(findRoute('GET', '/api/v2.6/data-bundle/structure')).toStrictEqual([
      '/api/v2.6/data-bundle/*name',
      { name: 'structure' },
    ]);
    expect(findRoute('GET', '/api/v2.6/data/sources')).toStrictEqual(['/api/v2.6/data/sources', {}]);
    expect(findRoute('GET', '/api/v2.6/data/sources/x')).toMatchObject([
      expect.stringContaining(':namespace'),
      { namespace: 'sources' },
    ]);
  });

  it('returns the other methods of a path, each once', () => {
    expect(findRoute('PATCH', '/api/v2.6/data/ns/a')).toStrictEqual(['GET', 'POST']);
    expect(findRoute('DELETE', '/api/v2.6/data-bundle/a/structure')).toStrictEqual(['GET', 'POST']);
    expect(findRoute('POST', '/healthz')).toStrictEqual(['GET']);
  });

  it('does not match a path with missing, empty, additional or different segments', () => {
    for (const path of [
      '',
      '/',
      'healthz',
      '/healthz/',
      '//healthz',
      '/healthz?',
      '/HEALTHZ',
      '/api/v2.6/owner/',
      '/api/v2.6/owner/sessions/',
      '/api/v2_6/owner',
      '/api/v2.6/data//a',
      '/api/v2.6/data/ns/',
    ]) {
      expect([path, findRoute('GET', path)]).toStrictEqual([path, undefined]);
    }
  });

  it('decodes parameters once, and only parameters', () => {
    expect(findRoute('GET', '/api/v2.6/data/%6es/a%2Fb')).toMatchObject([
      expect.any(String),
      { namespace: 'ns', endpoint: 'a/b' },
    ]);
    expect(findRoute('GET', '/api/v2.6/data/ns/%2561')).toMatchObject([expect.any(String), { endpoint: '%61' }]);
    expect(findRoute('GET', '/api/v2.6/d%61ta/ns/a')).toBeUndefined();
  });

  it('rejects a malformed percent escape', () => {
    for (const path of ['%', '%z', '%e0%a4', '%ff', '%c0%80']) {
      expect(() => router.find('GET', `/api/v2.6/data/ns/${path}`)).toThrow(
        expect.objectContaining({ code: 'invalid_input' }),
      );
    }
  });

  it('treats regular expression characters in a path literally', () => {
    expect(findRoute('GET', '/api/v2x6/owner')).toBeUndefined();
    expect(findRoute('GET', '/api/v2.6/data/ns/(a+)+$')).toMatchObject([expect.any(String), { endpoint: '(a+)+$' }]);
  });

  it('matches a hundred long paths in less than three seconds', () => {
    const startUsage = process.cpuUsage();
    for (let count = 0; count < 100; count += 1)
      findRoute('GET', `/api/v2.6/data-bundle/${'a/structure'.repeat(1000)}`);
    expect(cpuMs(startUsage)).toBeLessThan(3000);
  });
});
