import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { errorOf } from '../../../tests/support/test-pda.ts';
import { describeOnBothDatabases } from '../../platform/postgres/database.test-support.ts';
import { contractSchema, keyringSchema } from '../../wire/contracts.ts';
import { NOT_A_DISPLAY_LINE, NOT_A_DISPLAY_PARAGRAPH } from '../../wire/display-text.ts';
import { FITNESS, startTestContracts, type TestContracts } from '../contracts.test-support.ts';
import type { Reply } from '../../../tests/support/http.ts';
import { createKeyringService } from './service.ts';

const MINUTE_MS = 60_000;

describeOnBothDatabases('keyring', ({ createDatabase }) => {
  let contracts: TestContracts;
  beforeAll(async () => {
    contracts = await startTestContracts({ database: await createDatabase() });
  });
  afterAll(() => contracts.close());
  // Time refills the rate limit of invalid tokens.
  beforeEach(() => contracts.clock.advance(10 * MINUTE_MS));

  const readKeyring = async (token: string, query = ''): Promise<{ token: string; associatedPdas: string[] }> => {
    const reply = await contracts.getKeyring(token, query);
    expect(reply.status).toBe(200);
    return keyringSchema.parse(reply.json);
  };
  const fetchKeySet = async (): Promise<JSONWebKeySet> =>
    (await contracts.call('GET', '/.well-known/jwks.json')).json as JSONWebKeySet;
  const verify = async (token: string) =>
    jwtVerify(token, createLocalJWKSet(await fetchKeySet()), {
      currentDate: new Date(contracts.clock.now()),
      algorithms: ['RS256'],
    });
  const refusalOf = (reply: Reply): [number, string] => [reply.status, errorOf(reply).error];

  it('issues a 15-minute token that names the contract and its namespaces', async () => {
    const namespaces = [...FITNESS, { namespace: 'sleep', read: true, write: false }];
    const { id, token } = await contracts.createContract('study', namespaces);
    const keyring = await readKeyring(token);
    expect(keyring.associatedPdas).toStrictEqual([]);
    const { payload, protectedHeader } = await verify(keyring.token);
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
    expect((await verify((await readKeyring(token)).token)).payload.jti).not.toBe(payload.jti);
    const contract = await contracts.call('GET', `/v1/contracts/${id}`);
    expect(contractSchema.parse(contract.json)).toStrictEqual({
      contractId: id,
      name: id,
      description: '',
      developer: '',
      namespaces,
    });
  });

  it('refuses a contract with the id keyring, because its path would be that of the keyring', async () => {
    const { contracts: service } = contracts.service;
    for (const contract of [{ id: 'keyring', name: 'Study' }, { name: 'Keyring' }])
      await expect(service.create({ ...contract, namespaces: FITNESS }, 'test')).rejects.toMatchObject({
        code: 'invalid_input',
        reason: 'The id keyring is reserved. Pass another one with --id.',
      });
  });

  it('refuses a contract without a name, or with a text that is too long or contains control characters', async () => {
    const { contracts: service } = contracts.service;
    const invalidTexts = [
      [{ name: ' ' }, 'name: is empty'],
      [{ name: 'n'.repeat(201) }, 'name: must have at most 200 characters'],
      [{ developer: 'A\nB' }, `developer: ${NOT_A_DISPLAY_LINE}`],
      [{ description: 'd'.repeat(5001) }, 'description: must have at most 5000 characters'],
      [{ description: '\u202e' }, `description: ${NOT_A_DISPLAY_PARAGRAPH}`],
    ] as const;
    for (const [texts, reason] of invalidTexts) {
      const contract = { id: 'unreadable', name: 'Study', namespaces: FITNESS, ...texts };
      await expect(service.create(contract, 'test')).rejects.toMatchObject({ code: 'invalid_input', reason });
    }
  });

  it('lists all members in order across pages and honours skip and take', async () => {
    const { id, token } = await contracts.createContract();
    const otherContract = await contracts.createContract();
    await contracts.insertMembers(id, 12_000);
    await contracts.insertMembers(otherContract.id, 3);
    const { associatedPdas } = await readKeyring(token);
    expect(associatedPdas).toHaveLength(12_000);
    expect(associatedPdas).toStrictEqual(associatedPdas.toSorted());
    const readPage = async (query: string): Promise<string[]> => (await readKeyring(token, query)).associatedPdas;
    expect(await readPage('?skip=9999&take=3')).toStrictEqual(['p009999', 'p010000', 'p010001']);
    expect(await readPage('?take=10001')).toStrictEqual(associatedPdas.slice(0, 10_001));
    expect(await readPage('?skip=11998')).toStrictEqual(['p011998', 'p011999']);
    expect(await readPage('?skip=12000')).toStrictEqual([]);
    expect(await readPage('?take=0')).toStrictEqual([]);
    expect(refusalOf(await contracts.getKeyring(token, '?take=-1'))).toStrictEqual([400, 'invalid_input']);
    expect((await readKeyring(otherContract.token)).associatedPdas).toHaveLength(3);
  });

  it('refuses invalid tokens with 401 and, after too many, with 429, but still accepts valid tokens', async () => {
    const { id, token } = await contracts.createContract();
    const { token: shortLivedToken } = await readKeyring(token);
    const requestWith = (authorization: string): Promise<Reply> =>
      contracts.call('GET', '/v1/contracts/keyring', { headers: { authorization } });
    for (const invalidToken of [
      token.slice(0, -1),
      `${token}A`,
      token.toLowerCase(),
      shortLivedToken,
      id,
      'pda-contract-',
    ])
      expect(refusalOf(await contracts.getKeyring(invalidToken))).toStrictEqual([401, 'not_authenticated']);
    for (const invalidHeader of ['', token, `Basic ${token}`, 'Bearer ', `Bearer ${token} x`])
      expect(refusalOf(await requestWith(invalidHeader))).toStrictEqual([401, 'not_authenticated']);
    expect((await contracts.call('GET', '/v1/contracts/keyring', { headers: { 'x-auth-token': token } })).status).toBe(
      401,
    );
    expect((await requestWith(`bearer ${token}`)).status).toBe(200);
    let lastReply = await contracts.getKeyring('guess');
    for (let attempt = 0; attempt < 20 && lastReply.status === 401; attempt += 1)
      lastReply = await contracts.getKeyring('guess');
    expect(refusalOf(lastReply)).toStrictEqual([429, 'rate_limited']);
    expect(Number(lastReply.headers['retry-after'])).toBeGreaterThan(0);
    await readKeyring(token);
  });

  it('rejects rotated tokens after their overlap and revoked tokens immediately, and stores only hashes', async () => {
    const { id, token: firstToken } = await contracts.createContract();
    const service = contracts.service.contracts;
    const secondToken = await service.rotateToken(id, 0, 'test');
    expect((await contracts.getKeyring(firstToken)).status).toBe(401);
    const thirdToken = await service.rotateToken(id, 60 * MINUTE_MS, 'test');
    await readKeyring(secondToken);
    await readKeyring(thirdToken);
    contracts.clock.advance(60 * MINUTE_MS);
    expect((await contracts.getKeyring(secondToken)).status).toBe(401);
    await readKeyring(thirdToken);
    expect(await service.revokeTokens(id, 'test')).toBe(1);
    expect((await contracts.getKeyring(thirdToken)).status).toBe(401);
    expect((await service.tokensOf(id)).map(({ ends }) => ends === null)).toStrictEqual([false, false, false]);
    await expect(service.rotateToken('unknown', 0, 'test')).rejects.toMatchObject({ code: 'not_found' });
    const rows = await contracts.service.database.run((db) => db.selectFrom('contract_tokens').selectAll().execute());
    for (const token of [firstToken, secondToken, thirdToken])
      expect(JSON.stringify(rows)).not.toContain(token.slice(13));
  });

  it('refuses the keyring with 403 and the contract with 404 while the contract is disabled', async () => {
    const { id, token } = await contracts.createContract();
    await contracts.service.contracts.setEnabled(id, false, 'test');
    expect(refusalOf(await contracts.getKeyring(token))).toStrictEqual([403, 'forbidden']);
    expect(refusalOf(await contracts.call('GET', `/v1/contracts/${id}`))).toStrictEqual([404, 'not_found']);
    await contracts.service.contracts.setEnabled(id, true, 'test');
    await readKeyring(token);
    expect(refusalOf(await contracts.call('GET', '/v1/contracts/nothing'))).toStrictEqual([404, 'not_found']);
    await expect(contracts.service.contracts.setEnabled('nothing', true, 'test')).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('refuses contract ids that differ only in case, and names from which no id can be derived', async () => {
    await contracts.createContract('Steps.Study');
    await expect(contracts.createContract('steps.study')).rejects.toMatchObject({ code: 'already_exists' });
    const creation = await contracts.service.contracts.create({ name: '  Ärzte & Co. ', namespaces: FITNESS }, 'test');
    expect(creation.contract.contractId).toBe('arzte-co');
    await expect(contracts.service.contracts.create({ name: '…!', namespaces: FITNESS }, 'test')).rejects.toMatchObject(
      {
        code: 'invalid_input',
      },
    );
  });

  it('signs with a new key 10 s after its publication, and publishes the old key until its tokens have expired', async () => {
    const { token } = await contracts.createContract();
    const publishedKids = async (): Promise<unknown[]> => (await fetchKeySet()).keys.map(({ kid }) => kid);
    const kidOf = (jwt: string): unknown => decodeProtectedHeader(jwt).kid;
    const tokenBeforeRotation = (await readKeyring(token)).token;
    const newKid = await contracts.service.keys.rotate('test');
    expect(await publishedKids()).toStrictEqual([kidOf(tokenBeforeRotation), newKid]);
    const tokenAfterRotation = (await readKeyring(token)).token;
    expect(kidOf(tokenAfterRotation)).toBe(kidOf(tokenBeforeRotation));
    contracts.clock.advance(10_000);
    const tokenOfNewKey = (await readKeyring(token)).token;
    expect(kidOf(tokenOfNewKey)).toBe(newKid);
    for (const jwt of [tokenBeforeRotation, tokenAfterRotation, tokenOfNewKey]) await verify(jwt);
    contracts.clock.advance(15 * MINUTE_MS - 11_000);
    await verify(tokenAfterRotation);
    contracts.clock.advance(6 * MINUTE_MS);
    expect(await publishedKids()).toStrictEqual([newKid]);
    await expect(verify(tokenAfterRotation)).rejects.toThrow();
    const replacementKid = await contracts.service.keys.rotate('test', { atOnce: true });
    expect(await publishedKids()).toStrictEqual([replacementKid]);
    expect(kidOf((await readKeyring(token)).token)).toBe(replacementKid);
  });

  it('publishes no private key members', async () => {
    for (const key of (await fetchKeySet()).keys)
      expect(Object.keys(key).toSorted()).toStrictEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });

  it('records rotation, keyring reads and creation with their actors in the audit log', async () => {
    const { id, token } = await contracts.createContract();
    await readKeyring(token);
    await contracts.service.contracts.rotateToken(id, 0, 'test');
    const entries = await contracts.service.audit.list({ take: 3 });
    expect(entries.map(({ who, what, subject }) => [who, what, subject])).toStrictEqual([
      ['test', 'token.rotated', id],
      [id, 'keyring.read', id],
      ['test', 'contract.created', id],
    ]);
  });

  it('records no keyring read of a contract that does not exist or was disabled after authentication', async () => {
    const { id } = await contracts.createContract();
    await contracts.service.contracts.setEnabled(id, false, 'test');
    const keyring = createKeyringService({ ...contracts.service, clock: contracts.clock });
    await expect(keyring.stream(id, { host: contracts.host, skip: 0 })).rejects.toMatchObject({ code: 'forbidden' });
    await expect(keyring.stream('nothing', { host: contracts.host, skip: 0 })).rejects.toMatchObject({
      code: 'not_found',
    });
    const entries = await contracts.service.audit.list({ take: 2 });
    expect(entries.map(({ what, subject }) => [what, subject])).toStrictEqual([
      ['contract.disabled', id],
      ['contract.created', id],
    ]);
  });
});

describeOnBothDatabases('several processes of the service', ({ kind, createDatabase }) => {
  const shareKeys = async (): Promise<void> => {
    const database = await createDatabase();
    const [firstService, secondService] = await Promise.all([
      startTestContracts({ database }),
      startTestContracts({ database }),
    ]);
    const { id, token } = await firstService.createContract();
    const fetchKeysAt = async (service: TestContracts): Promise<JSONWebKeySet> =>
      (await service.call('GET', '/.well-known/jwks.json')).json as JSONWebKeySet;
    const sharedKeyring = keyringSchema.parse((await secondService.getKeyring(token)).json);
    const { payload } = await jwtVerify(sharedKeyring.token, createLocalJWKSet(await fetchKeysAt(firstService)), {
      currentDate: new Date(firstService.clock.now()),
    });
    expect(payload.sub).toBe(id);
    await secondService.service.keys.rotate('test');
    // Longer than the key cache of a process, shorter than the delay before the new key signs.
    firstService.clock.advance(6000);
    secondService.clock.advance(6000);
    expect(await fetchKeysAt(firstService)).toStrictEqual(await fetchKeysAt(secondService));
    await Promise.all([firstService.close(), secondService.close()]);
  };

  const refuseSecondProcess = async (): Promise<void> => {
    const database = await createDatabase();
    const firstService = await startTestContracts({ database });
    await expect(startTestContracts({ database })).rejects.toMatchObject({ code: 'wrong_state' });
    await firstService.close();
  };

  if (kind === 'postgresql') it('share one set of signing keys', shareKeys);
  else it('cannot open the same embedded database', refuseSecondProcess);
});
