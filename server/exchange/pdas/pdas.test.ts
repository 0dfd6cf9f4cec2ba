import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { errorOf } from '../../../tests/support/test-pda.ts';
import { signPdaToken } from '../../platform/auth/pda-token.ts';
import { describeOnDatabases } from '../../platform/postgres/database.test-support.ts';
import type { Reply } from '../../../tests/support/http.ts';
import { newTestKey, type TestKey } from '../../../tests/support/keys.ts';
import { startTestExchange, type FakePda, type TestAccount, type TestExchange } from '../exchange.test-support.ts';

describeOnDatabases('PDAs at the exchange', ({ createDatabase }) => {
  let exchange: TestExchange;
  let admin: TestAccount;
  let otherKey: TestKey;
  beforeAll(async () => {
    exchange = await startTestExchange({
      database: await createDatabase(),
      publicUrls: ['https://exchange.example.org'],
    });
    admin = await exchange.createAccount(['administrator'], 'root');
    otherKey = newTestKey();
  });
  afterAll(() => exchange.close());
  beforeEach(() => refillLimits());

  const refillLimits = (): void => exchange.clock.advance(3_600_000);
  const getSelf = async (pda: FakePda): Promise<Reply> =>
    exchange.call('GET', '/api/pdas/self', { token: await pda.token() });
  const findRegistration = async (pda: { address: string }) => {
    const { token } = await signInAdmin();
    const reply = await exchange.call('GET', `/api/pdas?address=${pda.address}`, { token });
    return (reply.json as { pdaId: string; publicKey: string; waitingKey: string | null }[])[0];
  };
  /** Refills the limits and signs in again, because the tests advance the clock beyond the validity of a token. */
  const signInAdmin = async (): Promise<TestAccount> => {
    const origin = { address: '192.0.2.9', host: exchange.host, local: false };
    refillLimits();
    const { token } = await exchange.exchange.accounts.signIn('root', 'correct horse battery staple', origin);
    return { ...admin, token };
  };
  const expectRefused = (reply: Reply): void =>
    expect([reply.status, errorOf(reply).error, errorOf(reply).cause]).toStrictEqual([
      400,
      'invalid_input',
      'No PDA that uses this exchange responds at this address.',
    ]);

  describe('registration', () => {
    it('requires a proof from the address and authenticates the PDA by its key afterwards', async () => {
      const pda = await exchange.startFakePda();
      expect((await getSelf(pda)).status).toBe(401);
      expect((await pda.register()).status).toBe(200);
      expect(pda.calls.map(({ method, path }) => `${method} ${path}`)).toStrictEqual([
        'GET /publickey',
        'POST /api/v2.6/exchange/proof',
      ]);
      const reply = await getSelf(pda);
      expect(reply.json).toStrictEqual({
        address: pda.address,
        publicKey: pda.key.publicPem,
        registered: exchange.clock.now(),
        refreshed: exchange.clock.now(),
        // The exchange updates this time in the background.
        lastSeen: expect.toBeOneOf([null, exchange.clock.now()]),
        reports: { events: 0, last: null },
        claims: [],
      });
      expect(reply.headers['x-auth-token']).toBeUndefined();
    });

    it('is refreshed by registering again; scheme, case and trailing slash do not matter', async () => {
      const pda = await exchange.startFakePda({ name: 'ada' });
      await pda.register();
      refillLimits();
      const { port } = new URL(pda.url);
      const json = { pdaAddress: `HTTP://Ada.Localhost:${port}/` };
      expect((await exchange.call('POST', '/api/users/registerPda', { json })).status).toBe(200);
      const { refreshed, registered } = (await getSelf(pda)).json as { registered: number; refreshed: number };
      expect(refreshed - registered).toBe(3_600_000);
    });

    it('succeeds for four concurrent requests', async () => {
      const pda = await exchange.startFakePda();
      const replies = await Promise.all([1, 2, 3, 4].map(() => pda.register()));
      expect(replies.map(({ status }) => status)).toStrictEqual([200, 200, 200, 200]);
    });

    it('is refused with the same error for every failure at the address', async () => {
      const pda = await exchange.startFakePda();
      const responders: FakePda['respond'][] = [
        (request, response) => request.url === '/publickey' && !!response.end(otherKey.publicPem),
        (_request, response) => !!response.writeHead(302, { location: '/' }).end(),
        (_request, response) => !!response.writeHead(500).end(),
        (_request, response) => !!response.end('x'.repeat(1_000_000)),
        (request, response) => request.method === 'POST' && !!response.end('{"token":7}'),
        (request) => !!request.socket.destroy(),
      ];
      for (const respond of responders) {
        refillLimits();
        pda.respond = respond;
        expectRefused(await pda.register());
      }
      pda.respond = undefined;
      pda.exchangeHost = 'elsewhere.example.org';
      refillLimits();
      expectRefused(await pda.register());
      pda.exchangeHost = exchange.host;
      await pda.close();
      refillLimits();
      expectRefused(await pda.register());
      expect(await findRegistration(pda)).toBeUndefined();
    });

    it('is refused if the proof is for a different address, challenge or scope', async () => {
      const pda = await exchange.startFakePda();
      const victim = await exchange.startFakePda();
      const claims = { iss: pda.address, resource: exchange.host, accessScope: 'proof' };
      for (const forgedClaim of [{ iss: victim.address }, { challenge: 'x'.repeat(43) }, { accessScope: 'validate' }]) {
        pda.respond = (request, response) => {
          if (request.method !== 'POST') return false;
          const body = pda.calls.at(-1)?.json as { challenge: string };
          void signPdaToken(pda.key, { ...claims, ...body, ...forgedClaim }, exchange.clock).then((token) =>
            response.end(JSON.stringify({ token })),
          );
          return true;
        };
        refillLimits();
        expectRefused(await pda.register());
      }
    });

    it('is refused for invalid addresses and the exchange’s own addresses', async () => {
      const readRefusal = async (pdaAddress: string): Promise<string> => {
        refillLimits();
        const reply = await exchange.call('POST', '/api/users/registerPda', { json: { pdaAddress } });
        expect([pdaAddress, reply.status]).toStrictEqual([pdaAddress, 400]);
        return errorOf(reply).cause;
      };
      for (const address of ['', 'a b', 'ada.example.org/path', 'user@host', 'host:99999', 'file:///x'])
        expect(await readRefusal(address), address).toMatch(
          /^(?:body\.pdaAddress: |This is not the address of a PDA)/u,
        );
      for (const address of [exchange.host, 'exchange.example.org'])
        expect(await readRefusal(address), address).toBe('This is the address of the exchange itself.');
    });
  });

  describe('a registered address', () => {
    it('refuses a different key until an administrator approves exactly that key', async () => {
      const pda = await exchange.startFakePda();
      const originalKey = pda.key;
      await pda.register();
      pda.key = otherKey;
      const response = await pda.register();
      expect([response.status, errorOf(response).error]).toStrictEqual([403, 'forbidden']);
      expect((await getSelf(pda)).status).toBe(401);
      const row = await findRegistration(pda);
      expect(row).toMatchObject({ publicKey: originalKey.publicPem, waitingKey: otherKey.publicPem });

      const { token } = await signInAdmin();
      const audit = (await exchange.call('GET', '/api/audit?take=100', { token })).json as {
        what: string;
        subject: string;
      }[];
      expect(audit.filter(({ subject }) => subject === pda.address).map(({ what: kind }) => kind)).toContain(
        'pda.key-refused',
      );
      const approve = (publicKey: string) =>
        exchange.call('PUT', `/api/pdas/${row?.pdaId ?? ''}/key`, { token, json: { publicKey } });
      expect((await approve(originalKey.publicPem)).status).toBe(409);
      expect((await approve(otherKey.publicPem)).json).toMatchObject({
        publicKey: otherKey.publicPem,
        waitingKey: null,
      });
      // A load balancer may repeat the request.
      expect((await approve(otherKey.publicPem)).status).toBe(200);
      expect((await getSelf(pda)).status).toBe(200);
      pda.key = originalKey;
      expect((await getSelf(pda)).status).toBe(401);
    });

    it('accepts a new key if the previous key also signs the challenge', async () => {
      const pda = await exchange.startFakePda();
      const originalKey = pda.key;
      await pda.register();
      pda.key = otherKey;
      pda.previousKey = otherKey;
      expect((await pda.register()).status).toBe(403);
      pda.previousKey = originalKey;
      expect((await pda.register()).status).toBe(200);
      expect((await getSelf(pda)).status).toBe(200);
      expect(await findRegistration(pda)).toMatchObject({ publicKey: otherKey.publicPem, waitingKey: null });
    });
  });

  describe('registration limits', () => {
    it('bound registrations of one PDA by one client', async () => {
      const pda = await exchange.startFakePda();
      const statuses = [];
      for (let n = 0; n < 7; n += 1) statuses.push((await pda.register()).status);
      expect(statuses).toStrictEqual([200, 200, 200, 200, 200, 429, 429]);
      expect(pda.calls).toHaveLength(10);
      exchange.clock.advance(60_000);
      const reply = await pda.register();
      expect(reply.status).toBe(200);
    });

    it('bound registrations by one client, for all PDAs at one host and in total', async () => {
      const register = (pdaAddress: string) =>
        exchange.call('POST', '/api/users/registerPda', { json: { pdaAddress } });
      const statuses = [];
      for (let n = 1; n <= 7; n += 1) statuses.push((await register(`10.0.0.1:${8000 + n}`)).status);
      expect(statuses).toStrictEqual([400, 400, 400, 400, 400, 429, 429]);
      for (let n = 1; n <= 23; n += 1) await register(`10.0.1.${n}`);
      const limitedReply = await register('10.0.2.1');
      expect([limitedReply.status, limitedReply.headers['retry-after']]).toStrictEqual([429, '2']);
    });
  });

  describe('a registered PDA', () => {
    it('authenticates with short-lived tokens for this exchange only', async () => {
      const pda = await exchange.startFakePda();
      await pda.register();
      const getStatus = async (token: string) => (await exchange.call('GET', '/api/pdas/self', { token })).status;
      const claims = { iss: pda.address, resource: exchange.host, accessScope: 'validate' };
      const sign = (changes: object, key = pda.key) => signPdaToken(key, { ...claims, ...changes }, exchange.clock);
      const validToken = await sign({});
      expect(await getStatus(validToken)).toBe(200);
      expect(await getStatus(await sign({ resource: 'exchange.example.org' }))).toBe(200);
      expect(await getStatus(await sign({ resource: 'shop.example.org' }))).toBe(401);
      expect(await getStatus(await sign({ accessScope: 'proof' }))).toBe(401);
      expect(await getStatus(await sign({ iss: 'ada.example.org' }))).toBe(401);
      expect(await getStatus(await sign({ iss: exchange.host }))).toBe(401);
      expect(await getStatus(await sign({ iss: `${pda.address}\0` }))).toBe(401);
      expect(await getStatus(await sign({}, otherKey))).toBe(401);
      exchange.clock.advance(301_000);
      expect(await getStatus(validToken)).toBe(401);
    });

    it('can remove itself and register again with any key', async () => {
      const pda = await exchange.startFakePda();
      await pda.register();
      const token = await pda.token();
      expect((await exchange.call('DELETE', '/api/pdas/self', { token })).status).toBe(200);
      expect((await exchange.call('GET', '/api/pdas/self', { token })).status).toBe(401);
      expect(await findRegistration(pda)).toBeUndefined();
      pda.key = otherKey;
      expect((await pda.register()).status).toBe(200);
    });

    it('is refused immediately after an administrator has removed it', async () => {
      const pda = await exchange.startFakePda();
      await pda.register();
      const row = await findRegistration(pda);
      const { token } = await signInAdmin();
      expect((await exchange.call('DELETE', `/api/pdas/${row?.pdaId ?? ''}`, { token })).status).toBe(200);
      expect((await exchange.call('DELETE', `/api/pdas/${row?.pdaId ?? ''}`, { token })).status).toBe(404);
      expect((await getSelf(pda)).status).toBe(401);
      const log = (await exchange.call('GET', '/api/audit?take=1', { token })).json;
      expect(log).toMatchObject([{ who: 'root', what: 'pda.removed', subject: pda.address }]);
    });

    it('is listed page by page', async () => {
      const { token } = await signInAdmin();
      // Without `lastSeen`, which the exchange updates in the background.
      const listPdas = async (query: string): Promise<{ pdaId: string }[]> => {
        const reply = await exchange.call('GET', `/api/pdas${query}`, { token });
        return (reply.json as { pdaId: string }[]).map((pda) => ({ ...pda, lastSeen: null }));
      };
      const allPdas = await listPdas('');
      const pages: unknown[] = [];
      for (let cursorQuery = ''; ;) {
        const page = await listPdas(`?take=2${cursorQuery}`);
        if (page.length === 0) break;
        pages.push(...page);
        cursorQuery = `&after=${page.at(-1)?.pdaId ?? ''}`;
      }
      expect(allPdas.length).toBeGreaterThan(4);
      expect(pages).toStrictEqual(allPdas);
    });
  });
});
