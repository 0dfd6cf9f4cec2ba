import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTestExchange,
  type RegisteredTestPda,
  type TestAccount,
  type TestExchange,
} from '../server/exchange/exchange.test-support.ts';
import { declaredErrors } from '../server/platform/http/response/response-validation.ts';
import { signPdaToken } from '../server/platform/auth/pda-token.ts';
import { createTestDatabase } from '../server/platform/postgres/database.test-support.ts';
import type { Route } from '../server/platform/http/route.ts';
import { ERROR_STATUS } from '../server/wire/errors.ts';
import { accountRoleSchema } from '../server/wire/exchange.ts';
import { TOKEN_RENEWAL_MS } from '../server/wire/limits.ts';
import { newTestKey } from './support/keys.ts';
import type { Call, Reply } from './support/http.ts';
import { errorOf } from './support/test-pda.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

/**
 * Access to every route of the exchange. The tests call each route with every kind of caller over HTTP. New routes are
 * included automatically, but must be added to this table, so that their access is a deliberate decision.
 */
const ACCESS: Record<string, string> = {
  'GET /healthz': 'public',
  'GET /openapi.json': 'public',
  'GET /api/openapi.json': 'public',
  'GET /publickey': 'public',
  'GET /.well-known/jwks.json': 'public',
  'GET /api/users/access_token': 'public',
  'DELETE /api/users/access_token': 'accounts',
  'GET /api/accounts': 'administrator',
  'GET /api/accounts/self': 'accounts',
  'POST /api/accounts': 'administrator',
  'PUT /api/accounts/:id': 'administrator',
  'POST /api/users/registerPda': 'public',
  'GET /api/pdas/self': 'pda',
  'DELETE /api/pdas/self': 'pda',
  'GET /api/pdas': 'administrator',
  'PUT /api/pdas/:id/key': 'administrator',
  'DELETE /api/pdas/:id': 'administrator',
  'GET /api/dataplugs': 'any token',
  'POST /api/dataplugs': 'administrator',
  'PUT /api/dataplugs/:id': 'dataPlug',
  'GET /api/dataplugs/:id/connect': 'dataPlug',
  'POST /api/v2/offer': 'marketPlace',
  'GET /api/v2/offers': 'public',
  'GET /api/v2/offer/:id': 'public',
  // Only an administrator may send the parameter `status` to this route.
  'PUT /api/v2/offer/:id': 'marketPlace',
  'GET /api/v2/offer/:id/claim': 'pda',
  'PUT /api/v2/offer/:id/registerClaim': 'marketPlace',
  'GET /api/v2/offer/:id/claims': 'marketPlace',
  'GET /api/v2/applications': 'public',
  'GET /api/v2/applications/:id': 'public',
  'POST /api/v2/applications': 'developer',
  'PUT /api/v2/applications/:id': 'developer',
  'PUT /api/v2/applications/:id/submit': 'developer',
  'PUT /api/v2/applications/:id/publish': 'administrator',
  'PUT /api/v2/applications/:id/suspend': 'administrator',
  'GET /api/applications/listed': 'developer',
  'POST /api/users/update-application': 'administrator',
  'GET /stats': 'public',
  'GET /stats/available-data': 'public',
  'POST /stats/available-data/descriptions': 'management',
  'POST /stats/report': 'pda',
  'GET /api/statistics/daily': 'administrator',
  'GET /api/audit': 'administrator',
};

const keyOf = (route: Route): string => `${route.method} ${route.path}`;
const accessOf = (route: Route): string => ACCESS[keyOf(route)] ?? 'not decided';

let exchange: TestExchange;
const accounts = new Map<string, TestAccount>();
let pda: RegisteredTestPda;
let otherPda: RegisteredTestPda;
beforeAll(async () => {
  exchange = await startTestExchange({ database: await createTestDatabase() });
  for (const role of accountRoleSchema.options) accounts.set(role, await exchange.createAccount([role], role));
  pda = await exchange.insertRegisteredPda();
  otherPda = await exchange.insertRegisteredPda();
});
afterAll(() => exchange.close());

const tokenOfRole = (role: string): string => accounts.get(role)?.token ?? '';

const pathOf = (route: Route): string =>
  route.path.replaceAll(
    /:\w+/gu,
    /pdas|accounts|dataplugs/u.test(route.path) ? '019bc186-de00-7000-8937-015a1f841fa9' : 'x',
  );
const callOf = (route: Route): Call => (route.body === undefined ? {} : { json: {} });
const declaredStatuses = (route: Route): number[] => [
  ...new Set([...Object.keys(route.responses).map(Number), ...declaredErrors(route).map((code) => ERROR_STATUS[code])]),
];
const mayBeInvalid = (route: Route): boolean => (route.params ?? route.query ?? route.body) !== undefined;

const callEach = async (
  token: string | (() => Promise<string>) | null,
  check: (route: Route, reply: Reply) => void,
  routes: readonly Route[] = exchange.exchange.routes,
): Promise<void> => {
  for (const route of routes) {
    const tokenValue = typeof token === 'function' ? await token() : token;
    check(route, await exchange.call(route.method, pathOf(route), { ...callOf(route), token: tokenValue }));
  }
};

describe('access control', () => {
  it('is defined in the table for exactly the existing routes', () => {
    const keys = exchange.exchange.routes.map(keyOf);
    expect(new Set(keys).size).toBe(keys.length);
    expect(exchange.exchange.routes.filter((route) => accessOf(route) === 'not decided').map(keyOf)).toStrictEqual([]);
    expect(Object.keys(ACCESS).filter((key) => !keys.includes(key))).toStrictEqual([]);
  });
});

describe('every route over HTTP', () => {
  const expectRefusalUnlessPublic = (route: Route, reply: Reply): void => {
    const statuses = accessOf(route) === 'public' ? declaredStatuses(route).filter((status) => status < 500) : [401];
    expect([keyOf(route), reply.status, statuses.includes(reply.status)]).toStrictEqual([
      keyOf(route),
      reply.status,
      true,
    ]);
    expect([keyOf(route), reply.headers['x-auth-token']]).toStrictEqual([keyOf(route), undefined]);
    if (reply.status >= 400) expect(errorOf(reply).requestId).not.toBe('');
  };

  it('refuses anonymous requests before any other check, unless it is public', () =>
    callEach(null, expectRefusalUnlessPublic));
  it('refuses malformed tokens', () => callEach('garbage', expectRefusalUnlessPublic));
  it('refuses tokens of ended sessions and expired tokens', async () => {
    const account = await exchange.createAccount(['administrator']);
    await exchange.call('DELETE', '/api/users/access_token', { token: account.token });
    await callEach(account.token, expectRefusalUnlessPublic);
    const otherAccount = await exchange.createAccount(['administrator']);
    expect((await exchange.call('GET', '/api/accounts/self', { token: otherAccount.token })).status).toBe(200);
    const now = exchange.clock.now();
    exchange.clock.advance(TOKEN_RENEWAL_MS + 1000);
    try {
      await callEach(otherAccount.token, expectRefusalUnlessPublic);
    } finally {
      exchange.clock.set(now);
    }
  });
  it('refuses tokens of a disabled account', async () => {
    const account = await exchange.createAccount(['administrator']);
    await exchange.exchange.accounts.change(account.userId, { enabled: false }, { name: 'test' });
    await callEach(account.token, expectRefusalUnlessPublic);
  });
  it('refuses tokens of unregistered and former PDAs, with an unknown key, or with another access scope', async () => {
    const unknownPdaClaims = { iss: 'unknown.example.org', resource: exchange.host, accessScope: 'validate' };
    const unknownKey = newTestKey();
    const departedPda = await exchange.insertRegisteredPda();
    const token = await departedPda.token();
    await exchange.call('DELETE', '/api/pdas/self', { token });
    const tokens = [
      await signPdaToken(unknownKey, unknownPdaClaims, exchange.clock),
      await signPdaToken(unknownKey, { ...unknownPdaClaims, iss: pda.address }, exchange.clock),
      await signPdaToken(unknownKey, { ...unknownPdaClaims, iss: exchange.host }, exchange.clock),
      await pda.token('owner'),
      token,
    ];
    // Invalid tokens are refused before the route is called, so each token is tested on a fraction of the routes, and
    // in thorough runs on all of them.
    for (const [tokenIndex, invalidToken] of tokens.entries()) {
      const isInSample = (_: Route, index: number): boolean => IS_THOROUGH_RUN || index % tokens.length === tokenIndex;
      await callEach(invalidToken, expectRefusalUnlessPublic, exchange.exchange.routes.filter(isInSample));
    }
  });

  /** Allowed callers receive a declared response. Others receive 403, or 400 for an invalid request. */
  const checkAccess = (isAllowed: (access: string) => boolean, isAccount: boolean) => (route: Route, reply: Reply) => {
    const access = accessOf(route);
    const acceptableStatuses = declaredStatuses(route).filter(
      (status) => status < 500 && (access === 'public' || status !== 401),
    );
    const hasAccess = access === 'public' || isAllowed(access);
    // Refusals by the route itself are declared like any other response.
    const statuses = hasAccess ? acceptableStatuses : mayBeInvalid(route) ? [400, 403] : [403];
    expect([keyOf(route), reply.status, statuses.includes(reply.status)]).toStrictEqual([
      keyOf(route),
      reply.status,
      true,
    ]);
    if (hasAccess && access !== 'public' && !mayBeInvalid(route))
      expect([keyOf(route), reply.status]).toStrictEqual([keyOf(route), 200]);
    const endsSession = keyOf(route) === 'DELETE /api/users/access_token';
    // Every response except 403 renews the token of an account. A PDA signs its own tokens.
    if (access !== 'public') {
      const isRenewed = reply.headers['x-auth-token'] !== undefined;
      expect([keyOf(route), isRenewed]).toStrictEqual([
        keyOf(route),
        isAccount && reply.status !== 403 && !endsSession,
      ]);
    }
  };

  it.each(accountRoleSchema.options)(
    'gives an account with the role %s exactly the access in the table',
    async (role) => {
      const isAllowed = (access: string): boolean =>
        ['any token', 'accounts', role].includes(access) || (role === 'administrator' && access !== 'pda');
      const { name, userId } = accounts.get(role) ?? { name: '', userId: '' };
      let isSignedOut = false;
      const getToken = async (): Promise<string> => {
        if (isSignedOut) {
          isSignedOut = false;
          const client = { address: '192.0.2.44', host: exchange.host, local: false };
          const session = await exchange.exchange.accounts.signIn(name, 'correct horse battery staple', client);
          accounts.set(role, { name, userId, token: session.token });
        }
        return tokenOfRole(role);
      };
      const check = checkAccess(isAllowed, true);
      await callEach(getToken, (route, reply) => {
        check(route, reply);
        // One of the requests signs out.
        isSignedOut ||= keyOf(route) === 'DELETE /api/users/access_token';
      });
    },
  );

  it('gives a PDA exactly the access in the table, even after another PDA has left', async () => {
    const isAllowed = (access: string): boolean => ['any token', 'pda'].includes(access);
    await callEach(
      () => otherPda.token(),
      (route, reply) => {
        if (keyOf(route) === 'DELETE /api/pdas/self') return;
        if (reply.status === 401) return;
        checkAccess(isAllowed, false)(route, reply);
      },
    );
    // `otherPda` left during the requests. `pda` is still registered.
    expect((await exchange.call('GET', '/api/pdas/self', { token: await otherPda.token() })).status).toBe(401);
    const pdaRecord = await exchange.call('GET', '/api/pdas/self', { token: await pda.token() });
    expect(pdaRecord.json).toMatchObject({ address: pda.address });
    for (const route of exchange.exchange.routes) {
      if (keyOf(route) === 'DELETE /api/pdas/self') continue;
      const reply = await exchange.call(route.method, pathOf(route), { ...callOf(route), token: await pda.token() });
      checkAccess(isAllowed, false)(route, reply);
    }
  });
});
