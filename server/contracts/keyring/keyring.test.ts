import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { errorOf } from '../../../tests/support/test-pda.ts';
import { onBothDatabases } from '../../platform/postgres/postgres.test-support.ts';
import { contractSchema, keyringSchema } from '../../wire/contracts.ts';
import { FITNESS, startTestContracts, type TestContracts } from '../contracts.test-support.ts';
import type { Reply } from '../../../tests/support/http.ts';

const MINUTE = 60_000;

onBothDatabases('the keyring', ({ fresh }) => {
  let contracts: TestContracts;
  beforeAll(async () => {
    contracts = await startTestContracts({ database: await fresh() });
  });
  afterAll(() => contracts.close());
  // The burst of wrong tokens is there again for each.
  beforeEach(() => contracts.clock.advance(10 * MINUTE));

  const keyring = async (token: string, query = ''): Promise<{ token: string; associatedPdas: string[] }> => {
    const reply = await contracts.keyring(token, query);
    expect(reply.status).toBe(200);
    return keyringSchema.parse(reply.json);
  };
  const keySet = async (): Promise<JSONWebKeySet> =>
    (await contracts.call('GET', '/.well-known/jwks.json')).json as JSONWebKeySet;
  const verified = async (token: string) =>
    jwtVerify(token, createLocalJWKSet(await keySet()), {
      currentDate: new Date(contracts.clock.now()),
      algorithms: ['RS256'],
    });
  const refusal = (reply: Reply): [number, string] => [reply.status, errorOf(reply).error];

  it('gives a token of 15 minutes that says which contract it is of, and what it opens', async () => {
    const namespaces = [...FITNESS, { namespace: 'sleep', read: true, write: false }];
    const { id, token } = await contracts.contract('study', namespaces);
    const first = await keyring(token);
    expect(first.associatedPdas).toStrictEqual([]);
    const { payload, protectedHeader } = await verified(first.token);
    expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'JWT' });
    const now = Math.floor(contracts.clock.now() / 1000);
    expect(payload).toStrictEqual({
      iss: contracts.host,
      sub: id,
      namespaces,
      jti: expect.any(String),
      iat: now,
      exp: now + 900,
    });
    expect((await verified((await keyring(token)).token)).payload.jti).not.toBe(payload.jti);
    // Anybody may know what those who join agree to.
    const shown = await contracts.call('GET', `/v1/contracts/${id}`);
    expect(contractSchema.parse(shown.json)).toStrictEqual({
      contractId: id,
      name: id,
      description: '',
      developer: '',
      namespaces,
    });
  });

  it('names all that joined, in order, however many pages they fill; skip and take count', async () => {
    const { id, token } = await contracts.contract();
    const other = await contracts.contract();
    // More than two of the pages in which they are read.
    await contracts.fill(id, 12_000);
    await contracts.fill(other.id, 3);
    const { associatedPdas } = await keyring(token);
    expect(associatedPdas).toHaveLength(12_000);
    expect(associatedPdas).toStrictEqual(associatedPdas.toSorted());
    const page = async (query: string): Promise<string[]> => (await keyring(token, query)).associatedPdas;
    expect(await page('?skip=9999&take=3')).toStrictEqual(['p009999', 'p010000', 'p010001']);
    expect(await page('?take=10001')).toStrictEqual(associatedPdas.slice(0, 10_001));
    expect(await page('?skip=11998')).toStrictEqual(['p011998', 'p011999']);
    expect(await page('?skip=12000')).toStrictEqual([]);
    expect(await page('?take=0')).toStrictEqual([]);
    expect(refusal(await contracts.keyring(token, '?take=-1'))).toStrictEqual([400, 'invalid_input']);
    expect((await keyring(other.token)).associatedPdas).toHaveLength(3);
  });

  it('is nobody else’s: wrong, cut and mistaken tokens are refused, and after many of them the rest too for a while', async () => {
    const { id, token } = await contracts.contract();
    const { token: shortLived } = await keyring(token);
    const header = (authorization: string): Promise<Reply> =>
      contracts.call('GET', '/v1/contracts/keyring', { headers: { authorization } });
    for (const wrong of [token.slice(0, -1), `${token}A`, token.toLowerCase(), shortLived, id, 'pda-contract-'])
      expect(refusal(await contracts.keyring(wrong))).toStrictEqual([401, 'not_authenticated']);
    for (const wrong of ['', token, `Basic ${token}`, 'Bearer ', `Bearer ${token} x`])
      expect(refusal(await header(wrong))).toStrictEqual([401, 'not_authenticated']);
    expect((await contracts.call('GET', '/v1/contracts/keyring', { headers: { 'x-auth-token': token } })).status).toBe(
      401,
    );
    expect((await header(`bearer ${token}`)).status).toBe(200);
    let last = await contracts.keyring('guess');
    for (let tries = 0; tries < 20 && last.status === 401; tries += 1) last = await contracts.keyring('guess');
    expect(refusal(last)).toStrictEqual([429, 'rate_limited']);
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
    // Who has the right one is not kept out by those who guess.
    await keyring(token);
  });

  it('goes to one long-lived token after the other: rotated at once or with an overlap, and revoked', async () => {
    const { id, token: first } = await contracts.contract();
    const service = contracts.service.contracts;
    const second = await service.rotateToken(id, 0, 'test');
    expect((await contracts.keyring(first)).status).toBe(401);
    const third = await service.rotateToken(id, 60 * MINUTE, 'test');
    await keyring(second);
    await keyring(third);
    contracts.clock.advance(60 * MINUTE);
    expect((await contracts.keyring(second)).status).toBe(401);
    await keyring(third);
    expect(await service.revokeTokens(id, 'test')).toBe(1);
    expect((await contracts.keyring(third)).status).toBe(401);
    expect((await service.tokensOf(id)).map(({ ends }) => ends === null)).toStrictEqual([false, false, false]);
    await expect(service.rotateToken('nobody', 0, 'test')).rejects.toMatchObject({ code: 'not_found' });
    const rows = await contracts.service.database.read((db) => db.selectFrom('contract_tokens').selectAll().execute());
    for (const token of [first, second, third]) expect(JSON.stringify(rows)).not.toContain(token.slice(13));
  });

  it('ends with the contract', async () => {
    const { id, token } = await contracts.contract();
    await contracts.service.contracts.setEnabled(id, false, 'test');
    expect(refusal(await contracts.keyring(token))).toStrictEqual([403, 'forbidden']);
    expect(refusal(await contracts.call('GET', `/v1/contracts/${id}`))).toStrictEqual([404, 'not_found']);
    await contracts.service.contracts.setEnabled(id, true, 'test');
    await keyring(token);
    expect(refusal(await contracts.call('GET', '/v1/contracts/nothing'))).toStrictEqual([404, 'not_found']);
    await expect(contracts.service.contracts.setEnabled('nothing', true, 'test')).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('takes no second contract of the same id, nor one that looks alike', async () => {
    await contracts.contract('Steps.Study');
    await expect(contracts.contract('steps.study')).rejects.toMatchObject({ code: 'already_exists' });
    const made = await contracts.service.contracts.create({ name: '  Ärzte & Co. ', namespaces: FITNESS }, 'test');
    expect(made.contract.contractId).toBe('a-rzte-co');
    await expect(contracts.service.contracts.create({ name: '…!', namespaces: FITNESS }, 'test')).rejects.toMatchObject(
      {
        code: 'invalid_input',
      },
    );
  });

  it('is signed by a new key only when that has been published for a while, and the old one is published until its tokens are over', async () => {
    const { token } = await contracts.contract();
    const kids = async (): Promise<unknown[]> => (await keySet()).keys.map(({ kid }) => kid);
    const kidOf = (jwt: string): unknown => decodeProtectedHeader(jwt).kid;
    const before = (await keyring(token)).token;
    const next = await contracts.service.keys.rotate('test');
    expect(await kids()).toStrictEqual([kidOf(before), next]);
    const still = (await keyring(token)).token;
    expect(kidOf(still)).toBe(kidOf(before));
    contracts.clock.advance(10_000);
    const after = (await keyring(token)).token;
    expect(kidOf(after)).toBe(next);
    // Of either key, as long as it is good.
    for (const jwt of [before, still, after]) await verified(jwt);
    contracts.clock.advance(15 * MINUTE - 11_000);
    await verified(still);
    contracts.clock.advance(6 * MINUTE);
    expect(await kids()).toStrictEqual([next]);
    await expect(verified(still)).rejects.toThrow();
    const third = await contracts.service.keys.rotate('test', { atOnce: true });
    expect(await kids()).toStrictEqual([third]);
    expect(kidOf((await keyring(token)).token)).toBe(third);
  });

  it('tells nothing of the private keys', async () => {
    for (const key of (await keySet()).keys)
      expect(Object.keys(key).toSorted()).toStrictEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });

  it('is in the audit, with whoever did what', async () => {
    const { id, token } = await contracts.contract();
    await keyring(token);
    await contracts.service.contracts.rotateToken(id, 0, 'test');
    const entries = await contracts.service.audit.list({ take: 3 });
    expect(entries.map(({ who, what, subject }) => [who, what, subject])).toStrictEqual([
      ['test', 'token.rotated', id],
      [id, 'keyring.read', id],
      ['test', 'contract.created', id],
    ]);
  });
});

onBothDatabases('several processes', ({ kind, fresh }) => {
  const several = async (): Promise<void> => {
    const database = await fresh();
    const [one, other] = await Promise.all([startTestContracts({ database }), startTestContracts({ database })]);
    const { id, token } = await one.contract();
    const keysAt = async (process: TestContracts): Promise<JSONWebKeySet> =>
      (await process.call('GET', '/.well-known/jwks.json')).json as JSONWebKeySet;
    const ring = keyringSchema.parse((await other.keyring(token)).json);
    const { payload } = await jwtVerify(ring.token, createLocalJWKSet(await keysAt(one)), {
      currentDate: new Date(one.clock.now()),
    });
    expect(payload.sub).toBe(id);
    await other.service.keys.rotate('test');
    // Well before the new one signs anything.
    one.clock.advance(6000);
    other.clock.advance(6000);
    expect(await keysAt(one)).toStrictEqual(await keysAt(other));
    await Promise.all([one.close(), other.close()]);
  };

  const alone = async (): Promise<void> => {
    const database = await fresh();
    const one = await startTestContracts({ database });
    await expect(startTestContracts({ database })).rejects.toMatchObject({ code: 'wrong_state' });
    await one.close();
  };

  if (kind === 'postgresql') it('have one set of keys, and see each other’s', several);
  else it('cannot be where everything is in a folder', alone);
});
