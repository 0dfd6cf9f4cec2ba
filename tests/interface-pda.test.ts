import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROFILE_ENDPOINT } from '../server/wire/profile.ts';
import { anApplication } from './support/applications.ts';
import { serve } from './support/http.ts';
import { errorOf, recordsOf, startTestPda, type TestPda } from './support/test-pda.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda({ network: { allowLoopback: true } });
});
afterAll(() => pda.close());

describe('GET /data with field values', () => {
  const storedRecords = [
    { name: 'Ada', age: 7, active: true, "o'clock": 1 },
    { name: 'Ada', age: '7', active: 'true', 'a.b': 'dotted' },
    { name: 'Bob', age: 8, active: false, a: { b: 'dotted' } },
    { name: ['Ada'], nested: { name: 'Ada' }, 'with "quotes"\u0001': 'x' },
    ['Ada'],
    'Ada',
    { name: null },
  ];
  beforeAll(async () => {
    expect((await pda.call('POST', '/api/v2.6/data/people/all', { json: storedRecords })).status).toBe(201);
  });
  const readMatchingIndexes = async (query: string): Promise<unknown[]> => {
    const reply = await pda.call('GET', `/api/v2.6/data/people/all?${query}`);
    expect(reply.status, reply.text).toBe(200);
    return recordsOf(reply).map(({ data }) =>
      storedRecords.findIndex((candidate) => JSON.stringify(candidate) === JSON.stringify(data)),
    );
  };

  it.each([
    ['name=Ada', [0, 1]],
    ['age=7', [0, 1]],
    ['age=7.0', [0]],
    ['active=true', [0, 1]],
    ['active=false', [2]],
    ['name=Ada&age=8', []],
    ['name=Bob&age=8', [2]],
    ['name=Ada&name=Bob', [0, 1, 2]],
    ['name=ada', []],
    ['name=null', []],
    ['unknown=1', []],
    ['a.b=dotted', [1]],
    ["o'clock=1", [0]],
    [`${encodeURIComponent('with "quotes"\u0001')}=x`, [3]],
    ['name=%27%20OR%201=1%20--', []],
    ['0=Ada', []],
    ['name=Ada&skip=1&take=1', [1]],
    ['name=Ada&ordering=descending', [1, 0]],
    ['active=true&active=false&orderBy=name&ordering=descending', [2, 1, 0]],
    ['take=2', [0, 1]],
  ])('?%s returns only the matching records', async (query, expected) => {
    expect(await readMatchingIndexes(query)).toStrictEqual(expected);
  });

  it('supports meta=true', async () => {
    const [record] = recordsOf(await pda.call('GET', '/api/v2.6/data/people/all?name=Bob&meta=true'));
    expect(record?.dateCreated).toBeDefined();
  });

  it('refuses more conditions than one read may have', async () => {
    const query = Array.from({ length: 21 }, (_, n) => `f${n}=1`).join('&');
    expect(errorOf(await pda.call('GET', `/api/v2.6/data/people/all?${query}`)).cause).toContain('at most 20');
  });

  it('refuses a condition on `__proto__`, a name that no stored object has', async () => {
    for (const query of ['__proto__=1', 'name=Ada&__%70roto__=1'])
      expect(errorOf(await pda.call('GET', `/api/v2.6/data/people/all?${query}`)).cause).toContain('__proto__');
  });

  it('filters before it pages, even beyond the first thousand records', async () => {
    const json = Array.from({ length: 2500 }, (_, n) => ({ n, even: n % 2 === 0 }));
    await pda.call('POST', '/api/v2.6/data/numbers/all', { json });
    const evenRecords = recordsOf(await pda.call('GET', '/api/v2.6/data/numbers/all?even=true&take=5000'));
    expect(evenRecords.map(({ data }) => (data as { n: number }).n)).toStrictEqual(
      Array.from({ length: 1250 }, (_, n) => 2 * n),
    );
    const lastRecords = recordsOf(await pda.call('GET', '/api/v2.6/data/numbers/all?even=true&skip=1249'));
    expect(lastRecords.map(({ data }) => (data as { n: number }).n)).toStrictEqual([2498]);
  });

  it('is described in the OpenAPI document', async () => {
    const { text } = await pda.call('GET', '/api/v2.6/openapi.json');
    expect(text).toContain('query key is a condition on a top-level field');
  });
});

describe('GET /system/status', () => {
  const metricOf = async (title: string): Promise<unknown> => {
    const list = (await pda.call('GET', '/api/v2.6/system/status')).json as {
      title: string;
      kind: { metric: unknown };
    }[];
    return list.find((candidate) => candidate.title === title)?.kind.metric;
  };

  it('returns the previous login as relative text, and the e-mail address if the owner has set one', async () => {
    await pda.signIn();
    pda.clock.advance(1000);
    pda.token = await pda.signIn();
    expect(await metricOf('Previous Login')).toBe('moments ago');
    pda.clock.advance(3 * 3_600_000);
    expect(await metricOf('Previous Login')).toBe('3 hours ago');
    expect(await metricOf('Owner Email')).toBeUndefined();
    const path = `/api/v2.6/data/${PROFILE_ENDPOINT}`;
    expect((await pda.call('POST', path, { json: { email: 'ada@example.org' } })).status).toBe(201);
    expect(await metricOf('Owner Email')).toBe('ada@example.org');
  });
});

describe('routes with keys and names in paths', () => {
  it.each(['a b', '100%', "rock'n'roll", 'a+b=c', 'x:y@z', 'q?#[]', '"quoted"', '日本語/ü', 'a\\b', '😀'])(
    'allow %s as the name of a combinator and of a bundle',
    async (name) => {
      const path = name.split('/').map(encodeURIComponent).join('/');
      const json = [{ endpoint: 'people/all' }];
      const reply = await pda.call('POST', `/api/v2.6/combinator/${path}`, { json });
      expect(reply.status, reply.text).toBe(201);
      expect((await pda.call('GET', `/api/v2.6/combinator/${path}?take=1`)).status).toBe(200);
      const bundle = { people: { endpoints: json, limit: 1 } };
      expect((await pda.call('POST', `/api/v2.6/data-bundle/${path}`, { json: bundle })).status).toBe(200);
      expect((await pda.call('GET', `/api/v2.6/data-bundle/${path}/structure`)).json).toMatchObject({ name });
    },
  );

  it.each(['a//b', 'a/../b', 'line\nbreak', 'turned\u202Eround', 'nul\0'])('refuse the name %j', async (name) => {
    const reply = await pda.call('POST', `/api/v2.6/combinator/${encodeURIComponent(name)}`, {
      json: [{ endpoint: 'people/all' }],
    });
    expect(reply.status).toBe(400);
  });

  const proposalFor = (dataDebitKey: string) => ({
    dataDebitKey,
    bundle: {
      name: `of ${dataDebitKey}`.replaceAll('/', '-'),
      bundle: { p: { endpoints: [{ endpoint: 'people/all' }], limit: 1 } },
    },
    start: '2026-01-15T00:00:00Z',
    period: 864_000,
    purpose: 'test',
    cancelAtPeriodEnd: true,
    termsUrl: 'https://shop.example/terms',
    requestClientName: 'Shop',
    requestClientUrl: 'https://shop.example',
    requestClientLogoUrl: 'https://shop.example/logo.png',
  });

  it('allow spaces, punctuation and slashes in a Data Debit key', async () => {
    const key = "order #7: 50% (ada's)/2026+1";
    const path = key.split('/').map(encodeURIComponent).join('/');
    const reply = await pda.call('POST', `/api/v2.6/data-debit/${path}`, { json: proposalFor(key) });
    expect(reply.status, reply.text).toBe(201);
    expect((await pda.call('GET', `/api/v2.6/data-debit/${path}/enable`)).json).toMatchObject({ dataDebitKey: key });
    expect((await pda.call('GET', `/api/v2.6/data-debit/${path}/values`)).status).toBe(200);
  });

  it.each(['values', 'enable', 'disable', 'preview'])(
    'refuse a key that ends in /%s and name the reserved endings',
    async (word) => {
      const reply = await pda.call('POST', `/api/v2.6/data-debit/shop%2F${word}`, {
        json: proposalFor(`shop/${word}`),
      });
      expect([reply.status, errorOf(reply).error]).toStrictEqual([400, 'invalid_input']);
      expect(errorOf(reply).cause).toContain(`cannot end in ${word}`);
      expect(errorOf(reply).cause).toContain('/values');
    },
  );

  it('refuse a bundle name that ends in /structure and name the reserved ending', async () => {
    const bundle = { people: { endpoints: [{ endpoint: 'people/all' }], limit: 1 } };
    for (const method of ['POST', 'PUT']) {
      const reply = await pda.call(method, '/api/v2.6/data-bundle/people%2Fstructure', { json: bundle });
      expect([method, reply.status, errorOf(reply).cause]).toStrictEqual([
        method,
        400,
        'A bundle name cannot end in /structure.',
      ]);
    }
  });
});

it('a route returns 403 to an application without rights before it validates the body', async () => {
  const secondPda = await startTestPda({
    network: { allowLoopback: true },
    config: { applications: [anApplication({ id: 'reader' })] },
  });
  try {
    await secondPda.call('GET', '/api/v2.6/applications/reader/setup');
    const { accessToken: token } = (await secondPda.call('GET', '/api/v2.6/applications/reader/access-token')).json as {
      accessToken: string;
    };
    for (const [method, path] of [
      ['POST', '/api/v2.6/combinator/x'],
      ['PUT', '/api/v2.6/owner/network'],
      ['POST', '/api/v2.6/data/elsewhere/x'],
    ] as const) {
      const bodies = [
        { json: { wrong: true } },
        { body: '{"broken', headers: { 'content-type': 'application/json' } },
        { body: 'text', headers: { 'content-type': 'text/plain' } },
      ];
      for (const body of bodies) {
        const reply = await secondPda.call(method, path, { ...body, token });
        expect([path, reply.status]).toStrictEqual([path, 403]);
      }
    }
  } finally {
    await secondPda.close();
  }
});

it('the status check of an application sends a token whose issuer is the PDA address that the application last used', async () => {
  const receivedIssuers: string[] = [];
  const applicationServer = await serve((request, response) => {
    const [, claims = ''] = String(request.headers['x-auth-token']).split('.');
    receivedIssuers.push((JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iss: string }).iss);
    response.end();
  });
  const application = anApplication({
    id: 'checked',
    status: {
      kind: 'External',
      compatibility: '1.0.0',
      statusUrl: `${applicationServer.url}/status`,
      expectedStatus: 200,
    },
  });
  const secondPda = await startTestPda({ network: { allowLoopback: true }, config: { applications: [application] } });
  try {
    await secondPda.call('GET', '/api/v2.6/applications/checked/setup');
    const host = `localhost:${secondPda.port}`;
    await secondPda.call('GET', '/api/v2.6/applications/checked/access-token', { headers: { host } });
    secondPda.clock.advance(10 * 60_000);
    await secondPda.call('GET', '/api/v2.6/applications/checked');
    expect(receivedIssuers.at(-1)).toBe(host);
  } finally {
    await secondPda.close();
    await applicationServer.close();
  }
});
