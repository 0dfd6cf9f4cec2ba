import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ShortLivedClaims } from '../server/wire/contracts.ts';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import { anApplication, tokenOf } from './support/applications.ts';
import { aContract, startContractedPda, type ContractedPda, type Fields } from './support/contracts.ts';
import type { Reply } from './support/http.ts';
import { dataAt, errorOf, recordOf, recordsOf, type TestPda } from './support/test-pda.ts';

/** The interface's table of errors of contracted calls, to the letter, and who tries to get around it. */

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
const BOTH = { read: true, write: true };

let world: ContractedPda;
let pda: TestPda;
let { service, fields, post, put } = {} as ContractedPda;
beforeAll(async () => {
  world = await startContractedPda(APPLICATIONS, ['steps-study', 'bank-watch', 'greedy']);
  ({ pda, service, fields, post, put } = world);
  await pda.call('POST', '/api/v2.6/data/fitness/steps', { json: [{ n: 1 }, { n: 2 }, { n: 3 }] });
  await pda.call('POST', '/api/v2.6/data/finance/accounts', { json: { iban: 'X' } });
});
afterAll(() => world.close());

const refusal = (reply: Reply): [number, string] => [reply.status, errorOf(reply).error];

describe('a contracted call', () => {
  it('reads what the direct call reads, page by page and in order', async () => {
    const direct = await pda.call('GET', '/api/v2.6/data/fitness/steps?take=2&skip=1&orderBy=n&ordering=descending');
    const paging = { skip: 1, take: 2, orderBy: 'n', ordering: 'descending' };
    const reply = await post('read/fitness/steps', await fields(paging));
    expect([reply.status, reply.text]).toStrictEqual([200, direct.text]);
    expect((await post('read/fitness/steps', await fields())).text).toBe(
      (await pda.call('GET', '/api/v2.6/data/fitness/steps')).text,
    );
    // Paging and credentials in the address are read too.
    const { token } = await fields();
    const query = new URLSearchParams({ contractId: 'steps-study', pdaName: 'ada', take: '1', token: String(token) });
    expect(recordsOf(await post(`read/fitness/steps?${query.toString()}`, {}))).toHaveLength(1);
    expect(recordsOf(await post('read/fitness/nothing', await fields()))).toStrictEqual([]);
  });

  it('creates and updates as the direct call does, to the letter of what was sent', async () => {
    const one = await post('create/fitness/weights', await fields({ body: { kg: 70 } }));
    expect([one.status, recordOf(one).data]).toStrictEqual([201, { kg: 70 }]);
    const { token } = await fields();
    const head = `{"token":"${String(token)}","contractId":"steps-study","pdaName":"ada","body":`;
    const exact = '[{"b":1.0,"a":12345678901234567890},{"é":"\\u00e9"}]';
    const many = await pda.call('POST', '/api/v2.6/contract-data/create/fitness/exact', {
      body: `${head}${exact}}`,
      token: null,
    });
    expect(many.status).toBe(201);
    const stored = await pda.call('GET', '/api/v2.6/data/fitness/exact');
    expect(stored.text).toContain('{"b":1.0,"a":12345678901234567890}');
    expect(stored.text).toContain('{"é":"\\u00e9"}');
    const record = { ...recordOf(one), data: { kg: 71 } };
    const changed = await put('update/fitness', await fields({ body: [record] }));
    expect([changed.status, recordsOf(changed)]).toStrictEqual([201, [record]]);
    const again = await post('create/fitness/weights?skipErrors=true', await fields({ body: [{ kg: 71 }] }));
    expect([again.status, again.text]).toStrictEqual([201, '[]']);
  });

  it('is in the ledger under the name of the contract, and its records are of that origin', async () => {
    await post('read/fitness/steps', await fields({ take: 2 }));
    const page = ledgerPageSchema.parse((await pda.call('GET', '/api/v2.6/owner/ledger?contract=steps-study')).json);
    expect(page.rows[0]).toMatchObject({
      who: { kind: 'contract', name: 'steps-study' },
      consent: { kind: 'contract', name: 'steps-study' },
      endpoints: ['fitness/steps'],
      records: 2,
      outcome: 'allowed',
    });
    const study = (await world.contracts()).find(({ contractId }) => contractId === 'steps-study');
    expect(study).toMatchObject({ name: 'The steps-study', state: 'joined', problem: null });
    expect(study?.namespaces).toStrictEqual([
      { namespace: 'fitness', ...BOTH },
      { namespace: 'sleep', read: true, write: false },
    ]);
    expect(study?.reads).toBeGreaterThan(0);
    expect(study?.writes).toBeGreaterThan(0);
  });
});

describe('the table of errors', () => {
  it.each([
    ['an invalid namespace', 'read/fit%20ness/steps'],
    ['a namespace with a slash in it', 'read/fitness%2Fsteps/x'],
    ['dots for a namespace', 'read/%2e%2e/steps'],
    ['an invalid endpoint', 'read/fitness/st%20eps'],
    ['an endpoint that climbs', 'read/fitness/%2e%2e/finance/accounts'],
    ['a namespace that no contract knows', 'read/diary/pages'],
    ['the same in other letters', 'read/Fitness/steps'],
    ['no endpoint', 'read/fitness'],
  ])('404: %s', async (_, path) => {
    expect(refusal(await post(path, await fields()))).toStrictEqual([404, 'not_found']);
    if (!path.includes('Fitness') && path !== 'read/fitness' && !path.includes('diary'))
      // What is no name at all is no name for anybody.
      expect((await post(path, {})).status).toBe(404);
  });

  it.each<[string, string, Fields, Partial<ShortLivedClaims>]>([
    ['a namespace of another contract', 'read/finance/accounts', {}, {}],
    [
      'a namespace that the token names and the owner did not approve',
      'read/diary/pages',
      {},
      { namespaces: [{ namespace: 'diary', ...BOTH }] },
    ],
    ['a namespace that the owner approved and the token does not name', 'read/sleep/nights', {}, {}],
    [
      'a right that the owner did not approve',
      'create/sleep/nights',
      { body: {} },
      { namespaces: [{ namespace: 'sleep', ...BOTH }] },
    ],
    [
      'a right that the token does not give',
      'create/fitness/steps',
      { body: {} },
      { namespaces: [{ namespace: 'fitness', read: true, write: false }] },
    ],
    [
      'the right to write alone',
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
    [
      'a contract whose id only looks the same',
      'read/fitness/steps',
      { contractId: 'Steps-Study' },
      { sub: 'Steps-Study' },
    ],
    ['an application that is no contract', 'read/fitness/steps', { contractId: 'notes' }, { sub: 'notes' }],
    ['another name than this PDA has', 'read/fitness/steps', { pdaName: 'bob' }, {}],
    ['the token of another contract', 'read/fitness/steps', {}, { sub: 'bank-watch' }],
    ['another contract than the token is of', 'read/finance/accounts', { contractId: 'bank-watch' }, {}],
    [
      'rights over everything, which are not for a contract',
      'read/fitness/steps',
      { contractId: 'greedy' },
      { sub: 'greedy' },
    ],
    ['a joined contract that the token is not of', 'read/fitness/steps', { contractId: 'bank-watch' }, {}],
    ['no token', 'read/fitness/steps', { token: undefined }, {}],
    ['a number for a token', 'read/fitness/steps', { token: 7 }, {}],
    ['garbage for a token', 'read/fitness/steps', { token: 'a.b.c' }, {}],
    ['no contract', 'read/fitness/steps', { contractId: undefined }, {}],
    ['no name', 'read/fitness/steps', { pdaName: undefined }, {}],
  ])('403: %s', async (_, path, more, claims) => {
    const before = await dataAt(pda, 'fitness/steps');
    expect(refusal(await post(path, await fields(more, claims)))).toStrictEqual([403, 'forbidden']);
    expect(await dataAt(pda, 'fitness/steps')).toStrictEqual(before);
  });

  it('tells who has no good token nothing of which namespaces there are', async () => {
    const bad = { token: 'a.b.c', contractId: 'steps-study', pdaName: 'ada' };
    for (const path of ['read/fitness/steps', 'read/finance/accounts', 'read/diary/pages'])
      expect((await post(path, bad)).status).toBe(403);
    const stranger = await fields({ contractId: 'never-joined' }, { sub: 'never-joined' });
    for (const path of ['read/fitness/steps', 'read/diary/pages'])
      expect((await post(path, stranger)).status).toBe(403);
  });

  it('is that of the direct call behind the credentials', async () => {
    const [status, error] = refusal(await post('create/fitness/steps', await fields()));
    expect([status, error]).toStrictEqual([400, 'invalid_input']);
    expect(refusal(await post('read/fitness/steps', await fields({ take: -1 })))).toStrictEqual([400, 'invalid_input']);
    expect(refusal(await post('read/fitness/steps', []))).toStrictEqual([400, 'invalid_input']);
    const text = (body: string): Promise<Reply> =>
      pda.call('POST', '/api/v2.6/contract-data/read/fitness/steps', { body, token: null });
    expect(refusal(await text('{"token"'))).toStrictEqual([400, 'invalid_json']);
    expect(refusal(await text('{"token":"a","token":"b"}'))).toStrictEqual([400, 'invalid_json']);
    const unknown = [{ endpoint: 'fitness/steps', recordId: '019bc186-de00-7000-8937-015a1f841fa9', data: {} }];
    expect(refusal(await put('update/fitness', await fields({ body: unknown })))).toStrictEqual([400, 'data_missing']);
  });
});

describe('an attack', () => {
  const json64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const refusedToken = async (token: string): Promise<void> =>
    expect(refusal(await post('read/fitness/steps', await fields({ token })))).toStrictEqual([403, 'forbidden']);

  it('with a token that nobody signed, or that was signed with the public key for a secret, is refused', async () => {
    const good = await service.token();
    const [, claims = '', signature = ''] = good.split('.');
    const { kid, publicKey } = service.newestKey();
    await refusedToken(`${json64({ alg: 'none', typ: 'JWT', kid })}.${claims}.`);
    await refusedToken(`${json64({ alg: 'none', typ: 'JWT', kid })}.${claims}.${signature}`);
    for (const secret of [
      publicKey.export({ type: 'spki', format: 'pem' }),
      publicKey.export({ type: 'spki', format: 'der' }),
    ]) {
      const head = `${json64({ alg: 'HS256', typ: 'JWT', kid })}.${claims}`;
      await refusedToken(`${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`);
    }
    await refusedToken(`${good.slice(0, -6)}AAAAAA`);
    await refusedToken(await service.token({}, { typ: 'at+jwt' }));
    await refusedToken(await service.token({}, { kid: '' }));
  });

  it('with tokens of this PDA itself is refused, and they open nothing in the header either', async () => {
    await refusedToken(pda.token);
    await refusedToken(await tokenOf(pda, 'notes'));
    const bad = { token: 'a.b.c', contractId: 'steps-study', pdaName: 'ada' };
    expect((await post('read/fitness/steps', bad, { token: pda.token })).status).toBe(403);
    expect((await post('read/finance/accounts', await fields(), { token: pda.token })).status).toBe(403);
  });

  it('that says two things at once is refused', async () => {
    const { token } = await fields();
    const good = await fields();
    expect((await post(`read/fitness/steps?contractId=bank-watch`, good)).status).toBe(403);
    expect((await post(`read/fitness/steps?pdaName=bob`, good)).status).toBe(403);
    expect((await post(`read/fitness/steps?pdaName=ada&pdaName=bob`, { ...good, pdaName: undefined })).status).toBe(
      403,
    );
    expect((await post(`read/fitness/steps?token=x`, { ...good, token })).status).toBe(403);
    expect((await post(`read/fitness/steps?pdaName=ada`, good)).status).toBe(200);
  });

  it('on records of another namespace is refused, whatever the entry says', async () => {
    const [account] = recordsOf(await pda.call('GET', '/api/v2.6/data/finance/accounts'));
    const steps = await dataAt(pda, 'fitness/steps');
    const foreign = { ...account, data: { iban: 'stolen' } };
    const own = recordsOf(await pda.call('GET', '/api/v2.6/data/fitness/steps'))[0];
    expect((await put('update/fitness', await fields({ body: [{ ...own, data: {} }, foreign] }))).status).toBe(403);
    const disguised = { ...foreign, endpoint: 'fitness/accounts' };
    expect((await put('update/fitness', await fields({ body: [{ ...own, data: {} }, disguised] }))).status).toBe(400);
    expect((await put('update/finance', await fields({ body: [foreign] }))).status).toBe(403);
    expect(await dataAt(pda, 'finance/accounts')).toStrictEqual([{ iban: 'X' }]);
    expect(await dataAt(pda, 'fitness/steps')).toStrictEqual(steps);
  });
});
