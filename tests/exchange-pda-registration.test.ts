import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestExchange, type TestExchange } from '../server/exchange/exchange.test-support.ts';
import { createTestDatabase } from '../server/platform/postgres/database.test-support.ts';
import { networkKnownSchema } from '../server/wire/network.ts';
import type { Reply } from './support/http.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';

// Calls `POST /api/users/registerPda` of a real exchange anonymously for a real PDA.

const HOUR_MS = 3_600_000;

let pda: TestPda;
let exchange: TestExchange;
let otherExchange: TestExchange;

beforeAll(async () => {
  pda = await startTestPda({ network: { allowLoopback: true } });
  exchange = await startTestExchange({ database: await createTestDatabase(), clock: pda.clock });
  otherExchange = await startTestExchange({ database: await createTestDatabase(), clock: pda.clock });
});
afterAll(async () => {
  await pda.close();
  await exchange.close();
  await otherExchange.close();
});

const register = (target: TestExchange): Promise<Reply> => {
  // One registration per hour stays far below every limit on registrations.
  pda.clock.advance(HOUR_MS);
  return target.call('POST', '/api/users/registerPda', { json: { pdaAddress: pda.host } });
};
const chooseExchange = async (url: string | null): Promise<void> => {
  // The session of the owner may have expired, because the clock was advanced.
  pda.token = await pda.signIn();
  const reply = await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: url } });
  expect(reply.status, reply.text).toBe(200);
};
const pdasOf = async (target: TestExchange) =>
  target.exchange.database.run((db) =>
    db.selectFrom('pdas').select(['address', 'public_key', 'registered', 'refreshed']).execute(),
  );

describe('a request to the exchange to register a PDA', () => {
  it('is refused if the PDA has chosen no exchange', async () => {
    const reply = await register(exchange);
    expect([reply.status, errorOf(reply).error]).toStrictEqual([400, 'invalid_input']);
    expect(await pdasOf(exchange)).toStrictEqual([]);
  });

  it('refreshes an existing registration repeatedly', async () => {
    await chooseExchange(exchange.url);
    const [registration] = await pdasOf(exchange);
    expect(registration).toMatchObject({ address: pda.host, public_key: pda.pda.owner.publicKey() });
    for (let count = 0; count < 2; count += 1) {
      const reply = await register(exchange);
      expect([reply.status, reply.text]).toStrictEqual([200, expect.any(String)]);
      expect(await pdasOf(exchange)).toStrictEqual([{ ...registration, refreshed: pda.clock.now() }]);
    }
  });

  it('registers a running PDA that is not registered yet', async () => {
    await exchange.exchange.database.run((db) => db.deleteFrom('pdas').execute());
    expect((await register(exchange)).status).toBe(200);
    const now = pda.clock.now();
    expect(await pdasOf(exchange)).toStrictEqual([
      { address: pda.host, public_key: pda.pda.owner.publicKey(), registered: now, refreshed: now },
    ]);
    pda.token = await pda.signIn();
    const registration = networkKnownSchema.parse((await pda.call('GET', '/api/v2.6/owner/network/known')).json);
    expect(registration).toMatchObject({ problem: null, known: { address: pda.host } });
  });

  it('is refused if the PDA has chosen a different exchange', async () => {
    expect((await register(otherExchange)).status).toBe(400);
    expect(await pdasOf(otherExchange)).toStrictEqual([]);
  });
});
