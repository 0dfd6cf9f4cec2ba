import { createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { createLocalJWKSet, decodeJwt, jwtVerify, type JSONWebKeySet } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestClock, errorOf } from '../../../tests/support/test-pda.ts';
import { silentLog } from '../../platform/log.ts';
import { describeOnDatabases } from '../../platform/postgres/database.test-support.ts';
import { TOKEN_VALIDITY_MS } from '../../wire/limits.ts';
import { PASSWORD, startTestExchange, type TestAccount, type TestExchange } from '../exchange.test-support.ts';
import { createAccountService } from './service.ts';

describeOnDatabases('accounts of the exchange', ({ kind, createDatabase }) => {
  let database: string;
  let exchange: TestExchange;
  let admin: TestAccount;
  beforeAll(async () => {
    database = await createDatabase();
    exchange = await startTestExchange({ database, publicUrls: ['https://exchange.example.org'] });
    admin = await exchange.createAccount(['administrator'], 'root');
  });
  afterAll(() => exchange.close());

  const signIn = (username: string, password: string, headers: Record<string, string> = {}) =>
    exchange.call('GET', '/api/users/access_token', {
      headers: { username: encodeURIComponent(username), password: encodeURIComponent(password), ...headers },
    });
  const getSelf = (token: string, service = exchange) => service.call('GET', '/api/accounts/self', { token });
  const change = (account: TestAccount, json: unknown, administrator = admin) =>
    exchange.call('PUT', `/api/accounts/${account.userId}`, { token: administrator.token, json });

  describe('signing in', () => {
    it('returns a token for the requested host under both field names, verifiable with the published keys', async () => {
      const account = await exchange.createAccount(['developer'], 'Acme');
      exchange.clock.advance(60_000);
      const reply = await signIn('aCME', PASSWORD, { host: 'exchange.example.org' });
      expect(reply.status).toBe(200);
      const { accessToken } = reply.json as { accessToken: string };
      expect(reply.json).toStrictEqual({ accessToken, access_token: accessToken, userId: account.userId });
      expect(reply.headers['x-auth-token']).toBe(accessToken);

      const jwks = (await exchange.call('GET', '/.well-known/jwks.json')).json as JSONWebKeySet;
      const currentDate = new Date(exchange.clock.now());
      const options = { algorithms: ['RS256'], typ: 'JWT', currentDate };
      const { payload } = await jwtVerify(accessToken, createLocalJWKSet(jwks), options);
      expect(payload).toMatchObject({ iss: 'exchange.example.org', sub: account.userId, accessScope: 'account' });
      const pem = (await exchange.call('GET', '/publickey')).text;
      expect((await jwtVerify(accessToken, createPublicKey(pem), options)).payload.jti).toBe(payload.jti);
    });

    it('accepts a percent-encoded password and refuses an invalid escape', async () => {
      const password = 'pässwörd mit % und Ausrufezeichen!';
      const createReply = await exchange.call('POST', '/api/accounts', {
        token: admin.token,
        json: { name: 'umlaut', password, roles: ['management'] },
      });
      expect(createReply.status).toBe(201);
      expect((await signIn('umlaut', password)).status).toBe(200);
      const malformedPasswordReply = await exchange.call('GET', '/api/users/access_token', {
        headers: { username: 'x', password: '%' },
      });
      expect([malformedPasswordReply.status, errorOf(malformedPasswordReply).error]).toStrictEqual([
        400,
        'invalid_input',
      ]);
    });

    it('responds identically to unknown names, wrong passwords and disabled accounts', async () => {
      const disabledAccount = await exchange.createAccount(['developer']);
      await change(disabledAccount, { enabled: false });
      exchange.clock.advance(60_000);
      const replies = [
        await signIn('unknown', PASSWORD),
        await signIn('root', 'wrong'),
        await signIn(disabledAccount.name, PASSWORD),
        await signIn('', ''),
        await signIn('ro\0ot', PASSWORD),
        await exchange.call('GET', '/api/users/access_token'),
      ];
      expect(replies.map((reply) => [reply.status, errorOf(reply).error])).toStrictEqual(
        replies.map(() => [401, 'invalid_credentials']),
      );
      expect(new Set(replies.slice(0, 5).map((reply) => errorOf(reply).cause)).size).toBe(1);
    });

    it('opens no session when the password changes or the account is disabled while the password is checked', async () => {
      const { accounts, audit, database: openDatabase } = exchange.exchange;
      const account = await exchange.createAccount(['developer']);
      /** Signs in and performs a change between the password check and the transaction. */
      const signInWhile = (performChange: () => Promise<unknown>) => {
        let isFirst = true;
        const racedDatabase: typeof openDatabase = {
          ...openDatabase,
          async transact(work) {
            if (isFirst) await performChange();
            isFirst = false;
            return openDatabase.transact(work);
          },
        };
        const { clock } = exchange;
        const service = createAccountService({
          database: racedDatabase,
          audit,
          isOwnHost: () => true,
          clock,
          log: silentLog(),
        });
        return service.signIn(account.name, PASSWORD, { address: '198.51.100.200', host: exchange.host, local: false });
      };
      const refusal = { code: 'invalid_credentials' };
      await expect(
        signInWhile(() => accounts.change(account.userId, { enabled: false }, { name: 'test' })),
      ).rejects.toMatchObject(refusal);
      await accounts.change(account.userId, { enabled: true }, { name: 'test' });
      const reset = () => accounts.resetPassword(account.name, 'another horse battery', 'test');
      await expect(signInWhile(reset)).rejects.toMatchObject(refusal);
    });

    it('is throttled per account across addresses', async () => {
      const originOf = (n: number) => ({ address: `203.0.113.${n}`, host: exchange.host, local: false });
      const attemptFrom = async (n: number) =>
        exchange.exchange.accounts.signIn('victim', 'x', originOf(n)).catch((error: { code: string }) => error.code);
      const codes = [];
      for (let n = 0; n < 12; n += 1) codes.push(await attemptFrom(n));
      expect(codes).toStrictEqual([...Array(10).fill('invalid_credentials'), 'rate_limited', 'rate_limited']);
    });
  });

  describe('a session', () => {
    it('is renewed by each request and ends when its newest token has expired', async () => {
      const { token } = await exchange.createAccount(['developer']);
      exchange.clock.advance(3_600_000);
      const renewedToken = String((await getSelf(token)).headers['x-auth-token']);
      expect(Number(decodeJwt(renewedToken).iat) - Number(decodeJwt(token).iat)).toBe(3600);
      expect((await getSelf(renewedToken)).status).toBe(200);
      exchange.clock.advance(71.5 * 3_600_000);
      expect((await getSelf(token)).status).toBe(401);
      const secondRenewedToken = String((await getSelf(renewedToken)).headers['x-auth-token']);
      exchange.clock.advance(TOKEN_VALIDITY_MS);
      expect((await getSelf(secondRenewedToken)).status).toBe(401);
      admin = { ...admin, token: (await signIn('root', PASSWORD)).headers['x-auth-token'] as string };
    });

    it('ends on sign-out, while other sessions of the account continue', async () => {
      const { token, name } = await exchange.createAccount(['developer']);
      const secondToken = String((await signIn(name, PASSWORD)).headers['x-auth-token']);
      const signOutReply = await exchange.call('DELETE', '/api/users/access_token', { token });
      expect([signOutReply.status, signOutReply.headers['x-auth-token']]).toStrictEqual([200, undefined]);
      expect([(await getSelf(token)).status, (await getSelf(secondToken)).status]).toStrictEqual([401, 200]);
    });

    it('does not change anything if it ends while the body of a request arrives', async () => {
      const { token, userId } = await exchange.createAccount(['administrator']);
      const body = JSON.stringify({ name: 'accomplice', password: PASSWORD, roles: ['administrator'] });
      const slowRequest = request(`${exchange.url}/api/accounts`, {
        method: 'POST',
        headers: {
          'x-auth-token': token,
          'content-type': 'application/json',
          'content-length': body.length,
          expect: '100-continue',
        },
      });
      const response = once(slowRequest, 'response');
      // The exchange sends this status once it has checked the token.
      slowRequest.flushHeaders();
      await once(slowRequest, 'continue');
      await exchange.exchange.accounts.change(userId, { enabled: false }, { name: 'test' });
      slowRequest.end(body);
      const [{ statusCode }] = (await response) as [IncomingMessage];
      expect(statusCode).toBe(401);
      const accounts = await exchange.exchange.accounts.list();
      expect(accounts.map(({ name }) => name)).not.toContain('accomplice');
    });

    it('is not granted by a token for PDAs', async () => {
      const { accounts } = exchange.exchange;
      const pdaToken = await accounts.signTokenForPda(exchange.host, exchange.host);
      expect((await getSelf(pdaToken)).status).toBe(401);
    });

    // An embedded database supports only one process.
    it.runIf(kind === 'postgresql')(
      'is valid in another process immediately, and changes of its account take effect there immediately',
      async () => {
        const clock = createTestClock(exchange.clock.now());
        const peer = await startTestExchange({ database, clock, publicUrls: [`http://${exchange.host}`] });
        try {
          const account = await exchange.createAccount(['developer']);
          expect((await getSelf(account.token, peer)).status).toBe(200);
          const listStatus = async () => (await peer.call('GET', '/api/accounts', { token: account.token })).status;
          expect(await listStatus()).toBe(403);
          await change(account, { roles: ['administrator'] });
          expect(await listStatus()).toBe(200);
          await change(account, { roles: ['developer'] });
          expect(await listStatus()).toBe(403);
          await change(account, { enabled: false });
          expect((await getSelf(account.token, peer)).status).toBe(401);

          expect((await peer.call('GET', '/publickey')).text).toBe((await exchange.call('GET', '/publickey')).text);
        } finally {
          await peer.close();
        }
      },
    );
  });

  describe('administrators', () => {
    it('create and change accounts with unique names and strong passwords; the audit log records each change', async () => {
      const json = { name: 'Plugger', password: PASSWORD, roles: ['dataPlug', 'developer'] };
      const createReply = await exchange.call('POST', '/api/accounts', { token: admin.token, json });
      expect(createReply.json).toMatchObject({ name: 'Plugger', roles: ['developer', 'dataPlug'], enabled: true });
      expect(createReply.text).not.toContain('argon');
      const duplicateReply = await exchange.call('POST', '/api/accounts', {
        token: admin.token,
        json: { ...json, name: 'pLUGGER' },
      });
      expect([duplicateReply.status, errorOf(duplicateReply).error]).toStrictEqual([400, 'already_exists']);
      const weakReply = await exchange.call('POST', '/api/accounts', {
        token: admin.token,
        json: { ...json, name: 'weak', password: 'aaaaaaaaaaaa' },
      });
      expect([weakReply.status, errorOf(weakReply).details?.[0]?.path]).toStrictEqual([400, 'body.password']);
      // The command line reads a password of any length.
      const { accounts } = exchange.exchange;
      await expect(
        accounts.create({ name: 'long', password: PASSWORD.repeat(100), roles: [] }, 'test'),
      ).rejects.toMatchObject({ code: 'invalid_input', reason: 'A password can have at most 1000 characters.' });

      const { userId } = createReply.json as { userId: string };
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
      const nextPage = await exchange.call('GET', `/api/audit?take=1&before=${log[0]?.id ?? ''}`, {
        token: admin.token,
      });
      expect(nextPage.json).toStrictEqual([log[1]]);
    });

    it('end all sessions of an account by setting a new password', async () => {
      const account = await exchange.createAccount(['developer']);
      const secondToken = String((await signIn(account.name, PASSWORD)).headers['x-auth-token']);
      expect((await getSelf(secondToken)).status).toBe(200);
      await change(account, { password: 'another horse battery' });
      expect([(await getSelf(account.token)).status, (await getSelf(secondToken)).status]).toStrictEqual([401, 401]);
      exchange.clock.advance(60_000);
      expect((await signIn(account.name, PASSWORD)).status).toBe(401);
      expect((await signIn(account.name, 'another horse battery')).status).toBe(200);
    });

    it('cannot lock themselves out or change an unknown account', async () => {
      for (const json of [{ enabled: false }, { roles: ['developer'] }]) {
        const reply = await change(admin, json);
        expect([reply.status, errorOf(reply).error]).toStrictEqual([409, 'wrong_state']);
      }
      expect((await change({ ...admin, userId: '01900000-0000-7000-8000-000000000000' }, {})).status).toBe(404);
    });
  });

  it('signs with the new key after a rotation and still accepts tokens of the old key', async () => {
    const oldAccount = await exchange.createAccount(['developer']);
    await exchange.exchange.accounts.rotateKey('test');
    const newAccount = await exchange.createAccount(['developer']);
    const statuses = [(await getSelf(oldAccount.token)).status, (await getSelf(newAccount.token)).status];
    expect(statuses).toStrictEqual([200, 200]);
    const kidOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
    expect(kidOf(newAccount.token)).not.toBe(kidOf(oldAccount.token));
    const { keys } = (await exchange.call('GET', '/.well-known/jwks.json')).json as JSONWebKeySet;
    expect(new Set(keys.map((key) => key.kid))).toStrictEqual(
      new Set([kidOf(oldAccount.token), kidOf(newAccount.token)]),
    );
  });
});
