import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { errorOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { between, dayAt, days, inRange, createQueryCalls, type QueryCalls } from './service.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

let pda: TestPda;
let calls: QueryCalls;

beforeEach(async () => {
  pda = await startTestPda();
  calls = createQueryCalls(pda);
});
afterEach(() => pda.close());

describe('a bundle', () => {
  const bundle = {
    latest: { endpoints: [{ endpoint: 'test/days' }], limit: 3, orderBy: 'value', ordering: 'descending' },
    all: { endpoints: [{ endpoint: 'test/days', filters: between(0, 20) }, { endpoint: 'test/other' }] },
    none: { endpoints: [{ endpoint: 'test/days' }], limit: 0 },
  };
  const dataOf = (json: unknown): Record<string, unknown[]> =>
    Object.fromEntries(
      Object.entries(json as Record<string, { data: unknown }[]>).map(([key, records]) => [
        key,
        records.map((record) => record.data),
      ]),
    );

  it('applies the limit and order of each property, and returns long results completely', async () => {
    await calls.post('test/days', days(3000));
    await calls.post('test/other', { other: true });
    const expected = {
      latest: days(3000)
        .toSorted((a, b) => b.value - a.value || b.n - a.n)
        .slice(0, 3),
      all: [...days(3000).filter(inRange(0, 20)), { other: true }],
      none: [],
    };
    const reply = await pda.call('POST', '/api/v2.6/data-bundle/mine/first', { json: bundle });
    expect(reply.status).toBe(200);
    expect(dataOf(reply.json)).toEqual(expected);
    expect(dataOf((await pda.call('GET', '/api/v2.6/data-bundle/mine/first')).json)).toEqual(expected);
    const longReply = await pda.call('PUT', '/api/v2.6/data-bundle/long', {
      json: { ...bundle, every: { endpoints: [{ endpoint: 'test/days' }] } },
    });
    expect(dataOf(longReply.json)).toEqual({ ...expected, every: days(3000) });
    expect(
      (await calls.indexes()).readyNames,
      'one for the filter and one for the order, shared by both bundles',
    ).toHaveLength(2);
  });

  it('cannot be registered twice, and neither can a combinator: the second request fails', async () => {
    const otherBundle = { all: { endpoints: [{ endpoint: 'test/other' }] } };
    const reply = await pda.call('POST', '/api/v2.6/data-bundle/mine', { json: bundle });
    expect(reply.status).toBe(200);
    expect((await pda.call('POST', '/api/v2.6/combinator/mine', { json: [{ endpoint: 'test/days' }] })).status).toBe(
      201,
    );
    const structure = (await pda.call('GET', '/api/v2.6/data-bundle/mine/structure')).json;
    expect(structure).toEqual({ name: 'mine', bundle });
    for (const [path, json] of [
      ['data-bundle/mine', otherBundle],
      ['combinator/mine', [{ endpoint: 'test/other' }]],
    ] as const) {
      const rejectedReply = await pda.call('POST', `/api/v2.6/${path}`, { json });
      expect(rejectedReply.status).toBe(400);
      expect(errorOf(rejectedReply).error).toBe('already_exists');
    }
    expect((await pda.call('GET', '/api/v2.6/data-bundle/mine/structure')).json).toEqual(structure);
    await calls.post('test/days', dayAt(1));
    expect(await calls.read('mine')).toEqual([dayAt(1)]);
  });

  it.skipIf(!IS_THOROUGH_RUN)('is replaced by PUT, and is listed and removed like a combinator', async () => {
    const otherBundle = { all: { endpoints: [{ endpoint: 'test/other' }] } };
    await pda.call('POST', '/api/v2.6/data-bundle/mine', { json: bundle });
    await calls.put('mine', [{ endpoint: 'test/days' }]);
    expect((await pda.call('PUT', '/api/v2.6/data-bundle/mine', { json: otherBundle })).json).toEqual({ all: [] });
    expect((await pda.call('GET', '/api/v2.6/data-bundle/mine/structure')).json).toEqual({
      name: 'mine',
      bundle: otherBundle,
    });
    for (const path of ['data-bundle', 'combinator']) {
      expect((await pda.call('GET', `/api/v2.6/${path}`)).json).toMatchObject([{ name: 'mine' }]);
      expect((await pda.call('DELETE', `/api/v2.6/${path}/mine`)).status).toBe(200);
      expect((await pda.call('GET', `/api/v2.6/${path}`)).json).toEqual([]);
      for (const method of ['GET', 'DELETE'])
        expect((await pda.call(method, `/api/v2.6/${path}/mine`)).status).toBe(404);
    }
  });

  it('is registered only once by concurrent requests', async () => {
    const replies = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        pda.call('POST', '/api/v2.6/data-bundle/race', {
          json: { [`p${index}`]: { endpoints: [{ endpoint: 'test/days' }] } },
        }),
      ),
    );
    expect(replies.map((reply) => reply.status).toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400, 400]);
    const winner = replies.find((reply) => reply.status === 200)?.json as object;
    const structure = (await pda.call('GET', '/api/v2.6/data-bundle/race/structure')).json as { bundle: object };
    expect(Object.keys(structure.bundle)).toEqual(Object.keys(winner));
  });
});
