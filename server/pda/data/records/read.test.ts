import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  dataAt,
  errorOf,
  recordOf,
  recordsOf,
  startTestPda,
  type TestPda,
} from '../../../../tests/support/test-pda.ts';

const HOUR_MS = 3_600_000;

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

const get = (path: string) => pda.call('GET', `/api/v2.6/${path}`);
const post = (endpoint: string, json: unknown) => pda.call('POST', `/api/v2.6/data/${endpoint}`, { json });

describe('reading an endpoint', () => {
  const numbers = Array.from({ length: 25 }, (_, index) => index);
  beforeAll(async () => {
    await post('read/numbers', numbers);
  });
  const page = async (query: string): Promise<unknown[]> =>
    recordsOf(await get(`data/read/numbers${query}`)).map((record) => record.data);

  it('returns the oldest records first, and the newest with ordering=descending', async () => {
    expect(await page('')).toStrictEqual(numbers);
    expect(await page('?ordering=ascending')).toStrictEqual(numbers);
    expect(await page('?ordering=descending')).toStrictEqual(numbers.toReversed());
  });

  it('applies skip and take in both orders, and past the end', async () => {
    expect(await page('?take=3')).toStrictEqual([0, 1, 2]);
    expect(await page('?skip=23')).toStrictEqual([23, 24]);
    expect(await page('?skip=20&take=3')).toStrictEqual([20, 21, 22]);
    expect(await page('?skip=20&take=3&ordering=descending')).toStrictEqual([4, 3, 2]);
    expect(await page('?skip=25')).toStrictEqual([]);
    expect(await page('?skip=999999999999999')).toStrictEqual([]);
    expect(await page('?take=999999999999999')).toStrictEqual(numbers);
    for (const tooLarge of [String(Number.MAX_SAFE_INTEGER), '18446744073709551616', '9'.repeat(100)]) {
      expect(await page(`?take=${tooLarge}`)).toStrictEqual(numbers);
      expect(await page(`?skip=${tooLarge}`)).toStrictEqual([]);
      expect(await page(`?skip=${tooLarge}&take=${tooLarge}`)).toStrictEqual([]);
    }
    expect(await page('?take=0')).toStrictEqual([]);
    expect(await page('?skip=007&take=1')).toStrictEqual([7]);
  });

  it.each(['-1', '1.5', '', 'x', '1e3', ' 1', '%2B1', '٣', '1,2', 'NaN', 'null'])(
    'returns 400 for skip or take %o',
    async (value) => {
      for (const name of ['skip', 'take']) {
        const reply = await get(`data/read/numbers?${name}=${encodeURIComponent(value)}`);
        expect([value, reply.status, errorOf(reply).error]).toStrictEqual([value, 400, 'invalid_input']);
        expect(errorOf(reply).details?.[0]?.path).toBe(`query.${name}`);
      }
    },
  );

  it('returns 400 for a repeated skip and for __proto__, and treats any other parameter as a condition', async () => {
    expect((await get('data/read/numbers?skip=1&skip=2')).status).toBe(400);
    expect((await get('data/read/numbers?__proto__=2')).status).toBe(400);
    expect(await page('?unknown=1')).toStrictEqual([]);
    expect(await page('?constructor=3')).toStrictEqual([]);
  });

  it('returns 1,000 records by default, and as many as `take` requests', async () => {
    await post(
      'read/more',
      Array.from({ length: 1200 }, (_, index) => ({ index, filler: 'x'.repeat(50) })),
    );
    expect(recordsOf(await get('data/read/more'))).toHaveLength(1000);
    const allRecords = recordsOf(await get('data/read/more?take=5000'));
    expect(allRecords.map((record) => Object(record.data).index)).toStrictEqual(
      Array.from({ length: 1200 }, (_, index) => index),
    );
  });

  it('returns an empty list for an endpoint without records', async () => {
    const reply = await get('data/read/nothing/here');
    expect([reply.status, reply.json]).toStrictEqual([200, []]);
    expect((await get('data/read/nothing/here?orderBy=x')).json).toStrictEqual([]);
  });

  it('matches the endpoint exactly, not its children, its parent or a name in different case', async () => {
    await post('exact/a', 'a');
    await post('exact/a/b', 'b');
    await post('exact/ab', 'ab');
    await post('exact/A', 'A');
    for (const name of ['a', 'a/b', 'ab', 'A'])
      expect(await dataAt(pda, `exact/${name}`)).toStrictEqual([name.split('/').at(-1)]);
    expect((await get('data/exact/_')).json).toStrictEqual([]);
  });

  it('returns large responses completely and in order', async () => {
    const largeValues = Array.from({ length: 40 }, (_, index) => ({ index, text: String(index).repeat(50_000) }));
    await post('read/large', largeValues);
    expect(await dataAt(pda, 'read/large')).toStrictEqual(largeValues);
    const descendingRecords = recordsOf(await get('data/read/large?ordering=descending&skip=1&take=38'));
    expect(descendingRecords.map((record) => Object(record.data).index)).toStrictEqual(
      Array.from({ length: 38 }, (_, index) => 38 - index),
    );
  });
});

describe('orderBy', () => {
  const values = [
    { n: 2 },
    { n: null },
    { n: [1] },
    {},
    { n: 'b' },
    { n: true },
    { n: 10 },
    { n: { a: 1 } },
    { n: 'a' },
  ];
  beforeAll(async () => {
    await post('read/ordered', values);
    await post('read/nested', [{ a: { b: 3 } }, { a: { b: 1 } }, { a: 2 }]);
  });
  const order = async (query: string): Promise<unknown[]> =>
    recordsOf(await get(`data/read/ordered?${query}`)).map((record) => Object(record.data).n);

  it('sorts null < string < number < boolean < array < object, with missing values last in both orders', async () => {
    const expected = [null, 'a', 'b', 2, 10, true, [1], { a: 1 }, undefined];
    expect(await order('orderBy=n')).toStrictEqual(expected);
    expect(await order('orderBy=n&ordering=descending')).toStrictEqual([
      ...expected.slice(0, -1).toReversed(),
      undefined,
    ]);
  });

  it('supports paging, and dotted paths with and without the prefix `data.`', async () => {
    const readNested = async (query: string): Promise<unknown> =>
      recordsOf(await get(`data/read/nested?${query}`)).map((record) => record.data);
    const sortedValues = [{ a: { b: 1 } }, { a: { b: 3 } }, { a: 2 }];
    expect(await readNested('orderBy=a.b')).toStrictEqual(sortedValues);
    expect(await readNested('orderBy=data.a.b')).toStrictEqual(sortedValues);
    expect(await readNested('orderBy=a.b&skip=1&take=1')).toStrictEqual([sortedValues[1]]);
  });

  it('keeps the order of creation for an unknown field and an empty path', async () => {
    expect(await order('orderBy=unknown')).toStrictEqual(values.map((value) => Object(value).n));
    expect(await order('orderBy=')).toStrictEqual(values.map((value) => Object(value).n));
  });

  it('returns all records for paths with SQL or special characters', async () => {
    for (const path of [
      "n') --",
      '"',
      '$.n',
      'n[999999999999]',
      '__proto__',
      'constructor.name',
      'a..b',
      '[]',
      "'||(SELECT 1)||'",
    ]) {
      const reply = await get(`data/read/ordered?orderBy=${encodeURIComponent(path)}`);
      expect([path, reply.status]).toStrictEqual([path, 200]);
      expect(recordsOf(reply)).toHaveLength(values.length);
    }
  });
});

describe('the parameter meta', () => {
  it('adds the dates of creation and last update if true, whatever the order of the records', async () => {
    const createdAt = pda.clock.now();
    const { recordId } = recordOf(await post('read/meta', { a: 1 }));
    pda.clock.advance(HOUR_MS);
    await pda.call('PUT', '/api/v2.6/data', { json: [{ endpoint: 'read/meta', recordId, data: { a: 2 } }] });
    const iso = (ms: number): string => new Date(ms).toISOString();
    const expected = {
      endpoint: 'read/meta',
      recordId,
      data: { a: 2 },
      dateCreated: iso(createdAt),
      lastUpdated: iso(createdAt + HOUR_MS),
    };
    for (const query of ['', '&ordering=descending', '&orderBy=a', '&take=100000']) {
      expect((await get(`data/read/meta?meta=true${query}`)).json).toStrictEqual([expected]);
    }
  });

  it('returns the date of creation as last update if a record was never changed', async () => {
    await post('read/meta2', 1);
    const [record] = recordsOf(await get('data/read/meta2?meta=true'));
    expect(record?.lastUpdated).toBe(record?.dateCreated);
  });

  it('omits the dates if false, and rejects values other than true and false', async () => {
    await post('read/meta3', 1);
    expect(Object.keys(recordsOf(await get('data/read/meta3?meta=false'))[0] ?? {})).toStrictEqual([
      'endpoint',
      'recordId',
      'data',
    ]);
    expect((await get('data/read/meta3?meta=1')).status).toBe(400);
  });
});

describe('reading a single record', () => {
  it('finds it by its id in upper or lower case', async () => {
    const record = recordOf(await post('read/single', { a: [1] }));
    expect((await get(`data-record/${record.recordId}`)).json).toStrictEqual(record);
    expect((await get(`data-record/${record.recordId.toUpperCase()}`)).json).toStrictEqual(record);
  });

  it('returns 400 for an unknown id, even if only its random part differs from an existing id', async () => {
    const { recordId } = recordOf(await post('read/single', 1));
    const tail = recordId.endsWith('0') ? '1' : '0';
    for (const id of [
      `${recordId.slice(0, -1)}${tail}`,
      '019bc186-de00-4000-8937-015a1f841fa9',
      'ffffffff-ffff-7fff-bfff-ffffffffffff',
      '00000000-0000-7000-8000-000000000000',
    ]) {
      const reply = await get(`data-record/${id}`);
      expect([id, reply.status, errorOf(reply).error]).toStrictEqual([id, 400, 'data_missing']);
      expect(errorOf(reply).cause).toMatch(/^Could not find unique record/u);
    }
  });

  it('returns 400 for an invalid id', async () => {
    for (const id of ['x', '1', 'null', '019bc186', 'a'.repeat(36)]) {
      const reply = await get(`data-record/${id}`);
      expect([id, reply.status, errorOf(reply).error]).toStrictEqual([id, 400, 'invalid_input']);
    }
  });

  it('returns 400 after the deletion of the record or its endpoint', async () => {
    const firstId = recordOf(await post('read/gone', 1)).recordId;
    const secondId = recordOf(await post('read/gone', 2)).recordId;
    await pda.call('DELETE', `/api/v2.6/data?records=${firstId}`);
    expect((await get(`data-record/${firstId}`)).status).toBe(400);
    await pda.call('DELETE', '/api/v2.6/data/read/gone');
    expect((await get(`data-record/${secondId}`)).status).toBe(400);
  });
});

describe('sources', () => {
  it('list each namespace with its endpoints that have records', async () => {
    const emptyPda = await startTestPda();
    const call = (method: string, path: string, json?: unknown) =>
      emptyPda.call(method, `/api/v2.6/${path}`, json === undefined ? {} : { json });
    expect((await call('GET', 'data/sources')).json).toStrictEqual({});
    for (const endpoint of ['b/one', 'a/one', 'a/two/three', '__proto__/x', 'gone/x'])
      await call('POST', `data/${endpoint}`, 1);
    await call('DELETE', 'data/gone/x');
    const { text } = await call('GET', 'data/sources');
    expect(text).toBe('{"__proto__":["x"],"a":["one","two/three"],"b":["one"]}');
    await emptyPda.close();
  });
});
