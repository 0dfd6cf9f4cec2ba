import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ShortLivedClaims } from '../server/wire/contracts.ts';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { aContract, startContractedPda, type ContractedPda, type Credentials } from './support/contracts.ts';
import type { Reply } from './support/http.ts';
import { dataAt, errorOf, recordOf, recordsOf, type TestPda } from './support/test-pda.ts';

const APPLICATIONS = [
  aContract('steps-study', [
    ['namespaceread', 'fitness'],
    ['namespacewrite', 'fitness'],
    ['namespaceread', 'sleep'],
  ]),
  aContract('bank-watch', [['namespaceread', 'finance']]),
  aContract('greedy', [['owner', '']]),
  aContract('never-joined', [['namespaceread', 'fitness']]),
  anApplication({ id: 'notes', roles: [{ role: 'namespaceread', detail: 'fitness' }] }),
];
const READ_AND_WRITE = { read: true, write: true };

let harness: ContractedPda;
let pda: TestPda;
let { service, credentials, post, put } = {} as ContractedPda;
beforeAll(async () => {
  harness = await startContractedPda(APPLICATIONS, ['steps-study', 'bank-watch', 'greedy']);
  ({ pda, service, credentials, post, put } = harness);
  await pda.call('POST', '/api/v2.6/data/fitness/steps', { json: [{ n: 1 }, { n: 2 }, { n: 3 }] });
  await pda.call('POST', '/api/v2.6/data/finance/accounts', { json: { iban: 'X' } });
});
afterAll(() => harness.close());

const refusalOf = (reply: Reply): [number, string] => [reply.status, errorOf(reply).error];

describe('contracted access', () => {
  it('reads the same as the data API, with paging and order', async () => {
    const directReply = await pda.call(
      'GET',
      '/api/v2.6/data/fitness/steps?take=2&skip=1&orderBy=n&ordering=descending',
    );
    const paging = { skip: 1, take: 2, orderBy: 'n', ordering: 'descending' };
    const reply = await post('read/fitness/steps', await credentials(paging));
    expect([reply.status, reply.text]).toStrictEqual([200, directReply.text]);
    expect((await post('read/fitness/steps', await credentials())).text).toBe(
      (await pda.call('GET', '/api/v2.6/data/fitness/steps')).text,
    );
    // Paging and credentials may also be sent in the query.
    const { token } = await credentials();
    const query = new URLSearchParams({ contractId: 'steps-study', pdaName: 'ada', take: '1', token: String(token) });
    expect(recordsOf(await post(`read/fitness/steps?${query.toString()}`, {}))).toHaveLength(1);
    expect(recordsOf(await post('read/fitness/nothing', await credentials()))).toStrictEqual([]);
  });

  it('creates and updates like the data API and preserves the JSON text', async () => {
    const createReply = await post('create/fitness/weights', await credentials({ body: { kg: 70 } }));
    expect([createReply.status, recordOf(createReply).data]).toStrictEqual([201, { kg: 70 }]);
    const { token } = await credentials();
    const head = `{"token":"${String(token)}","contractId":"steps-study","pdaName":"ada","body":`;
    const jsonText = '[{"b":1.0,"a":12345678901234567890},{"é":"\\u00e9"}]';
    const batch = await pda.call('POST', '/api/v2.6/contract-data/create/fitness/exact', {
      body: `${head}${jsonText}}`,
      token: null,
    });
    expect(batch.status).toBe(201);
    const storedReply = await pda.call('GET', '/api/v2.6/data/fitness/exact');
    expect(storedReply.text).toContain('{"b":1.0,"a":12345678901234567890}');
    expect(storedReply.text).toContain('{"é":"\\u00e9"}');
    const record = { ...recordOf(createReply), data: { kg: 71 } };
    const updateReply = await put('update/fitness', await credentials({ body: [record] }));
    expect([updateReply.status, recordsOf(updateReply)]).toStrictEqual([201, [record]]);
    const duplicateReply = await post(
      'create/fitness/weights?skipErrors=true',
      await credentials({ body: [{ kg: 71 }] }),
    );
    expect([duplicateReply.status, duplicateReply.text]).toStrictEqual([201, '[]']);
  });

  it('is recorded in the access log under the contract and counted for the owner', async () => {
    await post('read/fitness/steps', await credentials({ take: 2 }));
    const page = ledgerPageSchema.parse((await pda.call('GET', '/api/v2.6/owner/ledger?contract=steps-study')).json);
    expect(page.rows[0]).toMatchObject({
      who: { kind: 'contract', name: 'steps-study' },
      consent: { kind: 'contract', name: 'steps-study' },
      endpoints: ['fitness/steps'],
      records: 2,
      outcome: 'allowed',
    });
    const study = (await harness.contracts()).find(({ contractId }) => contractId === 'steps-study');
    expect(study).toMatchObject({ name: 'The steps-study', state: 'joined', problem: null });
    expect(study?.namespaces).toStrictEqual([
      { namespace: 'fitness', ...READ_AND_WRITE },
      { namespace: 'sleep', read: true, write: false },
    ]);
    expect(study?.reads).toBeGreaterThan(0);
    expect(study?.writes).toBeGreaterThan(0);
  });
});

describe('contracted access (errors)', () => {
  it.each([
    ['an invalid namespace', 'read/fit%20ness/steps'],
    ['a namespace with a slash', 'read/fitness%2Fsteps/x'],
    ['dots as the namespace', 'read/%2e%2e/steps'],
    ['an invalid endpoint', 'read/fitness/st%20eps'],
    ['an endpoint with a parent segment', 'read/fitness/%2e%2e/finance/accounts'],
    ['a namespace of no contract', 'read/diary/pages'],
    ['a namespace that differs in case', 'read/Fitness/steps'],
    ['no endpoint', 'read/fitness'],
  ])('responds 404 to %s', async (_, path) => {
    expect(refusalOf(await post(path, await credentials()))).toStrictEqual([404, 'not_found']);
    if (!path.includes('Fitness') && path !== 'read/fitness' && !path.includes('diary'))
      // Invalid names result in 404 even without credentials.
      expect((await post(path, {})).status).toBe(404);
  });

  it.each([
    [{ skip: -1 }, 'body.skip: must be at least 0'],
    [{ take: '5' }, 'body.take: must be a number'],
    [{ orderBy: null }, 'body.orderBy: must be text'],
  ])('describes invalid paging (%j) in the words of all other refusals', async (paging, cause) => {
    const reply = await post('read/fitness/steps', await credentials(paging));
    expect([reply.status, errorOf(reply).cause]).toStrictEqual([400, cause]);
  });

  it.each<[string, string, Credentials, Partial<ShortLivedClaims>]>([
    ['a namespace of another contract', 'read/finance/accounts', {}, {}],
    [
      'a namespace that the token names and the owner did not approve',
      'read/diary/pages',
      {},
      { namespaces: [{ namespace: 'diary', ...READ_AND_WRITE }] },
    ],
    ['a namespace that the owner approved and the token does not name', 'read/sleep/nights', {}, {}],
    [
      'a right that the owner did not approve',
      'create/sleep/nights',
      { body: {} },
      { namespaces: [{ namespace: 'sleep', ...READ_AND_WRITE }] },
    ],
    [
      'a right that the token does not grant',
      'create/fitness/steps',
      { body: {} },
      { namespaces: [{ namespace: 'fitness', read: true, write: false }] },
    ],
    [
      'reading with write access only',
      'read/fitness/steps',
      {},
      { namespaces: [{ namespace: 'fitness', read: false, write: true }] },
    ],
    ['an expired token', 'read/fitness/steps', {}, { exp: Date.UTC(2026, 0, 15, 12) / 1000 }],
    [
      'a contract that this PDA has not joined',
      'read/fitness/steps',
      { contractId: 'never-joined' },
      { sub: 'never-joined' },
    ],
    ['a contract id that differs in case', 'read/fitness/steps', { contractId: 'Steps-Study' }, { sub: 'Steps-Study' }],
    ['an application that is not a contract', 'read/fitness/steps', { contractId: 'notes' }, { sub: 'notes' }],
    ['the name of another PDA', 'read/fitness/steps', { pdaName: 'bob' }, {}],
    ['the token of another contract', 'read/fitness/steps', {}, { sub: 'bank-watch' }],
    [
      'a contract id that does not match the token, in a namespace of that contract',
      'read/finance/accounts',
      { contractId: 'bank-watch' },
      {},
    ],
    [
      'a contract with owner rights, which contracts cannot have',
      'read/fitness/steps',
      { contractId: 'greedy' },
      { sub: 'greedy' },
    ],
    ['a contract id that does not match the token', 'read/fitness/steps', { contractId: 'bank-watch' }, {}],
    ['no token', 'read/fitness/steps', { token: undefined }, {}],
    ['a number as the token', 'read/fitness/steps', { token: 7 }, {}],
    ['a malformed token', 'read/fitness/steps', { token: 'a.b.c' }, {}],
    ['no contract id', 'read/fitness/steps', { contractId: undefined }, {}],
    ['no PDA name', 'read/fitness/steps', { pdaName: undefined }, {}],
  ])('responds 403 to %s', async (_, path, changedFields, claims) => {
    const dataBefore = await dataAt(pda, 'fitness/steps');
    expect(refusalOf(await post(path, await credentials(changedFields, claims)))).toStrictEqual([403, 'forbidden']);
    expect(await dataAt(pda, 'fitness/steps')).toStrictEqual(dataBefore);
  });

  it('does not reveal which namespaces exist to callers without valid credentials', async () => {
    const invalidCredentials = { token: 'a.b.c', contractId: 'steps-study', pdaName: 'ada' };
    for (const path of ['read/fitness/steps', 'read/finance/accounts', 'read/diary/pages'])
      expect((await post(path, invalidCredentials)).status).toBe(403);
    const neverJoinedCredentials = await credentials({ contractId: 'never-joined' }, { sub: 'never-joined' });
    for (const path of ['read/fitness/steps', 'read/diary/pages'])
      expect((await post(path, neverJoinedCredentials)).status).toBe(403);
  });

  it('responds 400 to invalid bodies and parameters, malformed JSON and unknown records', async () => {
    expect(refusalOf(await post('create/fitness/steps', await credentials()))).toStrictEqual([400, 'invalid_input']);
    expect(refusalOf(await post('read/fitness/steps', await credentials({ take: -1 })))).toStrictEqual([
      400,
      'invalid_input',
    ]);
    expect(refusalOf(await post('read/fitness/steps', []))).toStrictEqual([400, 'invalid_input']);
    const postText = (body: string): Promise<Reply> =>
      pda.call('POST', '/api/v2.6/contract-data/read/fitness/steps', { body, token: null });
    expect(refusalOf(await postText('{"token"'))).toStrictEqual([400, 'invalid_json']);
    expect(refusalOf(await postText('{"token":"a","token":"b"}'))).toStrictEqual([400, 'invalid_json']);
    const unknownRecords = [{ endpoint: 'fitness/steps', recordId: '019bc186-de00-7000-8937-015a1f841fa9', data: {} }];
    expect(refusalOf(await put('update/fitness', await credentials({ body: unknownRecords })))).toStrictEqual([
      400,
      'data_missing',
    ]);
  });
});

describe('contracted access under attack', () => {
  const toBase64Json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const expectRefused = async (token: string): Promise<void> =>
    expect(refusalOf(await post('read/fitness/steps', await credentials({ token })))).toStrictEqual([403, 'forbidden']);

  it('refuses unsigned tokens and tokens signed with the public key as an HMAC secret', async () => {
    const validToken = await service.issueToken();
    const [, claims = '', signature = ''] = validToken.split('.');
    const { kid, publicKey } = service.newestKey();
    await expectRefused(`${toBase64Json({ alg: 'none', typ: 'JWT', kid })}.${claims}.`);
    await expectRefused(`${toBase64Json({ alg: 'none', typ: 'JWT', kid })}.${claims}.${signature}`);
    for (const secret of [
      publicKey.export({ type: 'spki', format: 'pem' }),
      publicKey.export({ type: 'spki', format: 'der' }),
    ]) {
      const signedPart = `${toBase64Json({ alg: 'HS256', typ: 'JWT', kid })}.${claims}`;
      await expectRefused(`${signedPart}.${createHmac('sha256', secret).update(signedPart).digest('base64url')}`);
    }
    await expectRefused(`${validToken.slice(0, -6)}AAAAAA`);
    await expectRefused(await service.issueToken({}, { typ: 'at+jwt' }));
    await expectRefused(await service.issueToken({}, { kid: '' }));
  });

  it('refuses tokens issued by the PDA itself, in the body and in the header', async () => {
    await expectRefused(pda.token);
    await expectRefused(await setUpApplication(pda, 'notes'));
    const invalidCredentials = { token: 'a.b.c', contractId: 'steps-study', pdaName: 'ada' };
    expect((await post('read/fitness/steps', invalidCredentials, { token: pda.token })).status).toBe(403);
    expect((await post('read/finance/accounts', await credentials(), { token: pda.token })).status).toBe(403);
  });

  it('refuses conflicting credentials in query and body', async () => {
    const { token } = await credentials();
    const validCredentials = await credentials();
    expect((await post(`read/fitness/steps?contractId=bank-watch`, validCredentials)).status).toBe(403);
    expect((await post(`read/fitness/steps?pdaName=bob`, validCredentials)).status).toBe(403);
    expect(
      (await post(`read/fitness/steps?pdaName=ada&pdaName=bob`, { ...validCredentials, pdaName: undefined })).status,
    ).toBe(403);
    expect((await post(`read/fitness/steps?token=x`, { ...validCredentials, token })).status).toBe(403);
    expect((await post(`read/fitness/steps?pdaName=ada`, validCredentials)).status).toBe(200);
  });

  it('refuses updates of records in another namespace, even with a forged endpoint', async () => {
    const [account] = recordsOf(await pda.call('GET', '/api/v2.6/data/finance/accounts'));
    const steps = await dataAt(pda, 'fitness/steps');
    const otherRecord = { ...account, data: { iban: 'stolen' } };
    const [allowedRecord] = recordsOf(await pda.call('GET', '/api/v2.6/data/fitness/steps'));
    expect(
      (await put('update/fitness', await credentials({ body: [{ ...allowedRecord, data: {} }, otherRecord] }))).status,
    ).toBe(403);
    const forgedRecord = { ...otherRecord, endpoint: 'fitness/accounts' };
    expect(
      (await put('update/fitness', await credentials({ body: [{ ...allowedRecord, data: {} }, forgedRecord] }))).status,
    ).toBe(400);
    expect((await put('update/finance', await credentials({ body: [otherRecord] }))).status).toBe(403);
    expect(await dataAt(pda, 'finance/accounts')).toStrictEqual([{ iban: 'X' }]);
    expect(await dataAt(pda, 'fitness/steps')).toStrictEqual(steps);
  });
});
