import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { errorOf } from '../../../tests/support/test-pda.ts';
import { signPdaToken } from '../../platform/pda-proof.ts';
import { onBothDatabases } from '../../platform/postgres/postgres.test-support.ts';
import type { Reply } from '../../../tests/support/http.ts';
import { newTestKey, type TestKey } from '../../../tests/support/keys.ts';
import { startTestExchange, type StandInPda, type TestAccount, type TestExchange } from '../exchange.test-support.ts';

onBothDatabases('PDAs at the exchange', ({ fresh }) => {
  let exchange: TestExchange;
  let admin: TestAccount;
  let otherKey: TestKey;
  beforeAll(async () => {
    exchange = await startTestExchange({ database: await fresh(), publicUrls: ['https://exchange.example.org'] });
    admin = await exchange.account(['administrator'], 'root');
    otherKey = newTestKey();
  });
  afterAll(() => exchange.close());
  beforeEach(() => later());

  /** Enough time for every bound on registrations to be open again. */
  const later = (): void => exchange.clock.advance(3_600_000);
  const self = async (pda: StandInPda): Promise<Reply> =>
    exchange.call('GET', '/api/pdas/self', { token: await pda.token() });
  const at = async (pda: { address: string }) => {
    const reply = await exchange.call('GET', `/api/pdas?address=${pda.address}`, { token: (await admins()).token });
    return (reply.json as { pdaId: string; publicKey: string; waitingKey: string | null }[])[0];
  };
  /** The clock moves a lot here: a fresh token each time. */
  const admins = async (): Promise<TestAccount> => {
    const from = { address: '192.0.2.9', host: exchange.host, local: false };
    later();
    const { token } = await exchange.exchange.accounts.signIn('root', 'correct horse battery staple', from);
    return { ...admin, token };
  };
  const expectRefused = (reply: Reply): void =>
    expect([reply.status, errorOf(reply).error, errorOf(reply).cause]).toStrictEqual([
      400,
      'invalid_input',
      'No PDA that is set to this exchange answered at that address.',
    ]);

  describe('registering', () => {
    it('asks whoever is at the address for a proof, and lets the PDA in by its key from then on', async () => {
      const pda = await exchange.standIn();
      expect((await self(pda)).status).toBe(401);
      expect((await pda.register()).status).toBe(200);
      expect(pda.calls.map(({ method, path }) => `${method} ${path}`)).toStrictEqual([
        'GET /publickey',
        'POST /api/v2.6/exchange/proof',
      ]);
      const known = await self(pda);
      expect(known.json).toStrictEqual({
        address: pda.address,
        publicKey: pda.key.publicPem,
        registered: exchange.clock.now(),
        refreshed: exchange.clock.now(),
        // Noted a moment later.
        lastSeen: expect.toBeOneOf([null, exchange.clock.now()]),
        reports: { events: 0, last: null },
        claims: [],
      });
      expect(known.headers['x-auth-token']).toBeUndefined();
    });

    it('again refreshes, and a scheme, capitals and an end slash change nothing', async () => {
      const pda = await exchange.standIn({ name: 'ada' });
      await pda.register();
      later();
      const { port } = new URL(pda.url);
      const json = { pdaAddress: `HTTP://Ada.Localhost:${port}/` };
      expect((await exchange.call('POST', '/api/users/registerPda', { json })).status).toBe(200);
      const known = (await self(pda)).json as { registered: number; refreshed: number };
      expect(known.refreshed - known.registered).toBe(3_600_000);
    });

    it('is refused where no PDA proves itself, in the same words whatever is there', async () => {
      const pda = await exchange.standIn();
      const answers: ((pda: StandInPda) => void)[] = [
        (it) => (it.exchange = 'elsewhere.example.org'),
        (it) => (it.answer = (request, response) => request.url === '/publickey' && !!response.end(otherKey.publicPem)),
        (it) => (it.answer = (_request, response) => !!response.writeHead(302, { location: '/' }).end()),
        (it) => (it.answer = (_request, response) => !!response.writeHead(500).end()),
        (it) => (it.answer = (_request, response) => !!response.end('x'.repeat(1_000_000))),
        (it) => (it.answer = (request, response) => request.method === 'POST' && !!response.end('{"token":7}')),
        (it) => (it.answer = (request) => !!request.socket.destroy()),
      ];
      for (const set of answers) {
        later();
        pda.exchange = exchange.host;
        pda.answer = undefined;
        set(pda);
        expectRefused(await pda.register());
      }
      await pda.close();
      later();
      expectRefused(await pda.register());
      expect(await at(pda)).toBeUndefined();
    });

    it('is refused with a proof for another address, another challenge or another purpose', async () => {
      const pda = await exchange.standIn();
      const victim = await exchange.standIn();
      const claims = { iss: pda.address, resource: exchange.host, accessScope: 'proof' };
      for (const wrong of [{ iss: victim.address }, { challenge: 'x'.repeat(43) }, { accessScope: 'validate' }]) {
        pda.answer = (request, response) => {
          if (request.method !== 'POST') return false;
          const asked = pda.calls.at(-1)?.json as { challenge: string };
          void signPdaToken(pda.key, { ...claims, ...asked, ...wrong }, exchange.clock).then((token) =>
            response.end(JSON.stringify({ token })),
          );
          return true;
        };
        later();
        expectRefused(await pda.register());
      }
    });

    it('does not call an address that is none, nor itself', async () => {
      for (const pdaAddress of [
        '',
        'a b',
        'ada.example.org/path',
        'user@host',
        'host:99999',
        'file:///x',
        exchange.host,
        'exchange.example.org',
      ]) {
        later();
        const reply = await exchange.call('POST', '/api/users/registerPda', { json: { pdaAddress } });
        expect([pdaAddress, reply.status]).toStrictEqual([pdaAddress, 400]);
      }
    });
  });

  describe('a registered address', () => {
    it('is not taken over with another key, until an administrator lets exactly that key in', async () => {
      const pda = await exchange.standIn();
      const first = pda.key;
      await pda.register();
      pda.key = otherKey;
      const refused = await pda.register();
      expect([refused.status, errorOf(refused).error]).toStrictEqual([403, 'forbidden']);
      expect((await self(pda)).status).toBe(401);
      const row = await at(pda);
      expect(row).toMatchObject({ publicKey: first.publicPem, waitingKey: otherKey.publicPem });

      const { token } = await admins();
      const audit = (await exchange.call('GET', '/api/audit?take=100', { token })).json as {
        what: string;
        subject: string;
      }[];
      expect(audit.filter(({ subject }) => subject === pda.address).map(({ what }) => what)).toContain(
        'pda.key-refused',
      );
      const letIn = (publicKey: string) =>
        exchange.call('PUT', `/api/pdas/${row?.pdaId ?? ''}/key`, { token, json: { publicKey } });
      expect((await letIn(first.publicPem)).status).toBe(409);
      expect((await letIn(otherKey.publicPem)).json).toMatchObject({ publicKey: otherKey.publicPem, waitingKey: null });
      expect((await self(pda)).status).toBe(200);
      pda.key = first;
      expect((await self(pda)).status).toBe(401);
    });

    it('changes its key with the signature of the one before, and no other', async () => {
      const pda = await exchange.standIn();
      const first = pda.key;
      await pda.register();
      pda.key = otherKey;
      pda.previous = otherKey;
      expect((await pda.register()).status).toBe(403);
      pda.previous = first;
      expect((await pda.register()).status).toBe(200);
      expect((await self(pda)).status).toBe(200);
      expect(await at(pda)).toMatchObject({ publicKey: otherKey.publicPem, waitingKey: null });
    });

    it('is one, however many ask at once', async () => {
      const pda = await exchange.standIn();
      const replies = await Promise.all([1, 2, 3, 4].map(() => pda.register()));
      expect(replies.map(({ status }) => status)).toStrictEqual([200, 200, 200, 200]);
    });
  });

  describe('a flood of registrations', () => {
    it('is cut off per PDA that is called', async () => {
      const pda = await exchange.standIn();
      const statuses = [];
      for (let n = 0; n < 7; n += 1) statuses.push((await pda.register()).status);
      expect(statuses).toStrictEqual([200, 200, 200, 200, 200, 429, 429]);
      expect(pda.calls).toHaveLength(10);
      exchange.clock.advance(60_000);
      const reply = await pda.register();
      expect(reply.status).toBe(200);
    });

    it('is cut off per stranger, and other ports of a host are the same host', async () => {
      const ask = (pdaAddress: string) => exchange.call('POST', '/api/users/registerPda', { json: { pdaAddress } });
      const statuses = [];
      for (let n = 1; n <= 7; n += 1) statuses.push((await ask(`10.0.0.1:${8000 + n}`)).status);
      expect(statuses).toStrictEqual([400, 400, 400, 400, 400, 429, 429]);
      for (let n = 1; n <= 23; n += 1) await ask(`10.0.1.${n}`);
      const cut = await ask('10.0.2.1');
      expect([cut.status, cut.headers['retry-after']]).toStrictEqual([429, '2']);
    });
  });

  describe('a PDA that is registered', () => {
    it('is let in by a token for this exchange only, for minutes only', async () => {
      const pda = await exchange.standIn();
      await pda.register();
      const status = async (token: string) => (await exchange.call('GET', '/api/pdas/self', { token })).status;
      const claims = { iss: pda.address, resource: exchange.host, accessScope: 'validate' };
      const sign = (wrong: object, key = pda.key) => signPdaToken(key, { ...claims, ...wrong }, exchange.clock);
      const good = await sign({});
      expect(await status(good)).toBe(200);
      expect(await status(await sign({ resource: 'exchange.example.org' }))).toBe(200);
      expect(await status(await sign({ resource: 'shop.example.org' }))).toBe(401);
      expect(await status(await sign({ accessScope: 'proof' }))).toBe(401);
      expect(await status(await sign({ iss: 'ada.example.org' }))).toBe(401);
      expect(await status(await sign({ iss: exchange.host }))).toBe(401);
      expect(await status(await sign({ iss: `${pda.address}\0` }))).toBe(401);
      expect(await status(await sign({}, otherKey))).toBe(401);
      exchange.clock.advance(301_000);
      expect(await status(good)).toBe(401);
    });

    it('leaves at once, with all that is kept of it, and may come back with any key', async () => {
      const pda = await exchange.standIn();
      await pda.register();
      const token = await pda.token();
      expect((await exchange.call('DELETE', '/api/pdas/self', { token })).status).toBe(200);
      expect((await exchange.call('GET', '/api/pdas/self', { token })).status).toBe(401);
      expect(await at(pda)).toBeUndefined();
      pda.key = otherKey;
      expect((await pda.register()).status).toBe(200);
    });

    it('is removed by an administrator at once', async () => {
      const pda = await exchange.standIn();
      await pda.register();
      const row = await at(pda);
      const { token } = await admins();
      expect((await exchange.call('DELETE', `/api/pdas/${row?.pdaId ?? ''}`, { token })).status).toBe(200);
      expect((await exchange.call('DELETE', `/api/pdas/${row?.pdaId ?? ''}`, { token })).status).toBe(404);
      expect((await self(pda)).status).toBe(401);
      const log = (await exchange.call('GET', '/api/audit?take=1', { token })).json;
      expect(log).toMatchObject([{ who: 'root', what: 'pda.removed', subject: pda.address }]);
    });

    it('is listed with the others, page by page', async () => {
      const { token } = await admins();
      const all = (await exchange.call('GET', '/api/pdas', { token })).json as { pdaId: string }[];
      const pages: unknown[] = [];
      for (let after = ''; ;) {
        const page = (await exchange.call('GET', `/api/pdas?take=2${after}`, { token })).json as { pdaId: string }[];
        if (page.length === 0) break;
        pages.push(...page);
        after = `&after=${page.at(-1)?.pdaId ?? ''}`;
      }
      expect(all.length).toBeGreaterThan(4);
      expect(pages).toStrictEqual(all);
    });
  });
});
