import { createPublicKey } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, jwtVerify, type JSONWebKeySet } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestClock, errorOf } from '../../../tests/support/test-pda.ts';
import { silentLog } from '../../platform/log.ts';
import { onBothDatabases } from '../../platform/postgres/postgres.test-support.ts';
import { TOKEN_RENEWAL_MS } from '../../wire/limits.ts';
import { PASSWORD, startTestExchange, type TestAccount, type TestExchange } from '../exchange.test-support.ts';
import { createAccountService } from './service.ts';

onBothDatabases('accounts of the exchange', ({ kind, fresh }) => {
  let database: string;
  let exchange: TestExchange;
  let admin: TestAccount;
  beforeAll(async () => {
    database = await fresh();
    exchange = await startTestExchange({ database, publicUrls: ['https://exchange.example.org'] });
    admin = await exchange.account(['administrator'], 'root');
  });
  afterAll(() => exchange.close());

  const signIn = (username: string, password: string, headers: Record<string, string> = {}) =>
    exchange.call('GET', '/api/users/access_token', {
      headers: { username: encodeURIComponent(username), password: encodeURIComponent(password), ...headers },
    });
  const self = (token: string, on = exchange) => on.call('GET', '/api/accounts/self', { token });
  const change = (account: TestAccount, json: unknown, by = admin) =>
    exchange.call('PUT', `/api/accounts/${account.userId}`, { token: by.token, json });

  describe('signing in', () => {
    it('gives a token twice over, for the host through which the call came, that the published keys verify', async () => {
      const made = await exchange.account(['developer'], 'Acme');
      exchange.clock.advance(60_000);
      const reply = await signIn('aCME', PASSWORD, { host: 'exchange.example.org' });
      expect(reply.status).toBe(200);
      const { accessToken } = reply.json as { accessToken: string };
      expect(reply.json).toStrictEqual({ accessToken, access_token: accessToken, userId: made.userId });
      expect(reply.headers['x-auth-token']).toBe(accessToken);

      const jwks = (await exchange.call('GET', '/.well-known/jwks.json')).json as JSONWebKeySet;
      const currentDate = new Date(exchange.clock.now());
      const options = { algorithms: ['RS256'], typ: 'JWT', currentDate };
      const { payload } = await jwtVerify(accessToken, createLocalJWKSet(jwks), options);
      expect(payload).toMatchObject({ iss: 'exchange.example.org', sub: made.userId, accessScope: 'account' });
      const pem = (await exchange.call('GET', '/publickey')).text;
      expect((await jwtVerify(accessToken, createPublicKey(pem), options)).payload.jti).toBe(payload.jti);
    });

    it('takes a percent-encoded password, and refuses a broken escape', async () => {
      const password = 'pässwörd mit % und Ausrufezeichen!';
      const made = await exchange.call('POST', '/api/accounts', {
        token: admin.token,
        json: { name: 'umlaut', password, roles: ['management'] },
      });
      expect(made.status).toBe(201);
      expect((await signIn('umlaut', password)).status).toBe(200);
      const broken = await exchange.call('GET', '/api/users/access_token', {
        headers: { username: 'x', password: '%' },
      });
      expect([broken.status, errorOf(broken).error]).toStrictEqual([400, 'invalid_input']);
    });

    it('answers unknown names, wrong passwords and closed accounts alike', async () => {
      const closed = await exchange.account(['developer']);
      await change(closed, { enabled: false });
      exchange.clock.advance(60_000);
      const replies = [
        await signIn('nobody', PASSWORD),
        await signIn('root', 'wrong'),
        await signIn(closed.name, PASSWORD),
        await signIn('', ''),
        await signIn('ro\0ot', PASSWORD),
        await exchange.call('GET', '/api/users/access_token'),
      ];
      expect(replies.map((reply) => [reply.status, errorOf(reply).error])).toStrictEqual(
        replies.map(() => [401, 'invalid_credentials']),
      );
      expect(new Set(replies.slice(0, 5).map((reply) => errorOf(reply).cause)).size).toBe(1);
    });

    it('opens no session when the password changes or the account is closed while the password is checked', async () => {
      const { accounts, audit, database: opened } = exchange.exchange;
      const account = await exchange.account(['developer']);
      const signInWhile = (act: () => Promise<unknown>) => {
        let isFirst = true;
        const raced: typeof opened = {
          ...opened,
          async transact(work) {
            if (isFirst) await act();
            isFirst = false;
            return opened.transact(work);
          },
        };
        const { clock } = exchange;
        const service = createAccountService({
          database: raced,
          audit,
          isOwnHost: () => true,
          clock,
          log: silentLog(),
        });
        return service.signIn(account.name, PASSWORD, { address: '198.51.100.200', host: exchange.host, local: false });
      };
      const refused = { code: 'invalid_credentials' };
      await expect(
        signInWhile(() => accounts.change(account.userId, { enabled: false }, { name: 'test' })),
      ).rejects.toMatchObject(refused);
      await accounts.change(account.userId, { enabled: true }, { name: 'test' });
      const reset = () => accounts.resetPassword(account.name, 'another horse battery', 'test');
      await expect(signInWhile(reset)).rejects.toMatchObject(refused);
    });

    it('is limited per account, whatever the address', async () => {
      const from = (n: number) => ({ address: `203.0.113.${n}`, host: exchange.host, local: false });
      const tries = async (n: number) =>
        exchange.exchange.accounts.signIn('victim', 'x', from(n)).catch((error: { code: string }) => error.code);
      const codes = [];
      for (let n = 0; n < 12; n += 1) codes.push(await tries(n));
      expect(codes).toStrictEqual([...Array(10).fill('invalid_credentials'), 'rate_limited', 'rate_limited']);
    });
  });

  describe('a session', () => {
    it('is renewed with each call, until its 30 days are over', async () => {
      const { token } = await exchange.account(['developer']);
      exchange.clock.advance(3_600_000);
      const renewed = String((await self(token)).headers['x-auth-token']);
      expect(Number(decodeJwt(renewed).iat) - Number(decodeJwt(token).iat)).toBe(3600);
      expect((await self(renewed)).status).toBe(200);
      exchange.clock.advance(71.5 * 3_600_000);
      expect((await self(token)).status).toBe(401);
      const again = String((await self(renewed)).headers['x-auth-token']);
      exchange.clock.advance(TOKEN_RENEWAL_MS);
      expect((await self(again)).status).toBe(401);
      admin = { ...admin, token: (await signIn('root', PASSWORD)).headers['x-auth-token'] as string };
    });

    it('ends by signing out, and no other with it', async () => {
      const { token, name } = await exchange.account(['developer']);
      const second = String((await signIn(name, PASSWORD)).headers['x-auth-token']);
      const out = await exchange.call('DELETE', '/api/users/access_token', { token });
      expect([out.status, out.headers['x-auth-token']]).toStrictEqual([200, undefined]);
      expect([(await self(token)).status, (await self(second)).status]).toStrictEqual([401, 200]);
    });

    it('of a token that is good for something else is none', async () => {
      const { accounts } = exchange.exchange;
      const forPda = await accounts.tokenForPda(exchange.host, exchange.host);
      expect((await self(forPda)).status).toBe(401);
    });

    // A folder is for one process.
    it.runIf(kind === 'postgresql')(
      'is known to another process at once, and so is its end, a role and a closed account',
      async () => {
        const clock = createTestClock(exchange.clock.now());
        const other = await startTestExchange({ database, clock, publicUrls: [`http://${exchange.host}`] });
        try {
          const account = await exchange.account(['developer']);
          expect((await self(account.token, other)).status).toBe(200);
          const accountsSeenBy = async () =>
            (await other.call('GET', '/api/accounts', { token: account.token })).status;
          expect(await accountsSeenBy()).toBe(403);
          await change(account, { roles: ['administrator'] });
          expect(await accountsSeenBy()).toBe(200);
          await change(account, { roles: ['developer'] });
          expect(await accountsSeenBy()).toBe(403);
          await change(account, { enabled: false });
          expect((await self(account.token, other)).status).toBe(401);

          // And one key for both, whichever made it; a new one is found when somebody shows up with it.
          expect((await other.call('GET', '/publickey')).text).toBe((await exchange.call('GET', '/publickey')).text);
        } finally {
          await other.close();
        }
      },
    );
  });

  describe('administrators', () => {
    it('make accounts, once for each name, and every change is in the audit', async () => {
      const json = { name: 'Plugger', password: PASSWORD, roles: ['dataPlug', 'developer'] };
      const made = await exchange.call('POST', '/api/accounts', { token: admin.token, json });
      expect(made.json).toMatchObject({ name: 'Plugger', roles: ['developer', 'dataPlug'], enabled: true });
      expect(made.text).not.toContain('argon');
      const again = await exchange.call('POST', '/api/accounts', {
        token: admin.token,
        json: { ...json, name: 'pLUGGER' },
      });
      expect([again.status, errorOf(again).error]).toStrictEqual([400, 'already_exists']);
      const weak = await exchange.call('POST', '/api/accounts', {
        token: admin.token,
        json: { ...json, name: 'weak', password: 'aaaaaaaaaaaa' },
      });
      expect([weak.status, errorOf(weak).details?.[0]?.path]).toStrictEqual([400, 'body.password']);

      const { userId } = made.json as { userId: string };
      const account = { userId, name: 'Plugger', token: '' };
      expect((await change(account, { roles: ['marketPlace'], password: 'another horse battery' })).json).toMatchObject(
        {
          roles: ['marketPlace'],
        },
      );
      const log = (await exchange.call('GET', '/api/audit?take=2', { token: admin.token })).json as { id: string }[];
      expect(log).toMatchObject([
        { who: 'root', what: 'account.changed', subject: 'Plugger', detail: 'roles: marketPlace, new password' },
        { who: 'root', what: 'account.created', subject: 'Plugger', detail: 'developer dataPlug' },
      ]);
      const rest = await exchange.call('GET', `/api/audit?take=1&before=${log[0]?.id ?? ''}`, { token: admin.token });
      expect(rest.json).toStrictEqual([log[1]]);
    });

    it('end every session with a new password, which alone opens then', async () => {
      const account = await exchange.account(['developer']);
      await change(account, { password: 'another horse battery' });
      expect((await self(account.token)).status).toBe(401);
      exchange.clock.advance(60_000);
      expect((await signIn(account.name, PASSWORD)).status).toBe(401);
      expect((await signIn(account.name, 'another horse battery')).status).toBe(200);
    });

    it('do not lock themselves out, and change nobody who is not there', async () => {
      for (const json of [{ enabled: false }, { roles: ['developer'] }]) {
        const reply = await change(admin, json);
        expect([reply.status, errorOf(reply).error]).toStrictEqual([409, 'wrong_state']);
      }
      expect((await change({ ...admin, userId: '01900000-0000-7000-8000-000000000000' }, {})).status).toBe(404);
    });
  });

  it('a key that was rotated goes on verifying what it signed, and signs nothing new', async () => {
    const before = await exchange.account(['developer']);
    await exchange.exchange.accounts.rotateKey('test');
    const after = await exchange.account(['developer']);
    expect([(await self(before.token)).status, (await self(after.token)).status]).toStrictEqual([200, 200]);
    const kid = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
    expect(kid(after.token)).not.toBe(kid(before.token));
    const { keys } = (await exchange.call('GET', '/.well-known/jwks.json')).json as JSONWebKeySet;
    expect(new Set(keys.map((key) => key.kid))).toStrictEqual(new Set([kid(before.token), kid(after.token)]));
  });
});
