import { afterAll, beforeAll, expect, it } from 'vitest';
import { errorOf } from '../../tests/support/test-pda.ts';
import { describeOnBothDatabases } from '../platform/postgres/database.test-support.ts';
import { startTestExchange, type TestExchange } from './exchange.test-support.ts';

describeOnBothDatabases('the exchange', ({ createDatabase }) => {
  let exchange: TestExchange;
  beforeAll(async () => {
    exchange = await startTestExchange({ database: await createDatabase(), proxies: 1 });
  });
  afterAll(() => exchange.close());

  it('refuses text with NUL characters, which the database cannot store', async () => {
    const { token } = await exchange.createAccount(['management']);
    const description = { namespace: 'x', description: 'a\0b', endpoints: [] };
    const reply = await exchange.call('POST', '/stats/available-data/descriptions', { token, json: [description] });
    expect([reply.status, errorOf(reply).error]).toStrictEqual([400, 'invalid_input']);
  });

  it('throttles sign-ins by the address that the trusted proxy appends, and ignores forged x-forwarded-for entries', async () => {
    const signInStatus = async (forwarded: string, name: string): Promise<number> => {
      const headers = { 'x-forwarded-for': forwarded, username: name, password: 'x' };
      return (await exchange.call('GET', '/api/users/access_token', { headers })).status;
    };
    const statuses = [];
    for (let n = 0; n < 11; n += 1) statuses.push(await signInStatus(`198.51.100.${n}, 203.0.113.7`, `unknown${n}`));
    expect(statuses).toStrictEqual([...Array<number>(10).fill(401), 429]);
    expect(await signInStatus('203.0.113.8', 'unknown')).toBe(401);
  });

  it('responds 421 to unknown hosts', async () => {
    expect((await exchange.call('GET', '/healthz', { headers: { host: 'evil.example' } })).status).toBe(421);
  });

  it('responds 503 to the health check and to authenticated requests when the database is unavailable', async () => {
    expect((await exchange.call('GET', '/healthz')).json).toStrictEqual({ Status: 'OK' });
    const { token } = await exchange.createAccount(['developer']);
    await exchange.exchange.database.close();
    for (const path of ['/healthz', '/api/accounts/self']) {
      const reply = await exchange.call('GET', path, { token });
      expect([path, reply.status, errorOf(reply).error]).toStrictEqual([path, 503, 'unavailable']);
      expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    }
  });
});
