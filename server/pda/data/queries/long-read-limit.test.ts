import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApplication, setUpApplication } from '../../../../tests/support/applications.ts';
import { openRequest, type Reply } from '../../../../tests/support/http.ts';
import { errorOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { declaredErrors } from '../../../platform/http/response/response-validation.ts';
import { newestOf, rowsOf } from '../../sharing/access-log/recording/access-recorder.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

// Tests the long-read limit with one application.

const RECORD_COUNT = 3000;
/** Large enough that an unread response does not complete. */
const PADDING = 'x'.repeat(6000);
const RECORDS_PATH = '/api/v2.6/data/many/things?take=100000';
const BUNDLE_PATH = '/api/v2.6/data-bundle/two';
const ENTRIES = [{ endpoint: 'many/things' }];

let pda: TestPda;
let token: string;
let otherToken: string;
beforeAll(async () => {
  const applications = ['notes', 'other'].map((id) => anApplication({ id, roles: [{ role: 'owner' }] }));
  // In strict mode the whole response would be buffered before it is sent.
  pda = await startTestPda({ strict: false, config: { applications } });
  [token, otherToken] = [await setUpApplication(pda, 'notes'), await setUpApplication(pda, 'other')];
  for (let start = 0; start < RECORD_COUNT; start += 1000) {
    const json = Array.from({ length: 1000 }, (_, index) => ({ n: start + index, padding: PADDING }));
    await pda.call('POST', '/api/v2.6/data/many/things', { json });
  }
  await pda.call('PUT', '/api/v2.6/combinator/all', { json: ENTRIES });
  const bundle = { one: { endpoints: ENTRIES, limit: 3 }, all: { endpoints: ENTRIES } };
  expect((await pda.call('HEAD', BUNDLE_PATH)).status).toBe(404);
  expect((await pda.call('POST', BUNDLE_PATH, { json: bundle })).status).toBe(200);
});
afterAll(() => pda.close());

const request = (path: string, authToken = token): Promise<IncomingMessage> =>
  openRequest(`http://${pda.host}${path}`, { headers: { 'x-auth-token': authToken } });

const LONG_READS = [
  ['records in order', RECORDS_PATH],
  ['records by a path in the data', `${RECORDS_PATH}&orderBy=n`],
  ['a combinator', '/api/v2.6/combinator/all?take=100000'],
  ['a bundle', BUNDLE_PATH],
] as const;

const TESTED_READS = IS_THOROUGH_RUN ? LONG_READS : LONG_READS.slice(0, 1);

const routeOf = (path: string): string =>
  path.startsWith('/api/v2.6/data/') ? '/api/v2.6/data/:namespace/*endpoint' : path.replace(/\/[^/]*$/u, '/*name');

/** Waits until the server has noticed the aborted connections and allows another read. */
const untilAllowed = (path: string): Promise<void> =>
  expect
    .poll(async () => {
      const response = await request(path);
      response.destroy();
      return response.statusCode;
    })
    .toBe(200)
    .then(() => undefined);

describe('long reads of one application', () => {
  it.each(TESTED_READS)('are limited to two; a third read (%s) gets 429 with Retry-After', async (_, path) => {
    await untilAllowed(RECORDS_PATH);
    const openReads = [await request(RECORDS_PATH), await request(`${RECORDS_PATH}&ordering=descending`)];
    try {
      expect(openReads.map(({ statusCode }) => statusCode)).toStrictEqual([200, 200]);
      const reply: Reply = await pda.call('GET', path, { token });
      expect([reply.status, errorOf(reply).error, reply.headers['retry-after']]).toStrictEqual([
        429,
        'rate_limited',
        '1',
      ]);
      const rows = await rowsOf(pda, 'application=notes&outcome=refused&take=99');
      expect(rows.filter(({ action }) => action === `GET ${routeOf(path)}`)).toMatchObject([
        { reason: 'rate_limited', status: 429 },
      ]);
      // Short reads and other principals are not limited.
      expect((await pda.call('GET', '/api/v2.6/data/many/things?take=5', { token })).status).toBe(200);
      for (const authToken of [otherToken, pda.token]) {
        const response = await request(path, authToken);
        expect(response.statusCode).toBe(200);
        response.destroy();
      }
    } finally {
      for (const response of openReads) response.destroy();
    }
    await untilAllowed(path);
  });

  it.skipIf(!IS_THOROUGH_RUN)('are no longer counted after they have ended', async () => {
    for (let round = 0; round < 3; round += 1) {
      await untilAllowed(BUNDLE_PATH);
      expect((await pda.call('GET', BUNDLE_PATH, { token })).status).toBe(200);
    }
  });

  it('have routes that declare rate_limited', () => {
    const limitedRoutes = pda.pda.routes.filter((route) => declaredErrors(route).includes('rate_limited'));
    const names = limitedRoutes.map(({ method, path }) => `${method} ${path}`);
    expect(names).toStrictEqual(
      expect.arrayContaining([
        'GET /api/v2.6/data/:namespace/*endpoint',
        'GET /api/v2.6/combinator/*name',
        'GET /api/v2.6/data-bundle/*name',
        'POST /api/v2.6/data-bundle/*name',
        'PUT /api/v2.6/data-bundle/*name',
        'GET /api/v2.6/data-debit/*key/values',
      ]),
    );
  });
});

describe('a HEAD request', () => {
  it.each(LONG_READS)(
    'reads no records (%s): it is not a long read, and its access log entry has no records',
    async (_, path) => {
      await untilAllowed(RECORDS_PATH);
      const openReads = [await request(RECORDS_PATH), await request(RECORDS_PATH)];
      try {
        const head = await pda.call('HEAD', path, { token });
        expect([head.status, head.text]).toStrictEqual([200, '']);
        expect(await newestOf(pda)).toMatchObject({ outcome: 'allowed', records: 0, bytes: 0 });
      } finally {
        for (const response of openReads) response.destroy();
      }
    },
  );
});
