import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declaredErrors } from '../server/platform/answer-check.ts';
import { decide, VISITOR, type Decision, type Principal, type Scope } from '../server/platform/principal.ts';
import type { Route } from '../server/platform/route.ts';
import { ERROR_STATUS } from '../server/wire/errors.ts';
import type { Call, Reply } from './support/http.ts';
import { errorOf, OWNER, startTestPda, type TestPda } from './support/test-pda.ts';

/**
 * Every route with every kind of caller. A route that is added is walked without a line here, but its access must be in the table:
 * who it is for is a decision that somebody takes, not one that happens.
 */
const ACCESS: Record<string, string> = {
  'GET /healthz': 'everybody',
  'GET /publickey': 'everybody',
  'GET /.well-known/jwks.json': 'everybody',
  'GET /users/access_token': 'everybody',
  'GET /users/access_token/validate': 'any token',
  'GET /users/application_token': 'owner',
  'GET /api/v2.6/healthz': 'everybody',
  'GET /api/v2.6/version': 'everybody',
  'GET /api/v2.6/openapi.json': 'everybody',
  'GET /api/v2.6/system/status': 'owner',
  'GET /api/v2.6/data/sources': 'some records:write:',
  'GET /api/v2.6/data/:namespace/*endpoint': 'records:read:fitness',
  'POST /api/v2.6/data/:namespace/*endpoint': 'records:write:fitness',
  'DELETE /api/v2.6/data/:namespace/*endpoint': 'records:write:fitness',
  'PUT /api/v2.6/data': 'some records:write:',
  'DELETE /api/v2.6/data': 'some records:write:',
  'POST /api/v2.6/data-batch': 'some records:write:',
  'GET /api/v2.6/data-record/:recordId': 'some records:read:',
  'GET /api/v2.6/combinator': 'queries:use',
  'GET /api/v2.6/combinator/*name': 'queries:use',
  'POST /api/v2.6/combinator/*name': 'queries:use',
  'PUT /api/v2.6/combinator/*name': 'queries:use',
  'DELETE /api/v2.6/combinator/*name': 'queries:use',
  'GET /api/v2.6/data-bundle': 'queries:use',
  'GET /api/v2.6/data-bundle/*name': 'queries:use',
  'GET /api/v2.6/data-bundle/*name/structure': 'queries:use',
  'POST /api/v2.6/data-bundle/*name': 'queries:use',
  'PUT /api/v2.6/data-bundle/*name': 'queries:use',
  'DELETE /api/v2.6/data-bundle/*name': 'queries:use',
  'GET /api/v2.6/owner/setup': 'everybody',
  'POST /api/v2.6/owner/setup': 'everybody',
  // Open until there is an owner; the handler asks for one afterwards.
  'POST /api/v2.6/owner/password-strength': 'everybody',
  // The ticket in the address is the permission.
  'GET /api/v2.6/owner/exports/:ticket': 'everybody',
};
/** Everything else below this is the owner's own. */
const OWNERS_OWN = /^\w+ \/api\/v2\.6\/owner(?:\/|$)/u;

const keyOf = (route: Route): string => `${route.method} ${route.path}`;
const expectedAccess = (route: Route): string =>
  ACCESS[keyOf(route)] ?? (OWNERS_OWN.test(keyOf(route)) ? 'owner' : 'not decided');

const application = (...scopes: Scope[]): Principal => ({
  kind: 'application',
  application: 'notes',
  userId: 'u',
  sessionId: 's',
  scopes: new Set(scopes),
});
const OWN: Scope[] = ['records:read:fitness', 'records:write:fitness'];
const CALLERS: Record<string, Principal> = {
  visitor: VISITOR,
  owner: { kind: 'owner', userId: 'u', sessionId: 's' },
  'an application without scopes': application(),
  'an application of another namespace': application('records:read:finance', 'records:write:finance', 'files:fitness'),
  'an application of this namespace': application(...OWN),
  'an application that reads only': application('records:read:fitness'),
  'an application that acts like the owner': application(...OWN, 'queries:use'),
  'a contract': { kind: 'contract', contract: 'c', scopes: new Set<Scope>(['records:read:fitness']) },
  'the exchange': { kind: 'exchange', scopes: new Set<Scope>() },
};

const expectedDecision = (access: string, principal: Principal): Decision => {
  if (access === 'everybody') return 'allowed';
  if (principal.kind === 'visitor') return 'not_authenticated';
  if (principal.kind === 'owner' || access === 'any token') return 'allowed';
  if (access === 'owner') return 'forbidden';
  const scopes = [...principal.scopes];
  const start = access.startsWith('some ') ? access.slice(5) : undefined;
  return scopes.some((scope) => (start === undefined ? scope === access : scope.startsWith(start)))
    ? 'allowed'
    : 'forbidden';
};

let pda: TestPda;
let expired: string;
let revoked: string;
let service: string;
beforeAll(async () => {
  pda = await startTestPda();
  expired = await pda.signIn();
  pda.clock.advance(72 * 3_600_000);
  pda.token = await pda.signIn();
  revoked = await pda.signIn();
  await pda.call('POST', '/api/v2.6/owner/sign-out', { token: revoked });
  service = (await pda.pda.owner.serviceToken(pda.host, { address: '', host: pda.host, local: true, userAgent: '' }))
    .accessToken;
});
afterAll(() => pda.close());

/** A path with plausible names in it, and a body where one is taken. */
const pathOf = (route: Route): string =>
  route.path
    .replaceAll(/:\w*[iI]d\b/gu, '019bc186-de00-7000-8937-015a1f841fa9')
    .replace(':namespace', 'fitness')
    .replaceAll(/[:*]\w+/gu, 'x');
const callOf = (route: Route): Call => {
  if (route.body === undefined) return {};
  return route.body.as === 'bytes' ? { body: 'x', headers: { 'content-type': route.body.contentType } } : { json: {} };
};

const declared = (route: Route): Set<number> =>
  new Set([...Object.keys(route.responses).map(Number), ...declaredErrors(route).map((code) => ERROR_STATUS[code])]);

describe('the access of every route', () => {
  it('is in the table, and the table names no route that is not there', () => {
    const keys = pda.pda.routes.map(keyOf);
    expect(new Set(keys).size).toBe(keys.length);
    expect(pda.pda.routes.filter((route) => expectedAccess(route) === 'not decided').map(keyOf)).toStrictEqual([]);
    expect(Object.keys(ACCESS).filter((key) => !keys.includes(key))).toStrictEqual([]);
  });

  it.each(Object.entries(CALLERS))('is as the table says for %s', (_, principal) => {
    const input = { params: { namespace: 'fitness', endpoint: 'steps', name: 'x' }, query: {}, body: {} };
    const decisions = pda.pda.routes.map((route) => [keyOf(route), decide(principal, route.access, input)]);
    expect(decisions).toStrictEqual(
      pda.pda.routes.map((route) => [keyOf(route), expectedDecision(expectedAccess(route), principal)]),
    );
  });

  it('of a namespace follows the namespace in the path', () => {
    const ofNamespace = pda.pda.routes.filter(
      (route) => route.access.want === 'scopes' && route.path.includes(':namespace'),
    );
    expect(ofNamespace.length).toBeGreaterThan(2);
    for (const route of ofNamespace) {
      const input = { params: { namespace: 'finance', endpoint: 'steps' }, query: {}, body: {} };
      expect([keyOf(route), decide(application(...OWN), route.access, input)]).toStrictEqual([
        keyOf(route),
        'forbidden',
      ]);
    }
  });
});

describe('over HTTP, every route', () => {
  const walk = async (token: string | null, check: (route: Route, reply: Reply) => void): Promise<void> => {
    for (const route of pda.pda.routes)
      check(route, await pda.call(route.method, pathOf(route), { ...callOf(route), token }));
  };
  const refusesWithoutRight = (route: Route, reply: Reply): void => {
    const status = expectedAccess(route) === 'everybody' ? [...declared(route)] : [401];
    expect([keyOf(route), reply.status, status.includes(reply.status)]).toStrictEqual([
      keyOf(route),
      reply.status,
      true,
    ]);
    // A sign-in alone gives a token away, and nobody signs in here.
    expect([keyOf(route), reply.headers['x-auth-token']]).toStrictEqual([keyOf(route), undefined]);
    if (reply.status >= 400) expect(errorOf(reply).requestId).not.toBe('');
  };

  it('refuses a visitor before it looks at anything else', () => walk(null, refusesWithoutRight));
  it('refuses an expired token', () => walk(expired, refusesWithoutRight));
  it('refuses a revoked token', () => walk(revoked, refusesWithoutRight));
  it('refuses a token for another service', () => walk(service, refusesWithoutRight));
  it('refuses garbage', () => walk('garbage', refusesWithoutRight));

  it('answers the owner only as it declares, never with 401, 403 or 5xx', async () => {
    for (const route of pda.pda.routes) {
      // Some end the session of who asks: each route has one of its own.
      const from = { address: '', host: pda.host, local: true, userAgent: 'matrix' };
      pda.clock.advance(2000);
      const { accessToken: token } = await pda.pda.owner.signIn(OWNER.name, OWNER.password, from);
      if (route.path.endsWith('/events')) continue; // a stream without end
      const reply = await pda.call(route.method, pathOf(route), { ...callOf(route), token });
      const key = keyOf(route);
      const wants =
        key === 'GET /users/access_token'
          ? [401]
          : [...declared(route)].filter((status) => status < 500 && status !== 401 && status !== 403);
      expect([key, reply.status, wants.includes(reply.status)]).toStrictEqual([key, reply.status, true]);
      if (reply.status >= 400) errorOf(reply);
    }
  });
});
