import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApplication, setUpApplication } from '../../../../../tests/support/applications.ts';
import type { Call, Reply } from '../../../../../tests/support/http.ts';
import { recordOf, recordsOf, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';

// Tests that an application cannot probe for records that it may not read.

const roleOf = (right: 'namespaceread' | 'namespacewrite', detail: string) => ({ role: right, detail });
const APPLICATIONS = [
  anApplication({ id: 'writer', roles: [roleOf('namespacewrite', 'diary')] }),
  anApplication({ id: 'second', roles: [roleOf('namespacewrite', 'diary')] }),
  anApplication({ id: 'keeper', roles: [roleOf('namespaceread', 'diary'), roleOf('namespacewrite', 'diary')] }),
  anApplication({ id: 'mixed', roles: [roleOf('namespaceread', 'bank'), roleOf('namespacewrite', 'diary')] }),
  anApplication({ id: 'like-owner', roles: [{ role: 'owner' }] }),
];

let pda: TestPda;
const tokens = new Map<string, string>();
beforeAll(async () => {
  pda = await startTestPda({ config: { applications: APPLICATIONS } });
  for (const { id } of APPLICATIONS) tokens.set(id, await setUpApplication(pda, id));
});
afterAll(() => pda.close());

let counter = 0;
const newEndpoint = (namespace = 'diary'): string => `${namespace}/guessing${++counter}`;
const callAs = (application: string, method: string, path: string, call: Call = {}): Promise<Reply> =>
  pda.call(method, `/api/v2.6/${path}`, { ...call, token: tokens.get(application) ?? '' });
const store = async (endpoint: string, json: unknown): Promise<string> =>
  recordOf(await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json })).recordId;
/** Returns the values that were stored. */
const postSkippingErrors = async (application: string, endpoint: string, values: unknown[]): Promise<unknown[]> =>
  recordsOf(await callAs(application, 'POST', `data/${endpoint}?skipErrors=true`, { json: values })).map(
    (record) => record.data,
  );

describe('skipErrors of an application', () => {
  it('does not reveal the records of other principals', async () => {
    const endpoint = newEndpoint();
    await store(endpoint, { mood: 'low' });
    await postSkippingErrors('second', endpoint, [{ mood: 'high' }]);
    const guesses = [{ mood: 'low' }, { mood: 'high' }, { mood: 'none' }];
    expect(await postSkippingErrors('writer', endpoint, guesses)).toStrictEqual(guesses);
  });

  it('skips records that the application itself stored, and duplicates within the request', async () => {
    const endpoint = newEndpoint();
    await store(endpoint, { a: 1, b: 2 });
    expect(await postSkippingErrors('writer', endpoint, [{ a: 1, b: 2 }, { b: 2, a: 1.0 }, 7, 7])).toStrictEqual([
      { a: 1, b: 2 },
      7,
    ]);
    // An application's own record is found even if another principal stored an equal one, earlier or later.
    await store(endpoint, 7);
    expect(await postSkippingErrors('writer', endpoint, [{ b: 2, a: 1 }, 7, 8])).toStrictEqual([8]);
    expect(await postSkippingErrors('writer', endpoint, [7, 8])).toStrictEqual([]);
  });

  it('compares with all records if the caller may read them', async () => {
    const endpoint = newEndpoint();
    await store(endpoint, 1);
    await postSkippingErrors('writer', endpoint, [2]);
    expect(await postSkippingErrors('keeper', endpoint, [1, 2, 3])).toStrictEqual([3]);
    expect(await postSkippingErrors('like-owner', endpoint, [1, 2, 3, 4])).toStrictEqual([4]);
    const reply = await pda.call('POST', `/api/v2.6/data/${endpoint}?skipErrors=true`, { json: [1, 2, 3, 4, 5] });
    expect(recordsOf(reply).map((record) => record.data)).toStrictEqual([5]);
  });

  it('ignores the right to read another namespace', async () => {
    const endpoint = newEndpoint();
    await store(endpoint, 1);
    expect(await postSkippingErrors('mixed', endpoint, [1])).toStrictEqual([1]);
  });
});

describe('the list of sources', () => {
  it('contains the namespaces that the caller may read or write, and all namespaces for the owner', async () => {
    const [diaryEndpoint, bankEndpoint, otherEndpoint] = [newEndpoint(), newEndpoint('bank'), newEndpoint('other')];
    for (const endpoint of [diaryEndpoint, bankEndpoint, otherEndpoint]) await store(endpoint, 1);
    const namespaces = async (application: string): Promise<string[]> =>
      Object.keys((await callAs(application, 'GET', 'data/sources')).json as object);
    expect(await namespaces('writer')).toStrictEqual(['diary']);
    expect(await namespaces('keeper')).toStrictEqual(['diary']);
    expect(await namespaces('mixed')).toStrictEqual(['bank', 'diary']);
    const allSources = (await pda.call('GET', '/api/v2.6/data/sources')).json;
    expect(Object.keys(allSources as object)).toStrictEqual(['bank', 'diary', 'other']);
    expect((await callAs('like-owner', 'GET', 'data/sources')).json).toStrictEqual(allSources);
  });
});
