import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApplication, setUpApplication } from '../../../../../tests/support/applications.ts';
import { OWNER, recordOf, recordsOf, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { idsIn, newestOf, recordsIn, rowsOf } from './access-recorder.test-support.ts';

const ROLES = [
  { role: 'namespaceread', detail: 'fitness' },
  { role: 'namespacewrite', detail: 'fitness' },
];
const STEPS = '/api/v2.6/data/fitness/steps';
const NO_SUCH_ID = '019bc186-de00-7000-8937-015a1f841fa9';

let pda: TestPda;
let token: string;
beforeAll(async () => {
  pda = await startTestPda({
    config: {
      applications: [
        anApplication({ roles: ROLES }),
        anApplication({ id: 'mirror', version: '2.1.0', roles: [{ role: 'owner' }] }),
      ],
    },
  });
  token = await setUpApplication(pda, 'notes');
  await pda.call('POST', STEPS, { json: [{ count: 3 }, { count: 1 }, { count: 2 }] });
});
afterAll(() => pda.close());

const READ_ACTION = 'GET /api/v2.6/data/:namespace/*endpoint';
const CONSENT = { kind: 'application', name: 'notes', detail: '1.0.0' };
const ids = (records: readonly { recordId: string }[]): string[] => records.map(({ recordId }) => recordId).toSorted();

describe('the entry of an allowed request of an application', () => {
  it('contains principal, consent, records, bytes, time and address of a read', async () => {
    const reply = await pda.call('GET', `${STEPS}?take=2`, { token });
    const row = await newestOf(pda);
    expect(row).toStrictEqual({
      id: row.id,
      time: new Date(pda.clock.now()).toISOString(),
      who: { kind: 'application', name: 'notes' },
      action: READ_ACTION,
      outcome: 'allowed',
      status: 200,
      reason: null,
      consent: CONSENT,
      endpoints: ['fitness/steps'],
      files: [],
      records: 2,
      fields: null,
      bytes: reply.body.length,
      address: '127.0.0.1',
      count: 1,
      last: null,
    });
    expect(await recordsIn(pda, row)).toStrictEqual(
      ids(recordsOf(reply)).map((recordId) => ({ recordId, endpoint: 'fitness/steps', exists: true, file: null })),
    );
  });

  it.each([
    ['in descending order', '?ordering=descending&take=1'],
    ['ordered by a field', '?orderBy=count&take=2'],
    ['with metadata', '?meta=true&skip=1'],
    ['past the end', '?skip=100'],
    ['with take=0', '?take=0'],
  ])('names exactly the records of the response to a read %s', async (_, query) => {
    const reply = await pda.call('GET', STEPS + query, { token });
    const row = await newestOf(pda);
    expect(await idsIn(pda, row)).toStrictEqual(ids(recordsOf(reply)));
    expect(row).toMatchObject({ records: recordsOf(reply).length, endpoints: ['fitness/steps'] });
    expect(row.bytes).toBe(reply.body.length);
  });

  it('names a single record that was read', async () => {
    const [record] = recordsOf(await pda.call('GET', `${STEPS}?take=1`));
    await pda.call('GET', `/api/v2.6/data-record/${record?.recordId}`, { token });
    const row = await newestOf(pda);
    expect(row).toMatchObject({ action: 'GET /api/v2.6/data-record/:recordId', records: 1 });
    expect(await idsIn(pda, row)).toStrictEqual([record?.recordId]);
  });

  it('names the stored records: one or several, at one or several endpoints', async () => {
    const response = await pda.call('POST', STEPS, { token, json: { count: 9 } });
    expect(await idsIn(pda, await newestOf(pda))).toStrictEqual([recordOf(response).recordId]);

    const multiResponse = await pda.call('POST', STEPS, { token, json: [{ a: 1 }, { a: 2 }] });
    expect(await idsIn(pda, await newestOf(pda))).toStrictEqual(ids(recordsOf(multiResponse)));

    const json = [
      { endpoint: 'fitness/a', data: 1 },
      { endpoint: 'fitness/b', data: 2 },
      { endpoint: 'fitness/a', data: 3 },
    ];
    const batch = await pda.call('POST', '/api/v2.6/data-batch', { token, json });
    const row = await newestOf(pda);
    expect(row).toMatchObject({ status: 201, endpoints: ['fitness/a', 'fitness/b'], records: 3, consent: CONSENT });
    expect(await idsIn(pda, row)).toStrictEqual(ids(recordsOf(batch)));
  });

  it('names only the new records if duplicates were skipped', async () => {
    const json = [{ twice: 1 }, { twice: 2 }];
    await pda.call('POST', '/api/v2.6/data/fitness/twice', { token, json: [{ twice: 1 }] });
    const reply = await pda.call('POST', '/api/v2.6/data/fitness/twice?skipErrors=true', { token, json });
    expect(recordsOf(reply)).toHaveLength(1);
    expect(await idsIn(pda, await newestOf(pda))).toStrictEqual(ids(recordsOf(reply)));
  });

  it('names the records that were updated or deleted by id, even after their deletion', async () => {
    const storedRecords = recordsOf(await pda.call('POST', '/api/v2.6/data/fitness/short', { json: [1, 2, 3] }));
    const json = storedRecords.slice(0, 2).map(({ recordId, endpoint }) => ({ recordId, endpoint, data: 'new' }));
    await pda.call('PUT', '/api/v2.6/data', { token, json });
    expect(await idsIn(pda, await newestOf(pda))).toStrictEqual(ids(storedRecords.slice(0, 2)));

    const query = storedRecords.slice(1).map(({ recordId }) => `records=${recordId}`);
    await pda.call('DELETE', `/api/v2.6/data?${query.join('&')}`, { token });
    const row = await newestOf(pda);
    expect(row).toMatchObject({ action: 'DELETE /api/v2.6/data', records: 2, endpoints: ['fitness/short'] });
    expect(await recordsIn(pda, row)).toStrictEqual(
      ids(storedRecords.slice(1)).map((recordId) => ({
        recordId,
        endpoint: 'fitness/short',
        exists: false,
        file: null,
      })),
    );
    // A search for the deleted record finds the requests that updated and deleted it.
    expect((await rowsOf(pda, `record=${storedRecords[1]?.recordId}`)).map((row) => row.action)).toStrictEqual([
      'DELETE /api/v2.6/data',
      'PUT /api/v2.6/data',
    ]);
  });

  it('names the records of an endpoint that was emptied', async () => {
    const storedRecords = recordsOf(await pda.call('POST', '/api/v2.6/data/fitness/emptied', { json: [1, 2, 3] }));
    await pda.call('DELETE', '/api/v2.6/data/fitness/emptied', { token });
    const row = await newestOf(pda);
    expect(row).toMatchObject({ action: 'DELETE /api/v2.6/data/:namespace/*endpoint', records: 3 });
    expect(await idsIn(pda, row)).toStrictEqual(ids(storedRecords));
  });

  it('counts the records of a large endpoint that was emptied, without naming them', async () => {
    await pda.call('POST', '/api/v2.6/data/fitness/large', { json: Array.from({ length: 6000 }, (_, n) => n) });
    await pda.call('DELETE', '/api/v2.6/data/fitness/large', { token });
    const row = await newestOf(pda);
    expect(row).toMatchObject({ records: 6000, endpoints: ['fitness/large'] });
    expect(await idsIn(pda, row)).toStrictEqual([]);
  });

  it('names the records that were returned by a combinator or a bundle', async () => {
    const mirror = await setUpApplication(pda, 'mirror');
    const combinator = [{ endpoint: 'fitness/steps', filters: [], mapping: { n: 'count' } }];
    await pda.call('PUT', '/api/v2.6/combinator/low', { json: combinator });
    const response = await pda.call('GET', '/api/v2.6/combinator/low?take=2', { token: mirror });
    const row = await newestOf(pda, 'mirror');
    const consent = { kind: 'application', name: 'mirror', detail: '2.1.0' };
    expect(row).toMatchObject({ consent, records: 2, fields: ['n'] });
    expect(await idsIn(pda, row)).toStrictEqual(ids(recordsOf(response)));

    const bundle = { one: { endpoints: [{ endpoint: 'fitness/steps' }], limit: 2 }, two: { endpoints: combinator } };
    const putReply = await pda.call('PUT', '/api/v2.6/data-bundle/both', { token: mirror, json: bundle });
    const returnedRecords = Object.values(putReply.json as Record<string, { recordId: string }[]>).flat();
    const expectedIds = [...new Set(ids(returnedRecords))];
    expect((await newestOf(pda, 'mirror')).fields).toBeNull();
    expect(await idsIn(pda, await newestOf(pda, 'mirror'))).toStrictEqual(expectedIds);
    await pda.call('GET', '/api/v2.6/data-bundle/both', { token: mirror });
    expect(await idsIn(pda, await newestOf(pda, 'mirror'))).toStrictEqual(expectedIds);
  });
});

describe('a refused request of an application', () => {
  it.each([
    ['GET', '/api/v2.6/data/finance/accounts', {}, 403, 'forbidden', ['finance/accounts']],
    ['POST', '/api/v2.6/data/finance/accounts', { json: 1 }, 403, 'forbidden', ['finance/accounts']],
    ['GET', '/api/v2.6/owner/ledger', {}, 403, 'forbidden', []],
    ['GET', `/api/v2.6/data-record/${NO_SUCH_ID}`, {}, 400, 'data_missing', []],
    ['POST', STEPS, { body: '{' }, 400, 'invalid_json', ['fitness/steps']],
    ['GET', `${STEPS}?take=x`, {}, 400, 'invalid_input', []],
  ])(
    '%s %s is logged with its error code and without records',
    async (method, path, call, status, reason, endpoints) => {
      const reply = await pda.call(method, path, { ...call, token });
      expect(reply.status).toBe(status);
      const row = await newestOf(pda);
      expect(row).toMatchObject({ outcome: 'refused', status, reason, records: 0, bytes: 0, consent: null });
      expect(row).toMatchObject({ endpoints, who: { kind: 'application', name: 'notes' } });
      expect((await rowsOf(pda, 'application=notes&outcome=refused&take=1'))[0]?.id).toBe(row.id);
    },
  );
});

describe("the owner's requests", () => {
  it('are not logged if they read or write data', async () => {
    const initialRows = await rowsOf(pda, 'take=999');
    await pda.call('GET', STEPS);
    await pda.call('POST', STEPS, { json: { mine: true } });
    await pda.call('GET', `/api/v2.6/data-record/${NO_SUCH_ID}`);
    await pda.call('GET', '/api/v2.6/data/sources');
    expect(await rowsOf(pda, 'take=999')).toStrictEqual(initialRows);
  });

  it('are logged if they concern the account: sign-in, sign-out and refused attempts', async () => {
    const headers = { username: OWNER.name, password: encodeURIComponent(OWNER.password) };
    const signInReply = await pda.call('GET', '/users/access_token', { headers, token: null });
    const [row] = await rowsOf(pda, 'take=1');
    expect(row).toMatchObject({ who: { kind: 'owner' }, action: 'sign-in', outcome: 'allowed', address: '127.0.0.1' });

    await pda.call('GET', '/users/access_token', { headers: { ...headers, password: 'wrong' }, token: null });
    const [refusedRow] = await rowsOf(pda, 'take=1');
    expect(refusedRow).toMatchObject({
      who: { kind: 'visitor', name: '' },
      action: 'sign-in',
      outcome: 'refused',
      status: 401,
      reason: 'invalid_credentials',
    });

    await pda.call('POST', '/api/v2.6/owner/sign-out', { token: String(signInReply.headers['x-auth-token']) });
    expect((await rowsOf(pda, 'take=1'))[0]).toMatchObject({ who: { kind: 'owner' }, action: 'sign-out' });

    await pda.call('POST', '/api/v2.6/owner/password', { json: { password: 'wrong', newPassword: OWNER.password } });
    expect((await rowsOf(pda, 'take=1'))[0]).toMatchObject({
      who: { kind: 'owner' },
      action: 'password-change',
      outcome: 'refused',
      reason: 'forbidden',
    });

    await pda.call('POST', '/api/v2.6/owner/move/exports', { json: { password: 'wrong' } });
    expect((await rowsOf(pda, 'take=1'))[0]).toMatchObject({
      who: { kind: 'owner' },
      action: 'export-all',
      outcome: 'refused',
      reason: 'forbidden',
    });
  });
});

describe('daily totals of the access log', () => {
  it('count requests, refusals and read records per principal and day', async () => {
    pda.clock.advance(2 * 86_400_000);
    pda.token = await pda.signIn();
    const newToken = await setUpApplication(pda, 'notes');
    await pda.call('GET', `${STEPS}?take=2`, { token: newToken });
    await pda.call('GET', `${STEPS}?take=1`, { token: newToken });
    await pda.call('POST', STEPS, { token: newToken, json: 1 });
    await pda.call('GET', '/api/v2.6/data/finance/accounts', { token: newToken });
    const days = (await pda.call('GET', '/api/v2.6/owner/ledger-days?days=1')).json;
    expect(days).toContainEqual({
      day: new Date(pda.clock.now()).toISOString().slice(0, 10),
      who: { kind: 'application', name: 'notes' },
      calls: 4,
      refused: 1,
      records: 3,
    });
    const summary = pda.pda.ledger.summarisePrincipal('application', 'notes');
    expect(summary.lastUsed).toBe(pda.clock.now());
    expect(summary.refused).toBeGreaterThan(1);
  });
});

describe('queries of the access log', () => {
  it('are refused with 400 if they are invalid and with 404 if the entry does not exist', async () => {
    for (const query of ['record=1', 'outcome=x', 'from=yesterday', 'take=1000', 'before=-1']) {
      expect((await pda.call('GET', `/api/v2.6/owner/ledger?${query}`)).status).toBe(400);
    }
    expect((await pda.call('GET', '/api/v2.6/owner/ledger/1/records')).status).toBe(404);
    expect((await pda.call('GET', '/api/v2.6/owner/ledger/x/records')).status).toBe(400);
  });

  it('accept times in several ISO 8601 formats', async () => {
    const allRows = await rowsOf(pda, 'take=200');
    const day = new Date(pda.clock.now()).toISOString().slice(0, 10);
    const today = allRows.filter((row) => row.time.startsWith(day));
    expect([today.length > 0, today.length < allRows.length]).toStrictEqual([true, true]);
    for (const from of [day, `${day}T00:00Z`, `${day}T01:00:00%2B0100`])
      expect(await rowsOf(pda, `take=200&from=${from}`)).toStrictEqual(today);
    expect(await rowsOf(pda, 'take=200&from=-271821-04-20&to=%2B275760-09-13')).toStrictEqual(allRows);
    expect(await rowsOf(pda, 'take=200&from=%2B275760-09-13')).toStrictEqual([]);
  });

  it('return an empty list for a record that no request accessed', async () => {
    expect(await rowsOf(pda, `record=${NO_SUCH_ID}`)).toStrictEqual([]);
  });
});
