import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serve, type Reply } from '../../../tests/support/http.ts';
import { errorOf } from '../../../tests/support/test-pda.ts';
import { onBothDatabases } from '../../platform/postgres/postgres.test-support.ts';
import { signPdaToken } from '../../platform/pda-proof.ts';
import { joinedSchema, keyringSchema } from '../../wire/contracts.ts';
import { startTestContracts, type StandInPda, type TestContracts } from '../contracts.test-support.ts';
import { mayGoBy } from './rules.ts';
import { newTestKey, sharedKey } from '../../../tests/support/keys.ts';

const otherKey = newTestKey();

onBothDatabases('joining and leaving', ({ fresh }) => {
  let contracts: TestContracts;
  let id = '';
  let token = '';
  beforeAll(async () => {
    contracts = await startTestContracts({ database: await fresh() });
    ({ id, token } = await contracts.contract());
  });
  afterAll(() => contracts.close());
  // What is let through in a time is there again for each.
  beforeEach(() => contracts.clock.advance(600_000));

  const refusal = (reply: Reply): [number, string] => [reply.status, errorOf(reply).error];
  const members = async (longLived = token): Promise<string[]> =>
    keyringSchema.parse((await contracts.keyring(longLived)).json).associatedPdas;
  const put = async (pda: StandInPda, bearer: string | null, contract = id): Promise<Reply> =>
    contracts.call('PUT', `/v1/contracts/${contract}/pdas/${pda.name}`, { token: bearer });

  it('makes a PDA a member until it leaves; each may be said again', async () => {
    const pda = contracts.pda('ada');
    const since = contracts.clock.now();
    const joined = { contractId: id, pdaName: 'ada', joined: true, since };
    const first = await pda.join(id);
    expect([first.status, joinedSchema.parse(first.json)]).toStrictEqual([200, joined]);
    contracts.clock.advance(60_000);
    expect((await pda.join(id)).json).toStrictEqual(joined);
    // Its key is known by now.
    expect(pda.asked).toStrictEqual(['GET /publickey']);
    expect(await members()).toStrictEqual(['ada']);
    expect((await pda.leave(id)).json).toStrictEqual({ ...joined, joined: false, since: null });
    expect(await members()).toStrictEqual([]);
    expect(refusal(await pda.leave(id))).toStrictEqual([404, 'not_found']);
    const entries = (await contracts.service.audit.list({ take: 20 }))
      .filter(({ who }) => who === pda.address)
      .map(({ what, subject, detail }) => [what, subject, detail]);
    expect(entries).toStrictEqual([
      ['contract.left', id, 'ada'],
      ['contract.joined', id, 'ada'],
    ]);
  });

  it('keeps contracts apart: leaving one leaves the others', async () => {
    const other = await contracts.contract();
    const pda = contracts.pda();
    await pda.join(id);
    await pda.join(other.id);
    expect((await contracts.service.members.find(pda.name)).joined).toStrictEqual([id, other.id].toSorted());
    await pda.leave(id);
    expect([await members(), await members(other.token)]).toStrictEqual([[], [pda.name]]);
    expect((await pda.leave(id)).json).toMatchObject({ joined: false });
  });

  it('wants a token of the PDA’s own key, made for this call, once', async () => {
    const pda = contracts.pda();
    const far = contracts.pda();
    const sign = (key: typeof otherKey, more: object = {}): Promise<string> =>
      signPdaToken(
        key,
        { iss: pda.address, sub: pda.name, contract: id, resource: contracts.host, accessScope: 'contract', ...more },
        contracts.clock,
      );
    const stale = await pda.token(id);
    contracts.clock.advance(300_000);
    const wrong: Record<string, string | null> = {
      none: null,
      'no token': 'abc',
      'another key': await sign(otherKey),
      'another name': await pda.token(id, { sub: 'eve' }),
      'no name': await sign(sharedKey(), { sub: undefined }),
      'another contract': await pda.token('other'),
      'another service': await pda.token(id, { resource: 'contracts.example.org' }),
      'another purpose': await pda.token(id, { accessScope: 'validate' }),
      'an old one': stale,
      'a longer spelling of the address': await pda.token(id, { iss: `http://${pda.address}` }),
      'another spelling of the address': await pda.token(id, { iss: pda.address.toUpperCase() }),
      unsigned: `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${(await pda.token(id)).split('.')[1]}.`,
    };
    for (const [why, bearer] of Object.entries(wrong))
      expect([why, ...refusal(await put(pda, bearer))]).toStrictEqual([why, 401, 'not_authenticated']);
    expect(await members()).toStrictEqual([]);
    const good = await pda.token(id);
    expect((await put(pda, good)).status).toBe(200);
    expect(refusal(await put(pda, good))).toStrictEqual([403, 'forbidden']);
    await pda.leave(id);
    // Overheard, it does not bring the PDA back.
    expect(refusal(await put(pda, good))).toStrictEqual([403, 'forbidden']);
    expect(await members()).toStrictEqual([]);
    expect(far.asked).toStrictEqual([]);
  });

  it('gives a name to whoever used it first, by address and key, until that PDA has left or is forgotten', async () => {
    const pda = contracts.pda();
    await pda.join(id);
    pda.key = otherKey;
    expect(refusal(await pda.join(id))).toStrictEqual([403, 'forbidden']);
    expect(refusal(await pda.leave(id))).toStrictEqual([403, 'forbidden']);
    // The same name below another domain, which is its own: a name is one PDA.
    const elsewhere = `${pda.name}.elsewhere.localhost`;
    expect(refusal(await put(pda, await pda.token(id, { iss: elsewhere })))).toStrictEqual([409, 'wrong_state']);
    await contracts.service.members.forget(pda.name, 'test');
    expect(await members()).toStrictEqual([]);
    expect((await pda.join(id)).status).toBe(200);
    await pda.leave(id);
    pda.key = sharedKey();
    expect((await pda.join(id)).status).toBe(200);
    await pda.leave(id);
    await expect(contracts.service.members.forget(pda.name, 'test')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('gives it to one only when two come at the same time', async () => {
    const pda = contracts.pda();
    const far = await serve((_request, response) => response.end(otherKey.publicPem));
    const address = `${pda.name}.localhost:${new URL(far.url).port}`;
    const claims = { iss: address, sub: pda.name, contract: id, resource: contracts.host, accessScope: 'contract' };
    const replies = await Promise.all([pda.join(id), put(pda, await signPdaToken(otherKey, claims, contracts.clock))]);
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toStrictEqual([200, 409]);
    expect(await members()).toStrictEqual([pda.name]);
    await contracts.service.members.forget(pda.name, 'test');
    await far.close();
  });

  it('is for contracts that are there and enabled; leaving is for all', async () => {
    const other = await contracts.contract();
    const pda = contracts.pda();
    expect(refusal(await pda.join('nothing'))).toStrictEqual([404, 'not_found']);
    await pda.join(other.id);
    await contracts.service.contracts.setEnabled(other.id, false, 'test');
    expect(refusal(await pda.join(other.id))).toStrictEqual([404, 'not_found']);
    expect((await pda.leave(other.id)).status).toBe(200);
    expect(pda.asked).toHaveLength(1);
    const odd = await contracts.call('PUT', `/v1/contracts/${id}/pdas/Not_A_Name`, { token: await pda.token(id) });
    expect(refusal(odd)).toStrictEqual([400, 'invalid_input']);
  });

  it('calls nobody for a name that the address does not bear', async () => {
    const pda = contracts.pda('mallory');
    const asEve = await pda.token(id, { sub: 'eve' });
    const reply = await contracts.call('PUT', `/v1/contracts/${id}/pdas/eve`, { token: asEve });
    expect(refusal(reply)).toStrictEqual([403, 'forbidden']);
    expect(pda.asked).toStrictEqual([]);
  });

  it('says when the PDA cannot be reached, so that it tries again', async () => {
    const pda = contracts.pda();
    const silent = await pda.token(id, { iss: `${pda.name}.localhost:1024` });
    const unreachable = await put(pda, silent);
    expect([...refusal(unreachable), unreachable.headers['retry-after']]).toStrictEqual([503, 'unavailable', '60']);
    pda.key = { ...otherKey, publicPem: 'no key' };
    expect(refusal(await pda.join(id))).toStrictEqual([503, 'unavailable']);
  });

  it('is let through so often from one network, and so often for one host', async () => {
    const pda = contracts.pda();
    pda.key = { ...otherKey, publicPem: 'no key' };
    const replies: Reply[] = [];
    for (let tries = 0; tries < 6; tries += 1) replies.push(await pda.join(id));
    expect(replies.map(({ status }) => status)).toStrictEqual([503, 503, 503, 503, 503, 429]);
    expect(pda.asked).toHaveLength(5);
    let last = replies[5];
    for (let tries = 0; tries < 40 && last?.status !== 429; tries += 1) last = await put(pda, 'abc');
    const flood = await Promise.all(Array.from({ length: 60 }, () => put(pda, 'abc')));
    const limited = flood.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(30);
    expect(Number(limited[0]?.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('an address that leads inside', () => {
  const INSIDE = [
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

  onBothDatabases('is not called', ({ fresh }) => {
    it('whatever way it is written', async () => {
      const hits: string[] = [];
      const inside = await serve((request, response) => {
        hits.push(request.url ?? '');
        response.end(sharedKey().publicPem);
      });
      const contracts = await startTestContracts({
        database: await fresh(),
        network: { allowLoopback: false, resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]) },
      });
      const { id } = await contracts.contract();
      const { port } = new URL(inside.url);
      for (const address of [...INSIDE, `127.0.0.1:${port}`, `ada.localhost:${port}`, `ada.example.org:${port}`]) {
        contracts.clock.advance(600_000);
        const token = await contracts.pda('ada').token(id, { iss: address });
        const reply = await contracts.call('PUT', `/v1/contracts/${id}/pdas/ada`, { token });
        // Nothing tells what is behind it.
        expect([address, reply.status]).toStrictEqual([address, expect.toBeOneOf([401, 403, 503])]);
        if (reply.status === 503) expect(errorOf(reply).cause).toMatch(/^No PDA showed its key/u);
      }
      expect(hits).toStrictEqual([]);
      await contracts.close();
      await inside.close();
    });
  });
});

describe('a name', () => {
  it('is the first part of the address, in one of the domains where there are some', () => {
    const may = (name: string, address: string, ...domains: string[]): boolean => mayGoBy(name, address, domains);
    expect(may('ada', 'ada.example.org')).toBe(true);
    expect(may('ada', 'ada.example.org:8443')).toBe(true);
    expect(may('ada', 'eve.example.org')).toBe(false);
    expect(may('ada', 'ada-x.example.org')).toBe(false);
    expect(may('ada', '127.0.0.1:80')).toBe(true);
    expect(may('ada', 'localhost:80')).toBe(true);
    expect(may('ada', 'ada.example.org', 'example.org')).toBe(true);
    expect(may('ada', 'ada.example.org:99', 'example.net', 'example.org')).toBe(true);
    expect(may('ada', 'ada.evil.org', 'example.org')).toBe(false);
    expect(may('ada', 'ada.b.example.org', 'example.org')).toBe(false);
    expect(may('ada', '127.0.0.1', 'example.org')).toBe(false);
  });
});
