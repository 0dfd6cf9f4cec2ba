import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createTestClock } from '../../tests/support/test-pda.ts';
import { PASSWORD, startTestExchange, type TestAccount, type TestExchange } from '../exchange/exchange.test-support.ts';
import { createTestDatabase } from '../platform/postgres/database.test-support.ts';
import { listedApplicationSchema } from '../wire/exchange.ts';
import { createApiClient, OPERATOR_NAME, seedExchange } from './seed.ts';

const PASSWORDS = {
  operator: PASSWORD,
  developer: 'password of developer',
  marketplace: 'password of marketplace',
  plugs: 'password of plugs',
};

const MINUTE_MS = 60_000;
const clock = createTestClock(Date.now());
const send = globalThis.fetch;
let exchange: TestExchange;
let operator: TestAccount;
beforeAll(async () => {
  exchange = await startTestExchange({ database: await createTestDatabase(), clock });
  operator = await exchange.createAccount(['administrator'], OPERATOR_NAME);
});
afterAll(() => exchange.close());

const readStates = async (): Promise<Record<string, string>> => {
  const client = createApiClient(exchange.url, operator.token);
  const applications = z
    .array(listedApplicationSchema)
    .parse((await client('GET', '/api/applications/listed')).body)
    .map(({ application, state }) => [application.id, state]);
  const offers = z
    .array(z.object({ offerId: z.string(), status: z.string() }))
    .parse((await client('GET', '/api/v2/offers')).body)
    .map(({ offerId, status }) => [offerId, status]);
  return Object.fromEntries([...applications, ...offers]) as Record<string, string>;
};

/** Seeds the exchange until one thing has changed. Returns true if nothing was left to change. */
const seedOneChange = async (): Promise<boolean> => {
  const changes: string[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    // Passwords are set at each start.
    const isChange = request.method !== 'GET' && !request.url.includes('/api/accounts/');
    if (isChange && changes.length > 0) throw new Error('interrupted');
    if (isChange) changes.push(request.url);
    return send(request);
  });
  try {
    await seedExchange(exchange.url, PASSWORDS);
  } catch (error) {
    expect(String(error)).toContain('interrupted');
  } finally {
    vi.restoreAllMocks();
  }
  return changes.length === 0;
};

describe('seedExchange', () => {
  it('completes the set-up after interruptions between any two changes', async () => {
    // Later, because sign-ins are limited.
    while (!(await seedOneChange())) clock.set(clock.now() + MINUTE_MS);
    expect(await readStates()).toEqual({
      'walking-study': 'published',
      pedometer: 'published',
      walkabout: 'published',
      walks: 'approved',
    });
  });

  it('leaves applications and Offers as they are if the set-up is complete', async () => {
    await exchange.call('PUT', '/api/v2/applications/walkabout/suspend', { token: operator.token });
    await exchange.call('PUT', '/api/v2/offer/walks?status=rejected', { token: operator.token });
    const before = await readStates();
    expect(before).toMatchObject({ walkabout: 'suspended', walks: 'rejected' });
    await seedExchange(exchange.url, PASSWORDS);
    expect(await readStates()).toEqual(before);
  });
});
