import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPdaToken, verifyPdaToken } from '../server/platform/auth/pda-token.ts';
import { startFakeExchange, type FakeExchange } from '../server/pda/network/exchange/fake-exchange.test-support.ts';
import { proofResponseSchema } from '../server/wire/exchange.ts';
import { networkKnownSchema, networkSchema, type Network } from '../server/wire/network.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';

const NETWORK = '/api/v2.6/owner/network';
const HOUR_MS = 3_600_000;

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

const callNetwork = async (method = 'GET', path = '', json?: unknown): Promise<Network> => {
  const reply = await pda.call(method, `${NETWORK}${path}`, json === undefined ? {} : { json });
  expect(reply.status, reply.text).toBe(200);
  return networkSchema.parse(reply.json);
};
const requestProof = (json: unknown = { challenge: 'A'.repeat(43) }) =>
  pda.call('POST', '/api/v2.6/exchange/proof', { token: null, json });
const isRegistered = (): boolean => exchange.pdas.has(pda.host);

describe('a PDA', () => {
  it('sends no requests and signs no proofs before an exchange is chosen', async () => {
    expect(await callNetwork()).toMatchObject({ exchange: null, contracts: null, publicAddress: pda.host });
    expect(errorOf(await requestProof())).toMatchObject({ error: 'wrong_state' });
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
    expect((await callNetwork()).exchange).toBeNull();
  });

  it('registers immediately, with a proof that is signed by the PDA’s key', async () => {
    const network = await callNetwork('PUT', '', { exchange: `${exchange.url}/` });
    expect(network.exchange).toMatchObject({
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

  it('signs the challenge of any caller, in a token for the chosen exchange only', async () => {
    const reply = await requestProof({ challenge: 'B'.repeat(43) });
    expect(reply.status).toBe(200);
    const claims = await readPdaToken(proofResponseSchema.parse(reply.json).token);
    expect(claims).toMatchObject({
      iss: pda.host,
      resource: exchange.host,
      accessScope: 'proof',
      challenge: 'B'.repeat(43),
    });
    expect((await requestProof({ challenge: 'x' })).status).toBe(400);
    expect((await requestProof({ challenge: 'A'.repeat(43), resource: 'bank.example' })).status).toBe(400);
  });

  it('limits the number of proofs per minute', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 40; count += 1) statuses.push((await requestProof()).status);
    expect([statuses[0], statuses.at(-1)]).toStrictEqual([200, 429]);
    expect((await requestProof()).headers['retry-after']).toBe('2');
    pda.clock.advance(60_000);
  });

  it('signs proofs for the chosen exchange only, even for other callers during a registration', async () => {
    const results: unknown[] = [];
    exchange.overrides.set('POST /api/users/registerPda', (_, response) => {
      void (async () => {
        const stolenProof = await requestProof();
        results.push(stolenProof.json);
        for (let count = 0; count < 140; count += 1) results.push((await requestProof()).status);
        response.writeHead(503).end();
      })();
    });
    expect((await callNetwork('POST', '/register')).exchange).toMatchObject({ problem: 'The exchange answered 503.' });
    exchange.overrides.clear();
    const { token } = proofResponseSchema.parse(results[0]);
    const key = pda.pda.owner.publicKey();
    const check = { accessScope: 'validate', clock: pda.clock };
    expect(await verifyPdaToken(token, key, { ...check, resource: exchange.host })).toBeUndefined();
    expect(
      await verifyPdaToken(token, key, { ...check, accessScope: 'proof', resource: 'other.example' }),
    ).toBeUndefined();
    // The proof is not an access token of this PDA, either.
    expect((await pda.call('GET', '/users/access_token/validate', { token })).status).toBe(401);
    // During a registration, the PDA signs more proofs than usual, but not an unlimited number.
    expect([results.at(50), results.at(-1)]).toEqual([200, 429]);
    pda.clock.advance(2 * 60_000);
  });

  it('registers while anonymous callers exhaust the limit on proofs', async () => {
    for (let count = 0; count < 40; count += 1) await requestProof();
    expect((await requestProof()).status).toBe(429);
    expect((await callNetwork('POST', '/register')).exchange).toMatchObject({ state: 'registered', problem: null });
  });

  it('returns the registration that the exchange has stored', async () => {
    const reply = await pda.call('GET', `${NETWORK}/known`);
    const { known, problem } = networkKnownSchema.parse(reply.json);
    expect(problem).toBeNull();
    expect(known).toMatchObject({ address: pda.host, publicKey: pda.pda.owner.publicKey(), claims: [] });
  });

  it('proves a new key with the previous one, and uses the new one afterwards', async () => {
    const previousKey = pda.pda.owner.publicKey();
    await pda.pda.owner.rotateKey();
    pda.token = await pda.signIn();
    exchange.proofs.length = 0;
    await pda.pda.network.sync();
    const check = { resource: exchange.host, accessScope: 'proof', clock: pda.clock };
    expect(await verifyPdaToken(exchange.proofs[0]?.body.previous ?? '', previousKey, check)).toBeDefined();
    expect(exchange.pdas.get(pda.host)).toBe(pda.pda.owner.publicKey());
    expect(exchange.pdas.get(pda.host)).not.toBe(previousKey);
    expect(networkKnownSchema.parse((await pda.call('GET', `${NETWORK}/known`)).json).known).not.toBeNull();
  });

  it('registers again if the exchange has lost the registration', async () => {
    exchange.pdas.clear();
    pda.clock.advance(2 * HOUR_MS);
    await pda.pda.network.sync();
    await pda.pda.network.sync();
    expect(isRegistered()).toBe(true);
  });

  it('leaves the exchange and does not register again', async () => {
    expect((await callNetwork('POST', '/leave')).exchange).toMatchObject({ url: exchange.url, state: 'none' });
    expect(isRegistered()).toBe(false);
    pda.clock.advance(24 * HOUR_MS);
    await pda.restart();
    await pda.pda.network.sync();
    expect(isRegistered()).toBe(false);
    expect(errorOf(await requestProof()).error).toBe('wrong_state');
  });

  it('leaves an exchange that was down once it is available again, even after a restart', async () => {
    expect((await callNetwork('POST', '/register')).exchange?.state).toBe('registered');
    exchange.overrides.set('DELETE /api/pdas/self', (_, response) => response.writeHead(503).end());
    expect((await callNetwork('POST', '/leave')).exchange?.state).toBe('leaving');
    await pda.restart();
    expect((await callNetwork()).exchange?.state).toBe('leaving');
    exchange.overrides.clear();
    pda.clock.advance(HOUR_MS);
    await pda.pda.network.sync();
    expect(isRegistered()).toBe(false);
    expect((await callNetwork()).exchange?.state).toBe('none');
  });

  it('leaves the previous exchange when another one is chosen', async () => {
    const otherExchange = await startFakeExchange(pda.clock);
    expect((await callNetwork('POST', '/register')).exchange?.state).toBe('registered');
    expect((await callNetwork('PUT', '', { exchange: otherExchange.url })).exchange).toMatchObject({
      url: otherExchange.url,
      state: 'registered',
    });
    expect(isRegistered()).toBe(false);
    expect(otherExchange.pdas.has(pda.host)).toBe(true);
    expect((await callNetwork('PUT', '', { exchange: null })).exchange).toBeNull();
    expect(otherExchange.pdas.size).toBe(0);
    await otherExchange.close();
  });

  it('retries with back-off while the exchange fails', async () => {
    exchange.overrides.set('POST /api/users/registerPda', (_, response) => response.writeHead(500).end('not JSON'));
    expect((await callNetwork('PUT', '', { exchange: exchange.url })).exchange).toMatchObject({
      state: 'failed',
      problem: 'The exchange answered 500.',
    });
    const countAttempts = () => exchange.requests.filter((call) => call === 'POST /api/users/registerPda').length;
    const previousCount = countAttempts();
    await pda.pda.network.sync();
    expect(countAttempts()).toBe(previousCount);
    pda.clock.advance(5 * 60_000);
    await pda.pda.network.sync();
    expect(countAttempts()).toBe(previousCount + 1);
    exchange.overrides.clear();
    pda.clock.advance(6 * HOUR_MS);
    await pda.pda.network.sync();
    expect((await callNetwork()).exchange).toMatchObject({ state: 'registered', problem: null });
  });

  it('retries after the clock is set back', async () => {
    const yearMs = 365 * 24 * HOUR_MS;
    pda.clock.advance(yearMs);
    exchange.overrides.set('POST /api/users/registerPda', (_, response) => response.writeHead(500).end('not JSON'));
    await pda.pda.network.sync();
    exchange.overrides.clear();
    pda.clock.advance(-yearMs / 2);
    pda.token = await pda.signIn();
    await pda.pda.network.sync();
    expect((await callNetwork()).exchange).toMatchObject({ state: 'registered', problem: null });
  });
});

describe('an exchange in config.json', () => {
  it('cannot be changed, and a missing public address is reported to the owner', async () => {
    const config = { exchange: { url: exchange.url }, contracts: { url: 'https://contracts.example.com/' } };
    const fixedPda = await startTestPda({ config, network: { allowLoopback: false } });
    const reply = networkSchema.parse((await fixedPda.call('GET', NETWORK)).json);
    expect(reply.exchange).toMatchObject({ url: exchange.url, fixed: true, state: 'failed' });
    expect(reply.exchange?.problem).toContain('no public address');
    expect(reply.contracts).toEqual({ url: 'https://contracts.example.com', fixed: true });
    const change = await fixedPda.call('PUT', NETWORK, { json: { exchange: null } });
    expect(errorOf(change).error).toBe('wrong_state');
    await fixedPda.close();
  });
});
