import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serve, type Reply } from '../../../tests/support/http.ts';
import { errorOf } from '../../../tests/support/test-pda.ts';
import { describeOnDatabases } from '../../platform/postgres/database.test-support.ts';
import { signPdaToken } from '../../platform/auth/pda-token.ts';
import { contractMembershipSchema, keyringSchema } from '../../wire/contracts.ts';
import { startTestContracts, type FakePda, type TestContracts } from '../contracts.test-support.ts';
import { mayUseName } from './rules.ts';
import { newTestKey, sharedKey } from '../../../tests/support/keys.ts';

const otherKey = newTestKey();

describeOnDatabases('the membership service', ({ createDatabase }) => {
  let contracts: TestContracts;
  let id = '';
  let token = '';
  beforeAll(async () => {
    contracts = await startTestContracts({ database: await createDatabase() });
    ({ id, token } = await contracts.createContract());
  });
  afterAll(() => contracts.close());
  // Time refills the rate limits.
  beforeEach(() => contracts.clock.advance(600_000));

  const refusalOf = (reply: Reply): [number, string] => [reply.status, errorOf(reply).error];
  const listMembers = async (contractToken = token): Promise<string[]> =>
    keyringSchema.parse((await contracts.getKeyring(contractToken)).json).associatedPdas;
  const put = async (pda: FakePda, bearer: string | null, contract = id): Promise<Reply> =>
    contracts.call('PUT', `/v1/contracts/${contract}/pdas/${pda.name}`, { token: bearer });

  it('lets a PDA join and leave; joining again changes nothing, and a PDA without memberships cannot leave', async () => {
    const pda = contracts.addPda('ada');
    const since = contracts.clock.now();
    const joined = { contractId: id, pdaName: 'ada', joined: true, since };
    const firstReply = await pda.join(id);
    expect([firstReply.status, contractMembershipSchema.parse(firstReply.json)]).toStrictEqual([200, joined]);
    contracts.clock.advance(60_000);
    expect((await pda.join(id)).json).toStrictEqual(joined);
    // The second request uses the stored key.
    expect(pda.requests).toStrictEqual(['GET /publickey']);
    expect(await listMembers()).toStrictEqual(['ada']);
    expect((await pda.leave(id)).json).toStrictEqual({ ...joined, joined: false, since: null });
    expect(await listMembers()).toStrictEqual([]);
    expect(refusalOf(await pda.leave(id))).toStrictEqual([404, 'not_found']);
    const entries = (await contracts.service.audit.list({ take: 20 }))
      .filter(({ who }) => who === pda.address)
      .map(({ what, subject, detail }) => [what, subject, detail]);
    expect(entries).toStrictEqual([
      ['contract.left', id, 'ada'],
      ['contract.joined', id, 'ada'],
    ]);
  });

  it('keeps memberships of other contracts when a PDA leaves one', async () => {
    const otherContract = await contracts.createContract();
    const pda = contracts.addPda();
    await pda.join(id);
    await pda.join(otherContract.id);
    expect((await contracts.service.members.find(pda.name)).joined).toStrictEqual([id, otherContract.id].toSorted());
    await pda.leave(id);
    expect([await listMembers(), await listMembers(otherContract.token)]).toStrictEqual([[], [pda.name]]);
    expect((await pda.leave(id)).json).toMatchObject({ joined: false });
  });

  it('refuses expired or used tokens, and tokens with a different key, request, service or purpose', async () => {
    const pda = contracts.addPda();
    const sign = (key: typeof otherKey, claims: object = {}): Promise<string> =>
      signPdaToken(
        key,
        { iss: pda.address, sub: pda.name, contract: id, resource: contracts.host, accessScope: 'contract', ...claims },
        contracts.clock,
      );
    const staleToken = await pda.token(id);
    contracts.clock.advance(300_000);
    const invalidTokens: Record<string, string | null> = {
      missing: null,
      malformed: 'abc',
      'a different key': await sign(otherKey),
      'a different name': await pda.token(id, { sub: 'eve' }),
      'no name': await sign(sharedKey(), { sub: undefined }),
      'a different contract': await pda.token('other'),
      'a different service': await pda.token(id, { resource: 'contracts.example.org' }),
      'a different purpose': await pda.token(id, { accessScope: 'validate' }),
      expired: staleToken,
      'an address with a scheme': await pda.token(id, { iss: `http://${pda.address}` }),
      'an address in upper case': await pda.token(id, { iss: pda.address.toUpperCase() }),
      unsigned: `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${(await pda.token(id)).split('.')[1]}.`,
    };
    for (const [label, bearer] of Object.entries(invalidTokens))
      expect([label, ...refusalOf(await put(pda, bearer))]).toStrictEqual([label, 401, 'not_authenticated']);
    expect(await listMembers()).toStrictEqual([]);
    const validToken = await pda.token(id);
    expect((await put(pda, validToken)).status).toBe(200);
    // A PDA whose request a load balancer has repeated tries again after 401, but not after 403.
    expect(refusalOf(await put(pda, validToken))).toStrictEqual([401, 'not_authenticated']);
    await pda.leave(id);
    // A replayed token does not join again.
    expect(refusalOf(await put(pda, validToken))).toStrictEqual([401, 'not_authenticated']);
    expect(await listMembers()).toStrictEqual([]);
  });

  it('binds a name to its first address and key until the PDA has left every contract or is forgotten', async () => {
    const pda = contracts.addPda();
    await pda.join(id);
    pda.key = otherKey;
    expect(refusalOf(await pda.join(id))).toStrictEqual([403, 'forbidden']);
    expect(refusalOf(await pda.leave(id))).toStrictEqual([403, 'forbidden']);
    const otherAddress = `${pda.name}.elsewhere.localhost`;
    expect(refusalOf(await put(pda, await pda.token(id, { iss: otherAddress })))).toStrictEqual([409, 'wrong_state']);
    await contracts.service.members.forget(pda.name, 'test');
    expect(await listMembers()).toStrictEqual([]);
    expect((await pda.join(id)).status).toBe(200);
    await pda.leave(id);
    pda.key = sharedKey();
    expect((await pda.join(id)).status).toBe(200);
    await pda.leave(id);
    await expect(contracts.service.members.forget(pda.name, 'test')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('gives a name to only one of two PDAs that join concurrently', async () => {
    const pda = contracts.addPda();
    const otherPda = await serve((_request, response) => response.end(otherKey.publicPem));
    const address = `${pda.name}.localhost:${new URL(otherPda.url).port}`;
    const claims = { iss: address, sub: pda.name, contract: id, resource: contracts.host, accessScope: 'contract' };
    const replies = await Promise.all([pda.join(id), put(pda, await signPdaToken(otherKey, claims, contracts.clock))]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toStrictEqual([200, 409]);
    expect(await listMembers()).toStrictEqual([pda.name]);
    await contracts.service.members.forget(pda.name, 'test');
    await otherPda.close();
  });

  it('lets PDAs join only enabled contracts, but leave disabled ones too', async () => {
    const otherContract = await contracts.createContract();
    const pda = contracts.addPda();
    expect(refusalOf(await pda.join('nothing'))).toStrictEqual([404, 'not_found']);
    await pda.join(otherContract.id);
    await contracts.service.contracts.setEnabled(otherContract.id, false, 'test');
    expect(refusalOf(await pda.join(otherContract.id))).toStrictEqual([404, 'not_found']);
    expect((await pda.leave(otherContract.id)).status).toBe(200);
    expect(pda.requests).toHaveLength(1);
  });

  it('refuses an invalid name, or one that does not match the address, without a request to the PDA', async () => {
    const pda = contracts.addPda('mallory');
    const invalidNameReply = await contracts.call('PUT', `/v1/contracts/${id}/pdas/Not_A_Name`, {
      token: await pda.token(id),
    });
    expect(refusalOf(invalidNameReply)).toStrictEqual([400, 'invalid_input']);
    const tokenOfEve = await pda.token(id, { sub: 'eve' });
    const reply = await contracts.call('PUT', `/v1/contracts/${id}/pdas/eve`, { token: tokenOfEve });
    expect(refusalOf(reply)).toStrictEqual([403, 'forbidden']);
    expect(pda.requests).toStrictEqual([]);
  });

  it('responds 503 with Retry-After when the PDA is unreachable or serves no key', async () => {
    const pda = contracts.addPda();
    const unreachableReply = await put(pda, await pda.token(id, { iss: `${pda.name}.localhost:1024` }));
    expect([...refusalOf(unreachableReply), unreachableReply.headers['retry-after']]).toStrictEqual([
      503,
      'unavailable',
      '60',
    ]);
    pda.key = { ...otherKey, publicPem: 'no key' };
    const keylessReply = await pda.join(id);
    expect([...refusalOf(keylessReply), keylessReply.headers['retry-after']]).toStrictEqual([503, 'unavailable', '60']);
  });

  it('limits join requests, and key requests to the same host', async () => {
    const pda = contracts.addPda();
    pda.key = { ...otherKey, publicPem: 'no key' };
    const replies: Reply[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) replies.push(await pda.join(id));
    expect(replies.map(({ status }) => status)).toStrictEqual([503, 503, 503, 503, 503, 429]);
    expect(pda.requests).toHaveLength(5);
    const flood = await Promise.all(Array.from({ length: 60 }, () => put(pda, 'abc')));
    const limitedReplies = flood.filter(({ status }) => status === 429);
    expect(limitedReplies.length).toBeGreaterThan(30);
    expect(Number(limitedReplies[0]?.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('a PDA at a private address', () => {
  const PRIVATE_ADDRESSES = [
    '127.0.0.1:8080',
    'localhost:8080',
    'ada.localhost:8080',
    '10.0.0.8',
    '169.254.169.254',
    '192.168.1.1:8443',
    '[::1]:8080',
    '[fd00::1]',
    '0.0.0.0',
    '2130706433',
    '0x7f000001',
    'ada.inside.example.org',
    'ada.rebound.example.org:22',
    'user@ada.example.org',
    'ada.example.org/admin',
    'ada.example.org?x=',
    'ada.example.org#',
  ];

  describeOnDatabases('that joins a contract', ({ createDatabase }) => {
    it('receives no request, however its address is written', async () => {
      const receivedPaths: string[] = [];
      const privateServer = await serve((request, response) => {
        receivedPaths.push(request.url ?? '');
        response.end(sharedKey().publicPem);
      });
      const contracts = await startTestContracts({
        database: await createDatabase(),
        network: { allowLoopback: false, resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) },
      });
      const { id } = await contracts.createContract();
      const { port } = new URL(privateServer.url);
      const serverAddresses = [`127.0.0.1:${port}`, `ada.localhost:${port}`, `ada.example.org:${port}`];
      for (const address of [...PRIVATE_ADDRESSES, ...serverAddresses]) {
        contracts.clock.advance(600_000);
        const token = await contracts.addPda('ada').token(id, { iss: address });
        const reply = await contracts.call('PUT', `/v1/contracts/${id}/pdas/ada`, { token });
        // The response must not reveal what is at the address.
        expect([address, reply.status]).toStrictEqual([address, expect.toBeOneOf([401, 403, 503])]);
        if (reply.status === 503) expect(errorOf(reply).cause).toMatch(/^Cannot fetch the public key/u);
      }
      expect(receivedPaths).toStrictEqual([]);
      await contracts.close();
      await privateServer.close();
    });
  });
});

describe('mayUseName', () => {
  it('requires the name as the first label of the host, directly below a configured domain if domains are configured', () => {
    const mayUse = (name: string, address: string, ...domains: string[]): boolean => mayUseName(name, address, domains);
    expect(mayUse('ada', 'ada.example.org')).toBe(true);
    expect(mayUse('ada', 'ada.example.org:8443')).toBe(true);
    expect(mayUse('ada', 'eve.example.org')).toBe(false);
    expect(mayUse('ada', 'ada-x.example.org')).toBe(false);
    expect(mayUse('ada', 'ada.example.org', 'example.org')).toBe(true);
    expect(mayUse('ada', 'ada.example.org:99', 'example.net', 'example.org')).toBe(true);
    expect(mayUse('ada', 'ada.evil.org', 'example.org')).toBe(false);
    expect(mayUse('ada', 'ada.b.example.org', 'example.org')).toBe(false);
  });

  it('accepts any name at an IP address or a single-label host, unless domains are configured', () => {
    expect(mayUseName('ada', '127.0.0.1:80', [])).toBe(true);
    expect(mayUseName('ada', 'localhost:80', [])).toBe(true);
    expect(mayUseName('ada', '127.0.0.1', ['example.org'])).toBe(false);
    expect(mayUseName('ada', 'localhost', ['example.org'])).toBe(false);
  });
});
