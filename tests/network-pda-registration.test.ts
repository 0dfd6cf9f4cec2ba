import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPdaToken, verifyPdaToken } from '../server/platform/auth/pda-token.ts';
import { startFakeExchange, type FakeExchange } from '../server/pda/network/exchange/fake-exchange.test-support.ts';
import { proofAnswerSchema } from '../server/wire/exchange.ts';
import { networkKnownSchema, networkSchema, type Network } from '../server/wire/network.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';

const NETWORK = '/api/v2.6/owner/network';
const HOUR = 3_600_000;

let pda: TestPda;
let exchange: FakeExchange;

beforeAll(async () => {
  pda = await startTestPda({ network: { allowLoopback: true } });
  exchange = await startFakeExchange(pda.clock);
});
afterAll(async () => {
  await pda.close();
  await exchange.close();
});

const network = async (method = 'GET', path = '', json?: unknown): Promise<Network> => {
  const reply = await pda.call(method, `${NETWORK}${path}`, json === undefined ? {} : { json });
  expect(reply.status, reply.text).toBe(200);
  return networkSchema.parse(reply.json);
};
const prove = (json: unknown = { challenge: 'A'.repeat(43) }) =>
  pda.call('POST', '/api/v2.6/exchange/proof', { token: null, json });
const isKnown = (): boolean => exchange.pdas.has(pda.host);

describe('the registration of a PDA with the chosen exchange', () => {
  it('sends no requests and signs no proofs before an exchange is chosen', async () => {
    expect(await network()).toMatchObject({ exchange: null, contracts: null, publicAddress: pda.host });
    expect(errorOf(await prove())).toMatchObject({ error: 'wrong_state' });
    expect(errorOf(await pda.call('POST', `${NETWORK}/register`))).toMatchObject({ error: 'wrong_state' });
    expect(exchange.requests).toEqual([]);
  });

  it.each([
    ['http://exchange.example.com', 'not https'],
    ['https://me:secret@exchange.example.com', 'a user name or a password'],
  ])('refuses the address %s', async (url, reason) => {
    const refusal = errorOf(await pda.call('PUT', NETWORK, { json: { exchange: url } }));
    expect(refusal.error).toBe('invalid_input');
    expect(refusal.cause).toContain(reason);
    expect((await network()).exchange).toBeNull();
  });

  it('registers immediately, with a proof that is signed by the PDA’s key', async () => {
    const networkReply = await network('PUT', '', { exchange: `${exchange.url}/` });
    expect(networkReply.exchange).toMatchObject({
      url: exchange.url,
      fixed: false,
      state: 'registered',
      address: pda.host,
      problem: null,
      reachable: true,
    });
    expect(exchange.pdas.get(pda.host)).toBe(pda.pda.owner.publicKey());
    const [proof] = exchange.proofs;
    expect(proof?.body.previous).toBeUndefined();
    expect(await readPdaToken(proof?.body.token ?? '')).toMatchObject({
      iss: pda.host,
      resource: exchange.host,
      accessScope: 'proof',
    });
    expect((await readPdaToken(proof?.body.token ?? ''))?.sub).toBeUndefined();
  });

  it('signs a proof at any time, with a token that is valid only at the chosen exchange', async () => {
    const reply = await prove({ challenge: 'B'.repeat(43) });
    expect(reply.status).toBe(200);
    const claims = await readPdaToken(proofAnswerSchema.parse(reply.json).token);
    expect(claims).toMatchObject({
      iss: pda.host,
      resource: exchange.host,
      accessScope: 'proof',
      challenge: 'B'.repeat(43),
    });
    expect((await prove({ challenge: 'x' })).status).toBe(400);
    expect((await prove({ challenge: 'A'.repeat(43), resource: 'bank.example' })).status).toBe(400);
  });

  it('limits the proofs per minute', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 40; count += 1) statuses.push((await prove()).status);
    expect([statuses[0], statuses.at(-1)]).toStrictEqual([200, 429]);
    expect((await prove()).headers['retry-after']).toBe('2');
    pda.clock.advance(60_000);
  });

  it('signs proofs for the chosen exchange only, also for other callers during a registration', async () => {
    const results: unknown[] = [];
    exchange.overrides.set('POST /api/users/registerPda', (_, response) => {
      void (async () => {
        const stolen = await prove();
        results.push(stolen.json);
        for (let count = 0; count < 140; count += 1) results.push((await prove()).status);
        response.writeHead(503).end();
      })();
    });
    expect((await network('POST', '/register')).exchange).toMatchObject({ problem: 'It answered 503.' });
    exchange.overrides.clear();
    const { token } = proofAnswerSchema.parse(results[0]);
    const key = pda.pda.owner.publicKey();
    const check = { accessScope: 'validate', clock: pda.clock };
    expect(await verifyPdaToken(token, key, { ...check, resource: exchange.host })).toBeUndefined();
    expect(
      await verifyPdaToken(token, key, { ...check, accessScope: 'proof', resource: 'other.example' }),
    ).toBeUndefined();
    // It is not an access token of this PDA, either.
    expect((await pda.call('GET', '/users/access_token/validate', { token })).status).toBe(401);
    // Both the allowance of the registration and the general limit are used up.
    expect([results.at(50), results.at(-1)]).toEqual([200, 429]);
    pda.clock.advance(2 * 60_000);
  });

  it('succeeds while anonymous callers exhaust the limit of proofs', async () => {
    for (let count = 0; count < 20; count += 1) await prove();
    expect((await network('POST', '/register')).exchange).toMatchObject({ state: 'registered', problem: null });
  });

  it('returns the record of the exchange unchanged', async () => {
    const reply = await pda.call('GET', `${NETWORK}/known`);
    const { known, problem } = networkKnownSchema.parse(reply.json);
    expect(problem).toBeNull();
    expect(known).toMatchObject({ address: pda.host, publicKey: pda.pda.owner.publicKey(), claims: [] });
  });

  it('proves a new key with the previous one, and uses the new one afterwards', async () => {
    const before = pda.pda.owner.publicKey();
    await pda.pda.owner.rotateKey();
    pda.token = await pda.signIn();
    exchange.proofs.length = 0;
    await pda.pda.network.sync();
    const check = { resource: exchange.host, accessScope: 'proof', clock: pda.clock };
    expect(await verifyPdaToken(exchange.proofs[0]?.body.previous ?? '', before, check)).toBeDefined();
    expect(exchange.pdas.get(pda.host)).toBe(pda.pda.owner.publicKey());
    expect(exchange.pdas.get(pda.host)).not.toBe(before);
    expect(networkKnownSchema.parse((await pda.call('GET', `${NETWORK}/known`)).json).known).not.toBeNull();
  });

  it('registers again if the exchange has lost the registration', async () => {
    exchange.pdas.clear();
    pda.clock.advance(2 * HOUR);
    await pda.pda.network.sync();
    await pda.pda.network.sync();
    expect(isKnown()).toBe(true);
  });

  it('leaves the exchange and does not register again', async () => {
    expect((await network('POST', '/leave')).exchange).toMatchObject({ url: exchange.url, state: 'none' });
    expect(isKnown()).toBe(false);
    pda.clock.advance(24 * HOUR);
    await pda.restart();
    await pda.pda.network.sync();
    expect(isKnown()).toBe(false);
    expect(errorOf(await prove()).error).toBe('wrong_state');
  });

  it('leaves an exchange that is down when it is available again, also after a restart', async () => {
    expect((await network('POST', '/register')).exchange?.state).toBe('registered');
    exchange.overrides.set('DELETE /api/pdas/self', (_, response) => response.writeHead(503).end());
    expect((await network('POST', '/leave')).exchange?.state).toBe('leaving');
    await pda.restart();
    expect((await network()).exchange?.state).toBe('leaving');
    exchange.overrides.clear();
    pda.clock.advance(HOUR);
    await pda.pda.network.sync();
    expect(isKnown()).toBe(false);
    expect((await network()).exchange?.state).toBe('none');
  });

  it('leaves the previous exchange when another one is chosen', async () => {
    const other = await startFakeExchange(pda.clock);
    expect((await network('POST', '/register')).exchange?.state).toBe('registered');
    expect((await network('PUT', '', { exchange: other.url })).exchange).toMatchObject({
      url: other.url,
      state: 'registered',
    });
    expect(isKnown()).toBe(false);
    expect(other.pdas.has(pda.host)).toBe(true);
    expect((await network('PUT', '', { exchange: null })).exchange).toBeNull();
    expect(other.pdas.size).toBe(0);
    await other.close();
  });

  it('retries with back-off while the exchange fails', async () => {
    exchange.overrides.set('POST /api/users/registerPda', (_, response) => response.writeHead(500).end('nonsense'));
    expect((await network('PUT', '', { exchange: exchange.url })).exchange).toMatchObject({
      state: 'failed',
      problem: 'It answered 500.',
    });
    const attempts = () => exchange.requests.filter((call) => call === 'POST /api/users/registerPda').length;
    const before = attempts();
    await pda.pda.network.sync();
    expect(attempts()).toBe(before);
    pda.clock.advance(5 * 60_000);
    await pda.pda.network.sync();
    expect(attempts()).toBe(before + 1);
    exchange.overrides.clear();
    pda.clock.advance(6 * HOUR);
    await pda.pda.network.sync();
    expect((await network()).exchange).toMatchObject({ state: 'registered', problem: null });
  });
});

describe('an exchange in config.json', () => {
  it('cannot be changed, and reports a missing public address to the owner', async () => {
    const config = { exchange: { url: exchange.url }, contracts: { url: 'https://contracts.example.com/' } };
    const fixed = await startTestPda({ config, network: { allowLoopback: false } });
    const reply = networkSchema.parse((await fixed.call('GET', NETWORK)).json);
    expect(reply.exchange).toMatchObject({ url: exchange.url, fixed: true, state: 'failed' });
    expect(reply.exchange?.problem).toContain('no public address');
    expect(reply.contracts).toEqual({ url: 'https://contracts.example.com', fixed: true });
    const change = await fixed.call('PUT', NETWORK, { json: { exchange: null } });
    expect(errorOf(change).error).toBe('wrong_state');
    await fixed.close();
  });
});
