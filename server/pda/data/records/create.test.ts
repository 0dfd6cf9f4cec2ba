import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  dataAt,
  errorOf,
  recordOf,
  recordsOf,
  startTestPda,
  type TestPda,
} from '../../../../tests/support/test-pda.ts';
import { MAX_RECORDS_PER_REQUEST } from '../../../wire/limits.ts';
import { endpointSummarySchema } from '../../../wire/owner.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

let counter = 0;
const newEndpoint = (): string => `create/test${++counter}`;
const post = (endpoint: string, body: string, query = '') =>
  pda.call('POST', `/api/v2.6/data/${endpoint}${query}`, { body });

describe('creating one record', () => {
  it('returns 201 with the record', async () => {
    const endpoint = newEndpoint();
    const reply = await post(endpoint, '{"a": 1}');
    expect(reply.status).toBe(201);
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(recordOf(reply)).toStrictEqual({ endpoint, recordId: expect.any(String), data: { a: 1 } });
    expect(await dataAt(pda, endpoint)).toStrictEqual([{ a: 1 }]);
  });

  it.each(['null', 'true', '0', '-0', '1.50', '12345678901234567890', '""', '"text"', '{}'])(
    'stores %s unchanged',
    async (text) => {
      const endpoint = newEndpoint();
      const reply = await post(endpoint, text);
      expect(reply.status).toBe(201);
      expect(reply.text).toMatch(/^\{"endpoint":/u);
      const response = await pda.call('GET', `/api/v2.6/data/${endpoint}`);
      expect(response.text).toContain(`"data":${text}}`);
    },
  );

  it('preserves numbers, escapes and the order of members, and removes white space', async () => {
    const endpoint = newEndpoint();
    await post(endpoint, ' { "z" : 1.0 ,\n"a" : "\\u00e9\\/" , "ü" : [ 1e2 , " x " ] } ');
    const response = await pda.call('GET', `/api/v2.6/data/${endpoint}`);
    expect(response.text).toContain('"data":{"z":1.0,"a":"\\u00e9\\/","ü":[1e2," x "]}}');
  });

  it('stores an equal value as a second record', async () => {
    const endpoint = newEndpoint();
    const ids = [
      recordOf(await post(endpoint, '{"a":1}')).recordId,
      recordOf(await post(endpoint, '{"a":1}')).recordId,
    ];
    expect(new Set(ids).size).toBe(2);
    expect(await dataAt(pda, endpoint)).toHaveLength(2);
  });

  it('returns any JSON value unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ noUnicodeString: false, maxDepth: 4 }), async (value) => {
        const endpoint = newEndpoint();
        const reply = await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json: [value] });
        // Values with the key `__proto__` are rejected. JSON.stringify produces no other invalid value.
        if (/__proto__/u.test(JSON.stringify(value))) return;
        expect(reply.status).toBe(201);
        expect(await dataAt(pda, endpoint)).toStrictEqual([JSON.parse(JSON.stringify(value))]);
      }),
      { numRuns: Number(process.env['PDA_RUNS'] ?? 30) },
    );
  });
});

describe('creating many records', () => {
  it('creates one record per element, in the order of the array, even for scalars', async () => {
    const endpoint = newEndpoint();
    const values = [1, 'two', null, { four: 4 }, [5, [6]], true, {}];
    const reply = await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json: values });
    expect(reply.status).toBe(201);
    expect(recordsOf(reply).map((record) => record.data)).toStrictEqual(values);
    expect(recordsOf(await pda.call('GET', `/api/v2.6/data/${endpoint}`))).toStrictEqual(recordsOf(reply));
  });

  it('returns an array for an array of one element', async () => {
    expect((await post(newEndpoint(), '[{"a":1}]')).text).toMatch(/^\[\{"endpoint"/u);
  });

  it('returns an empty list for an empty array and stores nothing', async () => {
    const endpoint = newEndpoint();
    const reply = await post(endpoint, ' [ ] ');
    expect([reply.status, reply.json]).toStrictEqual([201, []]);
    expect(await dataAt(pda, endpoint)).toStrictEqual([]);
  });

  it('is atomic: stores the whole array or nothing', async () => {
    const endpoint = newEndpoint();
    for (const invalidJson of ['[1,2,{"a":1,"a":2}]', '[1,2,', '[1,2]3', '[1,2,"\\ud800"]', '[1,2,1e999]']) {
      const reply = await post(endpoint, invalidJson);
      expect([invalidJson, reply.status, errorOf(reply).error]).toStrictEqual([invalidJson, 400, 'invalid_json']);
    }
    expect(await dataAt(pda, endpoint)).toStrictEqual([]);
  });

  it('accepts MAX_RECORDS_PER_REQUEST records, and rejects one more', async () => {
    const endpoint = newEndpoint();
    const arrayOfOnes = (count: number): string => `[${Array.from({ length: count }, () => '1').join(',')}]`;
    const rejectedReply = await post(endpoint, arrayOfOnes(MAX_RECORDS_PER_REQUEST + 1));
    expect([rejectedReply.status, errorOf(rejectedReply).error]).toStrictEqual([413, 'too_large']);
    expect(await dataAt(pda, endpoint)).toHaveLength(0);
    expect((await post(endpoint, arrayOfOnes(MAX_RECORDS_PER_REQUEST))).status).toBe(201);
    const response = await pda.call('GET', `/api/v2.6/owner/records?endpoint=${endpoint}&take=0`);
    expect(response.json).toMatchObject({ total: MAX_RECORDS_PER_REQUEST });
  });

  it('assigns ascending ids, and keeps the records of each of several concurrent requests together', async () => {
    const endpoint = newEndpoint();
    await Promise.all(
      Array.from({ length: 20 }, (_, writer) =>
        pda.call('POST', `/api/v2.6/data/${endpoint}`, { json: [0, 1, 2].map((index) => ({ writer, index })) }),
      ),
    );
    const records = recordsOf(await pda.call('GET', `/api/v2.6/data/${endpoint}`));
    const ids = records.map((record) => record.recordId);
    expect(ids).toStrictEqual(ids.toSorted());
    const values = records.map((record) => Object(record.data));
    for (let start = 0; start < 60; start += 3) {
      const { writer } = values[start];
      expect(values.slice(start, start + 3)).toStrictEqual([0, 1, 2].map((index) => ({ writer, index })));
    }
  });
});

describe('creating with skipErrors', () => {
  const postSkippingErrors = (endpoint: string, body: string) => post(endpoint, body, '?skipErrors=true');

  it('stores only new elements, so that a resend stores nothing', async () => {
    const endpoint = newEndpoint();
    expect(recordsOf(await postSkippingErrors(endpoint, '[1,2,3]'))).toHaveLength(3);
    const resend = await postSkippingErrors(endpoint, '[1,2,3]');
    expect([resend.status, resend.json]).toStrictEqual([201, []]);
    expect(recordsOf(await postSkippingErrors(endpoint, '[3,4]')).map((record) => record.data)).toStrictEqual([4]);
    expect(await dataAt(pda, endpoint)).toStrictEqual([1, 2, 3, 4]);
  });

  it('compares values regardless of key order, white space, escapes and the notation of numbers', async () => {
    const endpoint = newEndpoint();
    await postSkippingErrors(endpoint, '{"a": 1, "b": {"c": [1, 2], "d": "é"}}');
    const equalTexts = ['{"b":{"d":"\\u00e9","c":[1,2]},"a":1}', '{"a":1.0,"b":{"c":[1e0,2],"d":"é"}}'];
    for (const text of equalTexts) expect((await postSkippingErrors(endpoint, text)).json).toStrictEqual([]);
    const differentTexts = [
      '{"a":1,"b":{"c":[2,1],"d":"é"}}',
      '{"a":"1","b":{"c":[1,2],"d":"é"}}',
      '{"a":1}',
      '[[1]]',
      'null',
    ];
    for (const text of differentTexts) expect((await postSkippingErrors(endpoint, text)).json).not.toStrictEqual([]);
  });

  it('skips elements equal to an earlier element of the same array', async () => {
    const endpoint = newEndpoint();
    const reply = await postSkippingErrors(endpoint, '[{"a":1,"b":2},{"b":2,"a":1},{"a":1},{"a":1}]');
    expect(recordsOf(reply).map((record) => record.data)).toStrictEqual([{ a: 1, b: 2 }, { a: 1 }]);
  });

  it('compares within one endpoint only', async () => {
    const [firstEndpoint, otherEndpoint] = [newEndpoint(), newEndpoint()];
    await postSkippingErrors(firstEndpoint, '1');
    expect(recordOf(await postSkippingErrors(otherEndpoint, '1')).data).toBe(1);
  });

  it('takes into account records stored without skipErrors, updates and deletions', async () => {
    const endpoint = newEndpoint();
    const { recordId } = recordOf(await post(endpoint, '{"n":1}'));
    expect((await postSkippingErrors(endpoint, '{"n":1}')).json).toStrictEqual([]);
    await pda.call('PUT', '/api/v2.6/data', { json: [{ endpoint, recordId, data: { n: 2 } }] });
    expect((await postSkippingErrors(endpoint, '{"n":2}')).json).toStrictEqual([]);
    expect(recordOf(await postSkippingErrors(endpoint, '{"n":1}')).data).toStrictEqual({ n: 1 });
    await pda.call('DELETE', `/api/v2.6/data?records=${recordId}`);
    expect(recordOf(await postSkippingErrors(endpoint, '{"n":2}')).data).toStrictEqual({ n: 2 });
  });

  it('stores all elements again after a deletion of the endpoint', async () => {
    const endpoint = newEndpoint();
    await postSkippingErrors(endpoint, '[1,2]');
    await pda.call('DELETE', `/api/v2.6/data/${endpoint}`);
    expect(recordsOf(await postSkippingErrors(endpoint, '[1,2]'))).toHaveLength(2);
  });

  it('stores each element once, even if concurrent requests send it', async () => {
    const endpoint = newEndpoint();
    await Promise.all(Array.from({ length: 10 }, () => postSkippingErrors(endpoint, '[1,2,3]')));
    expect(await dataAt(pda, endpoint)).toStrictEqual([1, 2, 3]);
  });

  it('has no effect if false, and is rejected if neither true nor false', async () => {
    const endpoint = newEndpoint();
    await post(endpoint, '[1]', '?skipErrors=false');
    expect(recordsOf(await post(endpoint, '[1]', '?skipErrors=false'))).toHaveLength(1);
    expect((await post(endpoint, '[1]', '?skipErrors=maybe')).status).toBe(400);
  });
});

describe('a batch', () => {
  const batch = (body: unknown) => pda.call('POST', '/api/v2.6/data-batch', { json: body });

  it('stores records at several endpoints, in the order of the request', async () => {
    const [firstEndpoint, otherEndpoint] = [newEndpoint(), newEndpoint()];
    const entries = [firstEndpoint, otherEndpoint, firstEndpoint, otherEndpoint].map((endpoint, index) => ({
      endpoint,
      data: { index },
    }));
    const reply = await batch(entries);
    expect(reply.status).toBe(201);
    expect(recordsOf(reply).map(({ endpoint, data }) => ({ endpoint, data }))).toStrictEqual(entries);
    expect(await dataAt(pda, firstEndpoint)).toStrictEqual([{ index: 0 }, { index: 2 }]);
    expect(await dataAt(pda, otherEndpoint)).toStrictEqual([{ index: 1 }, { index: 3 }]);
  });

  it('stores records at hundreds of endpoints, which are all listed', async () => {
    const entries = Array.from({ length: 450 }, (_, n) => ({ endpoint: `hundreds/n${1000 + n}`, data: n }));
    expect((await batch(entries)).status).toBe(201);
    const listedEndpoints = endpointSummarySchema
      .array()
      .parse((await pda.call('GET', '/api/v2.6/owner/endpoints')).json)
      .filter(({ endpoint }) => endpoint.startsWith('hundreds/'));
    expect(listedEndpoints.map(({ endpoint }) => endpoint)).toStrictEqual(entries.map(({ endpoint }) => endpoint));
    expect(listedEndpoints[0]).toMatchObject({ name: 'N1000', records: 1, bytes: 1 });
  });

  it('stores any value as data, including an array as one record', async () => {
    const endpoint = newEndpoint();
    await batch([null, [1, 2], 'x'].map((data) => ({ endpoint, data })));
    expect(await dataAt(pda, endpoint)).toStrictEqual([null, [1, 2], 'x']);
  });

  it('returns an empty list if it is empty', async () => {
    expect((await batch([])).json).toStrictEqual([]);
  });

  it('stores nothing if an entry is invalid, and reports its number', async () => {
    const endpoint = newEndpoint();
    const validEntry = { endpoint, data: 1 };
    const invalidEntries: unknown[] = [
      { endpoint },
      { data: 1 },
      { endpoint: 'only-a-namespace', data: 1 },
      { endpoint: `${endpoint}/../x`, data: 1 },
      { endpoint: `/${endpoint}`, data: 1 },
      { endpoint: `${endpoint}/`, data: 1 },
      { endpoint: 7, data: 1 },
      { endpoint, data: 1, links: [] },
    ];
    for (const entry of invalidEntries) {
      const reply = await batch([validEntry, validEntry, entry]);
      expect([entry, reply.status]).toStrictEqual([entry, 400]);
      expect(errorOf(reply).cause).toMatch(/^Record 3: .*Nothing was stored\.$/u);
      expect(errorOf(reply).details?.[0]?.path).toMatch(/^body\.2(?:\.|$)/u);
    }
    expect(await dataAt(pda, endpoint)).toStrictEqual([]);
  });

  it('rejects a body that is not an array of objects', async () => {
    for (const body of ['{}', '{"endpoint":"a/b","data":1}', '[1]', '"x"', 'null', '[[{"endpoint":"a/b","data":1}]]']) {
      const reply = await pda.call('POST', '/api/v2.6/data-batch', { body });
      expect([body, reply.status]).toStrictEqual([body, 400]);
      errorOf(reply);
    }
  });

  it('limits the length of endpoints in the body as in paths', async () => {
    const longestEndpoint = `${'n'.repeat(200)}/${'e'.repeat(200)}`;
    expect((await batch([{ endpoint: longestEndpoint, data: 1 }])).status).toBe(201);
    expect(await dataAt(pda, longestEndpoint)).toStrictEqual([1]);
    for (const endpoint of [`${'n'.repeat(201)}/e`, `n/${'e'.repeat(201)}`]) {
      expect((await batch([{ endpoint, data: 1 }])).status).toBe(400);
      expect((await post(endpoint, '1')).status).toBe(400);
    }
    expect((await pda.call('GET', '/api/v2.6/owner/endpoints')).status).toBe(200);
  });
});
