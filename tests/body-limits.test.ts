import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyMaxBytes, type Route } from '../server/platform/http/route.ts';
import {
  DEFINITION_BODY_MAX_BYTES,
  DELETION_BODY_MAX_BYTES,
  MAX_JSON_BODY_BYTES,
  SMALL_BODY_MAX_BYTES,
} from '../server/wire/limits.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';

/** Routes with a JSON body limit above `DEFINITION_BODY_MAX_BYTES`. */
const LARGE_BODY_LIMITS: Record<string, number> = {
  'POST /api/v2.6/data/:namespace/*endpoint': MAX_JSON_BODY_BYTES,
  'PUT /api/v2.6/data': MAX_JSON_BODY_BYTES,
  'POST /api/v2.6/data-batch': MAX_JSON_BODY_BYTES,
  'POST /api/v2.6/contract-data/create/:namespace/*endpoint': MAX_JSON_BODY_BYTES,
  'PUT /api/v2.6/contract-data/update/:namespace': MAX_JSON_BODY_BYTES,
  'POST /api/v2.6/owner/deletions': DELETION_BODY_MAX_BYTES,
};

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

const jsonRoutes = (): Route[] =>
  pda.pda.routes.filter((route) => route.body !== undefined && route.body.as !== 'bytes');
const nameOf = (route: Route): string => `${route.method} ${route.path}`;
const maxBytesOf = (route: Route): number => (route.body === undefined ? 0 : bodyMaxBytes(route.body));

describe('JSON body limit per route', () => {
  it('is 10 MB where records are stored, 4 MB for deletions and at most 1 MB elsewhere', () => {
    const routes = jsonRoutes().filter((route) => maxBytesOf(route) > DEFINITION_BODY_MAX_BYTES);
    expect(Object.fromEntries(routes.map((route) => [nameOf(route), maxBytesOf(route)]))).toStrictEqual(
      LARGE_BODY_LIMITS,
    );
    const limits = new Set(jsonRoutes().map(maxBytesOf));
    expect(limits).toStrictEqual(
      new Set([SMALL_BODY_MAX_BYTES, DEFINITION_BODY_MAX_BYTES, DELETION_BODY_MAX_BYTES, MAX_JSON_BODY_BYTES]),
    );
  });

  it('is enforced before a body is parsed, unless the path, query or caller is refused first', async () => {
    for (const route of jsonRoutes()) {
      const path = route.path
        .replaceAll(/[:*]([a-zA-Z]*[iI]d)\b/gu, '019bc186-de00-7000-8937-015a1f841fa9')
        .replaceAll(/[:*]\w+/gu, 'name');
      const body = Buffer.alloc(maxBytesOf(route) + 1, 0x20);
      const reply = await pda.call(route.method, path, { body });
      // Parameters in the path and the query are validated before the body.
      if (reply.status === 400)
        expect([nameOf(route), errorOf(reply).cause]).toStrictEqual([
          nameOf(route),
          expect.stringMatching(/^path|^query/u),
        ]);
      else if (route.access.auth !== 'public' && reply.status !== 413)
        expect([nameOf(route), reply.status]).toStrictEqual([nameOf(route), 403]);
      else expect([nameOf(route), reply.status]).toStrictEqual([nameOf(route), 413]);
    }
  });

  it('rejects a file search with 100,000 keys', async () => {
    const body = `{${Array.from({ length: 100_000 }, (_, index) => `"k${index}":1`).join(',')}}`;
    expect((await pda.call('POST', '/api/v2.6/files/search', { body })).status).toBe(413);
  });
});
