import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApplication, tokenOf } from '../../../../tests/support/applications.ts';
import { begin, type Reply } from '../../../../tests/support/http.ts';
import { errorOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { newestOf, rowsOf } from '../../sharing/access-log/recording/access-recorder.test-support.ts';

/** What one application can cost everybody else by reading. */

const STORED = 3000;
/** Large enough that an unread response does not complete. */
const PADDING = 'x'.repeat(6000);
const MANY = '/api/v2.6/data/many/things?take=100000';
const BUNDLE = '/api/v2.6/data-bundle/two';
const ENTRIES = [{ endpoint: 'many/things' }];

let pda: TestPda;
let token: string;
let other: string;
beforeAll(async () => {
  const applications = ['notes', 'other'].map((id) => anApplication({ id, roles: [{ role: 'owner' }] }));
  // Strict, an answer would be gathered before it leaves.
  pda = await startTestPda({ strict: false, config: { applications } });
  [token, other] = [await tokenOf(pda, 'notes'), await tokenOf(pda, 'other')];
  for (let at = 0; at < STORED; at += 1000) {
    const json = Array.from({ length: 1000 }, (_, index) => ({ n: at + index, PADDING }));
    await pda.call('POST', '/api/v2.6/data/many/things', { json });
  }
  await pda.call('PUT', '/api/v2.6/combinator/all', { json: ENTRIES });
  const two = { one: { endpoints: ENTRIES, limit: 3 }, all: { endpoints: ENTRIES } };
  expect((await pda.call('HEAD', BUNDLE)).status).toBe(404);
  expect((await pda.call('POST', BUNDLE, { json: two })).status).toBe(200);
});
afterAll(() => pda.close());

const ask = (path: string, by = token): Promise<IncomingMessage> =>
  begin(`http://${pda.host}${path}`, { headers: { 'x-auth-token': by } });

const LONG = [
  ['records in order', MANY],
  ['records by a path in the data', `${MANY}&orderBy=n`],
  ['a combinator', '/api/v2.6/combinator/all?take=100000'],
  ['a bundle', BUNDLE],
] as const;

/** The route that a path leads to. */
const routeOf = (path: string): string =>
  path.startsWith('/api/v2.6/data/') ? '/api/v2.6/data/:namespace/*endpoint' : path.replace(/\/[^/]*$/u, '/*name');

/** As soon as what was broken off has been noticed. */
const untilAllowed = (path: string): Promise<void> =>
  expect
    .poll(async () => {
      const answer = await ask(path);
      answer.destroy();
      return answer.statusCode;
    })
    .toBe(200)
    .then(() => undefined);

describe('long reads of one application', () => {
  it.each(LONG)('are two at a time, of %s too; the next is asked to come back', async (_, path) => {
    await untilAllowed(MANY);
    const running = [await ask(MANY), await ask(`${MANY}&ordering=descending`)];
    try {
      expect(running.map(({ statusCode }) => statusCode)).toStrictEqual([200, 200]);
      const refused: Reply = await pda.call('GET', path, { token });
      expect([refused.status, errorOf(refused).error, refused.headers['retry-after']]).toStrictEqual([
        429,
        'rate_limited',
        '1',
      ]);
      const rows = await rowsOf(pda, 'application=notes&outcome=refused&take=99');
      expect(rows.filter(({ action }) => action === `GET ${routeOf(path)}`)).toMatchObject([
        { reason: 'rate_limited', status: 429 },
      ]);
      // Neither what is short, nor anybody else, waits for them.
      expect((await pda.call('GET', '/api/v2.6/data/many/things?take=5', { token })).status).toBe(200);
      for (const by of [other, pda.token]) {
        const answer = await ask(path, by);
        expect(answer.statusCode).toBe(200);
        answer.destroy();
      }
    } finally {
      for (const answer of running) answer.destroy();
    }
    await untilAllowed(path);
  });

  it('count no longer when they are over', async () => {
    for (let time = 0; time < 3; time += 1) {
      await untilAllowed(BUNDLE);
      expect((await pda.call('GET', BUNDLE, { token })).status).toBe(200);
    }
  });

  it('are declared', () => {
    const declared = pda.pda.routes.filter(({ errors = [] }) => (errors as readonly string[]).includes('rate_limited'));
    const names = declared.map(({ method, path }) => `${method} ${path}`);
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

describe('a HEAD', () => {
  it.each(LONG)('of %s reads nothing: it is no long read, and its row names no records', async (_, path) => {
    await untilAllowed(MANY);
    const running = [await ask(MANY), await ask(MANY)];
    try {
      const head = await pda.call('HEAD', path, { token });
      expect([head.status, head.text]).toStrictEqual([200, '']);
      expect(await newestOf(pda)).toMatchObject({ outcome: 'allowed', records: 0, bytes: 0 });
    } finally {
      for (const answer of running) answer.destroy();
    }
  });
});
