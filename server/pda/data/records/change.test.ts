import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApplication, setUpApplication } from '../../../../tests/support/applications.ts';
import {
  dataAt,
  errorOf,
  recordOf,
  recordsOf,
  startTestPda,
  type TestPda,
} from '../../../../tests/support/test-pda.ts';
import { MAX_UPDATES_PER_REQUEST } from '../../../wire/limits.ts';
import { CHANGED_RECORDS_MAX_BYTES } from '../../../wire/work-limits.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

let counter = 0;
const newEndpoint = (): string => `change/test${++counter}`;
const UNKNOWN_ID = '019bc186-de00-7000-8937-015a1f841fa9';

const create = async (endpoint: string, values: unknown[]): Promise<string[]> =>
  recordsOf(await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json: values })).map((record) => record.recordId);
const put = (json: unknown) => pda.call('PUT', '/api/v2.6/data', { json });
const remove = (query: string) => pda.call('DELETE', `/api/v2.6/data${query}`);

describe('updating records', () => {
  it('returns 201 with the updated records, which keep their id, endpoint and position', async () => {
    const endpoint = newEndpoint();
    const ids = await create(endpoint, [1, 2, 3]);
    const entries = [
      { endpoint, recordId: ids[1], data: { two: [2] } },
      { endpoint, recordId: ids[0], data: null },
    ];
    const reply = await put(entries);
    expect([reply.status, reply.json]).toStrictEqual([201, entries]);
    const records = recordsOf(await pda.call('GET', `/api/v2.6/data/${endpoint}`));
    expect(records.map((record) => record.recordId)).toStrictEqual(ids);
    expect(records.map((record) => record.data)).toStrictEqual([null, { two: [2] }, 3]);
  });

  it('sets lastUpdated and keeps dateCreated', async () => {
    const endpoint = newEndpoint();
    const [recordId] = await create(endpoint, [1]);
    const creationTime = new Date(pda.clock.now()).toISOString();
    pda.clock.advance(5000);
    await put([{ endpoint, recordId, data: 2 }]);
    const [record] = recordsOf(await pda.call('GET', `/api/v2.6/data/${endpoint}?meta=true`));
    expect(record).toMatchObject({ dateCreated: creationTime, lastUpdated: new Date(pda.clock.now()).toISOString() });
  });

  it('accepts MAX_UPDATES_PER_REQUEST updates; with one more, rejects all of them', async () => {
    const endpoint = newEndpoint();
    const ids = await create(endpoint, Array(MAX_UPDATES_PER_REQUEST).fill(1));
    const entries = ids.map((recordId) => ({ endpoint, recordId, data: 2 }));
    const rejectedReply = await put([...entries, { endpoint, recordId: ids[0], data: 3 }]);
    expect([rejectedReply.status, errorOf(rejectedReply).error]).toStrictEqual([413, 'too_large']);
    expect(await dataAt(pda, endpoint)).toStrictEqual(Array(MAX_UPDATES_PER_REQUEST).fill(1));
    expect((await put(entries)).status).toBe(201);
    expect(await dataAt(pda, endpoint)).toStrictEqual(Array(MAX_UPDATES_PER_REQUEST).fill(2));
  });

  it('accepts an id in upper case and returns the stored id', async () => {
    const endpoint = newEndpoint();
    const [recordId = ''] = await create(endpoint, [1]);
    const reply = await put([{ endpoint, recordId: recordId.toUpperCase(), data: 2 }]);
    expect(recordsOf(reply)[0]?.recordId).toBe(recordId);
    expect(await dataAt(pda, endpoint)).toStrictEqual([2]);
  });

  it('updates records of several endpoints, and applies the last entry for a record', async () => {
    const [firstEndpoint, otherEndpoint] = [newEndpoint(), newEndpoint()];
    const [firstId] = await create(firstEndpoint, [1]);
    const [secondId] = await create(otherEndpoint, [1]);
    const reply = await put([
      { endpoint: firstEndpoint, recordId: firstId, data: 'a' },
      { endpoint: otherEndpoint, recordId: secondId, data: 'b' },
      { endpoint: firstEndpoint, recordId: firstId, data: 'c' },
    ]);
    expect(reply.status).toBe(201);
    expect([await dataAt(pda, firstEndpoint), await dataAt(pda, otherEndpoint)]).toStrictEqual([['c'], ['b']]);
  });

  it('changes nothing if a record does not exist or is at another endpoint', async () => {
    const [endpoint, otherEndpoint] = [newEndpoint(), newEndpoint()];
    const [recordId] = await create(endpoint, [1]);
    const [otherId] = await create(otherEndpoint, [1]);
    for (const invalidEntry of [
      { endpoint, recordId: UNKNOWN_ID, data: 2 },
      { endpoint: otherEndpoint, recordId, data: 2 },
      { endpoint, recordId: otherId, data: 2 },
      { endpoint: `${endpoint}/child`, recordId, data: 2 },
      { endpoint: 'unknown/endpoint', recordId, data: 2 },
    ]) {
      const reply = await put([{ endpoint, recordId, data: 2 }, invalidEntry]);
      expect([reply.status, errorOf(reply).error]).toStrictEqual([400, 'data_missing']);
      expect(errorOf(reply).cause).toMatch(/^Could not update records: records missing/u);
    }
    expect([await dataAt(pda, endpoint), await dataAt(pda, otherEndpoint)]).toStrictEqual([[1], [1]]);
    const meta = recordsOf(await pda.call('GET', `/api/v2.6/data/${endpoint}?meta=true`));
    expect(meta[0]?.lastUpdated).toBe(meta[0]?.dateCreated);
  });

  it('rejects an invalid entry and reports its number', async () => {
    const endpoint = newEndpoint();
    const [recordId] = await create(endpoint, [1]);
    for (const invalidEntry of [
      { endpoint, recordId },
      { endpoint, data: 2 },
      { recordId, data: 2 },
      { endpoint, recordId: 'x', data: 2 },
    ]) {
      const reply = await put([{ endpoint, recordId, data: 2 }, invalidEntry]);
      expect(reply.status).toBe(400);
      expect(errorOf(reply).cause).toMatch(/^Record 2: /u);
    }
    expect(await dataAt(pda, endpoint)).toStrictEqual([1]);
  });

  it('returns an empty list for an empty list', async () => {
    const reply = await put([]);
    expect([reply.status, reply.json]).toStrictEqual([201, []]);
  });
});

describe('large records', () => {
  const halfLimitText = 'x'.repeat(CHANGED_RECORDS_MAX_BYTES / 2);

  it.skipIf(!IS_THOROUGH_RUN)(
    'are changed together up to CHANGED_RECORDS_MAX_BYTES; changes and deletions of more bytes are refused',
    async () => {
      const [endpoint, otherEndpoint] = [newEndpoint(), newEndpoint()];
      // JSON adds two quotes to each string.
      const [firstId = ''] = await create(endpoint, [halfLimitText.slice(2)]);
      const [secondId = ''] = await create(endpoint, [halfLimitText.slice(2)]);
      const [smallId = ''] = await create(otherEndpoint, [1]);
      const entries = [firstId, secondId].map((recordId) => ({ endpoint, recordId, data: 0 }));
      const excessEntry = { endpoint: otherEndpoint, recordId: smallId, data: 2 };
      const replies = [
        await put([...entries, excessEntry]),
        await remove(`?records=${firstId}&records=${smallId}&records=${secondId}`),
      ];
      for (const reply of replies) {
        expect([reply.status, errorOf(reply).error]).toStrictEqual([413, 'too_large']);
        expect(errorOf(reply).cause).toContain(`${CHANGED_RECORDS_MAX_BYTES + 1} bytes`);
      }
      expect(await dataAt(pda, otherEndpoint)).toStrictEqual([1]);
      expect((await put(entries)).status).toBe(201);
      expect((await remove(`?records=${firstId}&records=${smallId}&records=${secondId}`)).status).toBe(200);
      expect([await dataAt(pda, endpoint), await dataAt(pda, otherEndpoint)]).toStrictEqual([[], []]);
    },
  );

  it('are changed and deleted one by one, at any size', async () => {
    const endpoint = newEndpoint();
    const data = JSON.stringify('x'.repeat(CHANGED_RECORDS_MAX_BYTES));
    const owner = { kind: 'owner', name: 'owner' } as const;
    const [changedRecord, deletedRecord] = await pda.pda.records.create(
      [
        { endpoint, data },
        { endpoint, data },
      ],
      owner,
    );
    expect((await put([{ endpoint, recordId: changedRecord?.id, data: 'y' }])).status).toBe(201);
    expect((await remove(`?records=${deletedRecord?.id}`)).status).toBe(200);
    expect(await dataAt(pda, endpoint)).toStrictEqual(['y']);
  });
});

describe('deleting records', () => {
  it('accepts ids in repeated parameters, separated by commas, or both, in upper or lower case', async () => {
    const endpoint = newEndpoint();
    const [firstId = '', secondId, thirdId, fourthId, fifthId = '', sixthId] = await create(
      endpoint,
      [1, 2, 3, 4, 5, 6],
    );
    const reply = await remove(`?records=${firstId.toUpperCase()}`);
    expect([reply.status, reply.json]).toStrictEqual([200, { message: 'All records deleted' }]);
    expect((await remove(`?records=${secondId}&records=${thirdId}`)).status).toBe(200);
    expect((await remove(`?records=${fourthId},${fifthId}&records=${fifthId.toUpperCase()}`)).status).toBe(200);
    expect((await pda.call('GET', `/api/v2.6/data/${endpoint}`)).json).toMatchObject([{ recordId: sixthId }]);
  });

  it('is atomic: deletes all records or none', async () => {
    const endpoint = newEndpoint();
    const [firstId, secondId] = await create(endpoint, [1, 2]);
    const reply = await remove(`?records=${firstId}&records=${UNKNOWN_ID}&records=${secondId}`);
    expect([reply.status, errorOf(reply).error]).toStrictEqual([400, 'data_missing']);
    expect(errorOf(reply).cause).toMatch(/^Could not delete records: records missing/u);
    expect(await dataAt(pda, endpoint)).toStrictEqual([1, 2]);
  });

  it('responds with 400 if a record has already been deleted', async () => {
    const [id] = await create(newEndpoint(), [1]);
    expect((await remove(`?records=${id}`)).status).toBe(200);
    expect((await remove(`?records=${id}`)).status).toBe(400);
  });

  it('rejects a request with a missing or invalid id', async () => {
    for (const query of ['', '?records=', '?records=,', '?records=x', `?records=${UNKNOWN_ID},`, '?record=x']) {
      const reply = await remove(query);
      expect([query, reply.status, errorOf(reply).error]).toStrictEqual([query, 400, 'invalid_input']);
    }
  });

  it('is forbidden to an application outside its namespaces, and deletes no record', async () => {
    const roles = [{ role: 'namespacewrite' as const, detail: 'own' }];
    const otherPda = await startTestPda({ config: { applications: [anApplication({ id: 'writer', roles })] } });
    try {
      const token = await setUpApplication(otherPda, 'writer');
      const createInOtherPda = async (endpoint: string): Promise<string> =>
        recordOf(await otherPda.call('POST', `/api/v2.6/data/${endpoint}`, { json: { n: 1 } })).recordId;
      const [ownId, foreignId] = [await createInOtherPda('own/things'), await createInOtherPda('foreign/things')];
      for (const records of [foreignId, `${ownId},${foreignId}`]) {
        const reply = await otherPda.call('DELETE', `/api/v2.6/data?records=${records}`, { token });
        expect(reply.status).toBe(403);
        expect(errorOf(reply).error).toBe('forbidden');
      }
      expect([await dataAt(otherPda, 'own/things'), await dataAt(otherPda, 'foreign/things')]).toStrictEqual([
        [{ n: 1 }],
        [{ n: 1 }],
      ]);
      expect((await otherPda.call('DELETE', `/api/v2.6/data?records=${ownId}`, { token })).status).toBe(200);
      expect(await dataAt(otherPda, 'own/things')).toStrictEqual([]);
    } finally {
      await otherPda.close();
    }
  });

  it('accepts 300 ids in one request', async () => {
    const endpoint = newEndpoint();
    const ids = await create(
      endpoint,
      Array.from({ length: 300 }, (_, index) => index),
    );
    expect((await remove(`?records=${ids.join(',')}`)).status).toBe(200);
    expect(await dataAt(pda, endpoint)).toStrictEqual([]);
  });
});

describe('deleting an endpoint', () => {
  it('returns 200 even if there are no records', async () => {
    const endpoint = newEndpoint();
    await create(endpoint, [1, 2]);
    for (let round = 0; round < 2; round += 1) {
      const reply = await pda.call('DELETE', `/api/v2.6/data/${endpoint}`);
      expect([reply.status, reply.json]).toStrictEqual([200, { message: 'All records deleted' }]);
      expect(await dataAt(pda, endpoint)).toStrictEqual([]);
    }
  });

  it('keeps child endpoints', async () => {
    const endpoint = newEndpoint();
    await create(endpoint, [1]);
    await create(`${endpoint}/child`, [2]);
    await pda.call('DELETE', `/api/v2.6/data/${endpoint}`);
    expect(await dataAt(pda, `${endpoint}/child`)).toStrictEqual([2]);
  });

  it('allows new records at the same path', async () => {
    const endpoint = newEndpoint();
    await create(endpoint, [1]);
    await pda.call('DELETE', `/api/v2.6/data/${endpoint}`);
    await create(endpoint, [2]);
    await pda.pda.deletions.sweep();
    expect(await dataAt(pda, endpoint)).toStrictEqual([2]);
  });

  it('loses no record that is stored after an endpoint was created and deleted in one transaction', async () => {
    // Creation and deletion share one transaction (group commit). Later records must not be stored at the deleted
    // endpoint.
    const origin = { kind: 'owner', name: 'owner' } as const;
    for (let round = 0; round < 5; round += 1) {
      const endpoint = newEndpoint();
      const { records, deletions } = pda.pda;
      await Promise.all([
        records.create([{ endpoint, data: '1' }], origin),
        deletions.clearEndpoint(endpoint, origin),
        records.create([{ endpoint, data: '2' }], origin),
        deletions.clearEndpoint(endpoint, origin),
      ]);
      const previousData = await dataAt(pda, endpoint);
      await records.create([{ endpoint, data: '3' }], origin);
      await deletions.sweep();
      expect(await dataAt(pda, endpoint)).toStrictEqual([...previousData, 3]);
    }
  });
});

describe('names of endpoints', () => {
  it.each([
    ['letters/of/many-parts_and.dots~tilde', 'letters/of/many-parts_and.dots~tilde'],
    ['unicode/%C3%BC%E6%BC%A2%D0%B9', 'unicode/ü漢й'],
    ['combining/e%CC%81', 'combining/e\u0301'],
    ['dots/a..b/.hidden/...', 'dots/a..b/.hidden/...'],
    ['slash/a%2Fb', 'slash/a/b'],
    ['digits/123', 'digits/123'],
    ['proto/__proto__/constructor', 'proto/__proto__/constructor'],
    ['percent/%61%2e%62', 'percent/a.b'],
    ['sources/sources', 'sources/sources'],
  ])('%s is the endpoint %s', async (path, endpoint) => {
    const reply = await pda.call('POST', `/api/v2.6/data/${path}`, { json: 1 });
    expect(recordOf(reply).endpoint).toBe(endpoint);
    expect(await dataAt(pda, path)).toStrictEqual([1]);
  });

  it('distinguishes case, and composed from decomposed letters', async () => {
    for (const path of ['Case/x', 'case/x', 'case/%C3%A9', 'case/e%CC%81']) {
      await pda.call('POST', `/api/v2.6/data/${path}`, { json: path });
      expect(await dataAt(pda, path)).toStrictEqual([path]);
    }
  });

  it.each([
    'ns/a//b',
    'ns/',
    'ns/./a',
    'ns/../a',
    'ns/a/..',
    'ns/.',
    'ns/%2e%2e',
    'ns/a%2F',
    'ns/%2Fa',
    'a%2Fb/c',
    '../x',
    '%2e%2e/x',
    'ns/a b',
    'ns/a%20b',
    'ns/a%00b',
    'ns/a%0Ab',
    'ns/%F0%9F%98%80',
    'ns/a%3Fb',
    'ns/a%23b',
    'ns/a%5Cb',
    'ns/a%25b',
    'ns/a+b',
    'ns/a:b',
    'ns/a*b',
    "ns/a'b",
    'ns/%22',
    'ns/%ED%A0%80',
    'ns/%zz',
    'ns/%',
    'ns/%FF',
    'ns/%E2%80%AE',
    'ns/a%E2%80%8Bb',
    `ns/${'a'.repeat(201)}`,
    `${'a'.repeat(201)}/x`,
  ])('%s is rejected with 400 or 404, and nothing is stored', async (path) => {
    const previousSources = (await pda.call('GET', '/api/v2.6/data/sources')).text;
    const reply = await pda.call('POST', `/api/v2.6/data/${path.replaceAll(' ', '%20')}`, { json: 1 });
    expect([400, 404]).toContain(reply.status);
    expect(['invalid_input', 'not_found']).toContain(errorOf(reply).error);
    expect((await pda.call('GET', '/api/v2.6/data/sources')).text).toBe(previousSources);
  });
});
