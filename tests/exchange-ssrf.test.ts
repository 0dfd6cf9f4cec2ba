import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestExchange, type TestExchange } from '../server/exchange/exchange.test-support.ts';
import { createTestDatabase } from '../server/platform/postgres/database.test-support.ts';
import { createResolver, REFUSAL_RESPONSE, redirectTo, startCanary, type Canary } from './support/canary.ts';
import { PRIVATE_HOSTS, LOOPBACK_ADDRESSES, PRIVATE_NAMES, type Addresses } from './support/private-addresses.ts';
import { createTestClock, errorOf } from './support/test-pda.ts';

// `registerPda` makes the exchange send a request to an address chosen by an anonymous caller. A canary server listens
// on every address of this machine. In production, the exchange must never connect to the canary server, and must not
// reveal which service runs at an address.

let canary: Canary;
let port: number;

let lookups: string[] = [];
let names: Record<string, () => Addresses> = PRIVATE_NAMES;
const resolve = createResolver(
  (host) => void lookups.push(host),
  (host) => names[host],
);

const clock = createTestClock();
let productionExchange: TestExchange;
let developmentExchange: TestExchange;
beforeAll(async () => {
  canary = await startCanary();
  ({ port } = canary);
  const database = await createTestDatabase();
  productionExchange = await startTestExchange({ database, clock, network: { allowLoopback: false, resolve } });
  developmentExchange = await startTestExchange({ database, clock, network: { allowLoopback: true, resolve } });
});
afterAll(async () => {
  await productionExchange.close();
  await developmentExchange.close();
  canary.close();
});
beforeEach(() => {
  canary.connections = 0;
  lookups = [];
  names = PRIVATE_NAMES;
  canary.response = REFUSAL_RESPONSE;
});

const register = async (exchange: TestExchange, pdaAddress: string) => {
  clock.advance(3_600_000);
  const reply = await exchange.call('POST', '/api/users/registerPda', { json: { pdaAddress } });
  expect([pdaAddress, reply.status]).toStrictEqual([pdaAddress, 400]);
  return errorOf(reply).cause;
};

describe('registerPda (SSRF)', () => {
  it('connects to loopback addresses only in development mode', async () => {
    await register(developmentExchange, `127.0.0.1:${port}`);
    await register(developmentExchange, `ada.localhost:${port}`);
    expect(canary.connections).toBe(2);
    await register(productionExchange, `127.0.0.1:${port}`);
    await register(productionExchange, `ada.localhost:${port}`);
    expect([canary.connections, lookups]).toStrictEqual([2, []]);
  });

  it('refuses private addresses in many notations', async () => {
    for (const host of PRIVATE_HOSTS) {
      await register(productionExchange, `${host}:${port}`);
      await register(productionExchange, `http://${host}:${port}/`);
    }
    expect([canary.connections, lookups]).toStrictEqual([0, []]);
  });

  it('refuses names that resolve to private addresses, with the same error as for unknown names', async () => {
    const causes = new Set<string>();
    for (const name of [...Object.keys(PRIVATE_NAMES), 'unknown.example'])
      if (name !== 'localhost') causes.add(await register(productionExchange, `${name}:${port}`));
    expect([canary.connections, causes.size]).toStrictEqual([0, 1]);
    // Each name was resolved, so none was refused for a different reason.
    expect(new Set(lookups).size).toBe(Object.keys(PRIVATE_NAMES).length);
  });

  it('validates the resolved address on every connection (DNS rebinding)', async () => {
    const dnsAnswers: Addresses[] = [LOOPBACK_ADDRESSES, [{ address: '10.0.0.1', family: 4 }]];
    // Uses a loopback address as the public one, so that no request leaves this machine. The connection fails because
    // the canary does not speak TLS.
    names = { 'rebinding.example': () => dnsAnswers[lookups.length - 1] ?? [] };
    await register(developmentExchange, `rebinding.example:${port}`);
    await register(developmentExchange, `rebinding.example:${port}`);
    expect([canary.connections, lookups.length]).toStrictEqual([1, 2]);
  });

  it('does not follow redirects', async () => {
    for (const [index, status] of [301, 302, 303, 307, 308].entries()) {
      canary.response = redirectTo(port, status);
      await register(developmentExchange, `127.0.0.1:${port}`);
      expect(canary.connections).toBe(index + 1);
    }
  });
});
