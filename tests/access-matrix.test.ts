import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declaredErrors } from '../server/platform/http/response/response-validation.ts';
import { decide, ANONYMOUS, type Decision, type Principal, type Scope } from '../server/platform/auth/principal.ts';
import type { Route } from '../server/platform/http/route.ts';
import { ERROR_STATUS } from '../server/wire/errors.ts';
import { anApplication, tokenOf } from './support/applications.ts';
import { signInAs, userToken } from './support/users.ts';
import type { Call, Reply } from './support/http.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';
import { THOROUGH } from './support/at-length.ts';

/**
 * Every route with every kind of caller. A new route is covered without a line here, but its access must be in the table: access
 * is decided deliberately.
 */
const ACCESS: Record<string, string> = {
  'GET /healthz': 'everybody',
  'GET /publickey': 'everybody',
  'GET /.well-known/former-keys.json': 'everybody',
  'GET /.well-known/jwks.json': 'everybody',
  'GET /users/access_token': 'everybody',
  'GET /users/access_token/validate': 'any token',
  // Of an owner and of a user; it refuses applications itself.
  'DELETE /users/access_token': 'any token',
  'GET /users/application_token': 'owner',
  'GET /users/user': 'owner',
  'GET /api/v2.6/users/user': 'owner',
  'POST /users/user': 'owner',
  'PUT /users/user/:userId/update': 'owner',
  'PUT /users/user/:userId/enable': 'owner',
  'PUT /users/user/:userId/disable': 'owner',
  'PUT /users/user/:userId/delete': 'owner',
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
  // By what their bodies carry: a token in the header is none of theirs.
  'POST /api/v2.6/contract-data/read/:namespace/*endpoint': 'records:read:fitness',
  'POST /api/v2.6/contract-data/create/:namespace/*endpoint': 'records:write:fitness',
  'PUT /api/v2.6/contract-data/update/:namespace': 'records:write:fitness',
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
  'GET /api/v2.6/applications': 'owner',
  'GET /api/v2.6/applications/:id': 'owner',
  'GET /api/v2.6/applications/:id/hmi': 'everybody',
  'GET /api/v2.6/applications/:id/setup': 'owner',
  'GET /api/v2.6/applications/:id/disable': 'owner',
  'GET /api/v2.6/applications/:id/access-token': 'owner',
  'GET /api/v2.6/data-debit': 'debits:own',
  'POST /api/v2.6/data-debit/*key': 'some debits:propose',
  // Which one is theirs to know of is looked at for each.
  'PUT /api/v2.6/data-debit/*key': 'some debits:',
  'GET /api/v2.6/data-debit/*key': 'some debits:',
  'GET /api/v2.6/data-debit/*key/values': 'some debits:',
  'GET /api/v2.6/data-debit/*key/preview': 'owner',
  'GET /api/v2.6/data-debit/*key/enable': 'owner',
  'GET /api/v2.6/data-debit/*key/disable': 'owner',
  'POST /api/v2.6/data-debit/*key/reject': 'owner',
  'DELETE /api/v2.6/data-debit/*key': 'owner',
  'POST /api/v2.6/files/upload': 'some files:',
  'PUT /api/v2.6/files/file/:fileId/complete': 'some files:',
  'PUT /api/v2.6/files/file/:fileId': 'some files:',
  // Which files are theirs to know of is looked at for each.
  'GET /api/v2.6/files/file/:fileId': 'any token',
  'POST /api/v2.6/files/search': 'any token',
  // Public ones need no token.
  'GET /api/v2.6/files/content/:fileId': 'everybody',
  'DELETE /api/v2.6/files/file/:fileId': 'owner',
  'GET /api/v2.6/files/allowAccess/:fileId/:userId': 'owner',
  'GET /api/v2.6/files/restrictAccess/:fileId/:userId': 'owner',
  'POST /api/v2.6/files/allowAccess/:userId': 'owner',
  'POST /api/v2.6/files/restrictAccess/:userId': 'owner',
  'GET /api/v2.6/files/allowAccessPublic/:fileId': 'owner',
  'GET /api/v2.6/files/restrictAccessPublic/:fileId': 'owner',
  // Enabling one that runs elsewhere is the owner's alone: the handler says so.
  'GET /api/v2.6/she/function': 'functions:use',
  'GET /api/v2.6/she/function/:id': 'functions:use',
  'GET /api/v2.6/she/function/:id/enable': 'functions:use',
  'GET /api/v2.6/she/function/:id/disable': 'functions:use',
  'GET /api/v2.6/she/function/:id/trigger': 'functions:use',
  'GET /api/v2.6/she/function/:id/runs': 'owner',
  'GET /api/v2.6/she/function/:id/runs/:runId': 'owner',
  'POST /api/v2.6/she/function/:id/runs/:runId/undo': 'owner',
  'POST /api/v2.6/she/function/:id/dry-run': 'owner',
  'GET /api/v2.6/she/feed': 'functions:use',
  'GET /api/v2.6/she/feed/*endpoint': 'functions:use',
  // The exchange asks; answered while a registration is under way only.
  'POST /api/v2.6/exchange/proof': 'everybody',
  'POST /api/v2.6/exchange/claims': 'exchange:claims',
  // What the owner shows to everybody.
  'GET /api/v2.6/phata/profile': 'everybody',
  'GET /profile': 'everybody',
  // The signed address is the permission.
  'GET /storage/:fileId': 'everybody',
  'PUT /storage/:fileId': 'everybody',
  'GET /api/v2.6/owner/setup': 'everybody',
  'POST /api/v2.6/owner/restore': 'everybody',
  'POST /api/v2.6/owner/restore/look': 'everybody',
  'POST /api/v2.6/owner/setup': 'everybody',
  // The challenge that a passkey signs, and nothing of any account.
  'GET /api/v2.6/owner/sign-in-ways': 'everybody',
  // Open until there is an owner; the handler asks for one afterwards.
  'POST /api/v2.6/owner/password-strength': 'everybody',
  // This machine, the owner, and holders of the link: the handler checks.
  'GET /docs': 'everybody',
  'GET /docs/': 'everybody',
  'GET /docs/*page': 'everybody',
  // The ticket in the address is the permission.
  'GET /api/v2.6/owner/exports/:ticket': 'everybody',
  'GET /api/v2.6/owner/move/exports/:ticket': 'everybody',
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
  visitor: ANONYMOUS,
  owner: { kind: 'owner', userId: 'u', sessionId: 's' },
  'an application without scopes': application(),
  'an application of another namespace': application('records:read:finance', 'records:write:finance', 'files:fitness'),
  'an application of this namespace': application(...OWN),
  'an application that reads only': application('records:read:fitness'),
  'an application that acts like the owner': application(
    'any:records:read:',
    'any:records:write:',
    'queries:use',
    'functions:use',
  ),
  'a contract': { kind: 'contract', contract: 'c', scopes: new Set<Scope>(['records:read:fitness']) },
  'the exchange': { kind: 'exchange', scopes: new Set<Scope>(['exchange:claims']) },
  'the provider of an Offer': { kind: 'offer', offer: 'o', sessionId: 's', scopes: new Set<Scope>(['debits:read:o']) },
  'a user': { kind: 'user', userId: 'u', sessionId: 's', scopes: new Set<Scope>() },
};

const expectedDecision = (access: string, principal: Principal): Decision => {
  if (access === 'everybody') return 'allowed';
  if (principal.kind === 'visitor') return 'not_authenticated';
  if (principal.kind === 'owner' || access === 'any token') return 'allowed';
  if (access === 'owner') return 'forbidden';
  const start = access.startsWith('some ') ? access.slice(5) : undefined;
  const gives = (scope: string): boolean => {
    const every = scope.startsWith('any:') ? scope.slice(4) : undefined;
    if (start !== undefined) return scope.startsWith(start) || every === start;
    return scope === access || (every !== undefined && access.startsWith(every));
  };
  return [...principal.scopes].some(gives) ? 'allowed' : 'forbidden';
};

const NAMESPACE = [
  { role: 'namespaceread', detail: 'fitness' },
  { role: 'namespacewrite', detail: 'fitness' },
];
/** Applications as their makers publish them: their tokens are walked over HTTP. */
const APPLICATIONS = [
  anApplication({ id: 'own', roles: [...NAMESPACE, { role: 'managefiles', detail: 'fitness' }] }),
  anApplication({ id: 'reader', roles: NAMESPACE.slice(0, 1) }),
  anApplication({
    id: 'other',
    roles: [
      { role: 'namespaceread', detail: 'finance' },
      { role: 'namespacewrite', detail: 'finance' },
    ],
  }),
  anApplication({ id: 'asker', roles: [{ role: 'datadebit' }], data: ['fitness/steps'] }),
  anApplication({ id: 'bank', roles: [{ role: 'datadebit', detail: 'bank/statement' }] }),
  anApplication({ id: 'browser', roles: [{ role: 'owner' }] }),
  anApplication({ id: 'nothing', roles: [{ role: 'applicationmanage', detail: 'own' }] }),
  anApplication({ id: 'disabled', roles: NAMESPACE }),
];
const TOKENS = new Map<string, string>();

let pda: TestPda;
let expired: string;
let expiredApplication: string;
let disabled: string;
let revoked: string;
let service: string;
let disabledUser: string;
beforeAll(async () => {
  pda = await startTestPda({ config: { applications: APPLICATIONS } });
  expired = await pda.signIn();
  expiredApplication = await tokenOf(pda, 'own');
  pda.clock.advance(72 * 3_600_000);
  pda.token = await pda.signIn();
  revoked = await pda.signIn();
  await pda.call('POST', '/api/v2.6/owner/sign-out', { token: revoked });
  for (const { id } of APPLICATIONS) TOKENS.set(id, await tokenOf(pda, id));
  disabled = TOKENS.get('disabled') ?? '';
  await pda.call('GET', '/api/v2.6/applications/disabled/disable');
  service = (await pda.pda.owner.serviceToken(pda.host, { address: '', host: pda.host, local: true, userAgent: '' }))
    .accessToken;
  disabledUser = await userToken(pda, 'bob');
  await pda.pda.users.disable(pda.pda.users.list()[0]?.userId ?? '');
});
afterAll(() => pda.close());

/** A path with plausible names in it, and a body where one is taken. */
const pathOf = (route: Route): string =>
  route.path
    .replace(':offerId', 'steps')
    .replaceAll(/:\w*[iI]d\b/gu, '019bc186-de00-7000-8937-015a1f841fa9')
    .replace(':namespace', 'fitness')
    .replaceAll(/[:*]\w+/gu, 'x');
const callOf = (route: Route): Call => {
  if (route.body === undefined) return {};
  return route.body.as === 'bytes' ? { body: 'x', headers: { 'content-type': route.body.contentType } } : { json: {} };
};

/** Whether `{}` as a body, or no query, may be refused as such. */
const mayMakeNoSense = (route: Route): boolean => route.body !== undefined || route.query !== undefined;

/** Whether who calls is said by the call itself: then whatever token is in the header opens nothing. */
const carriesCredentials = (route: Route): boolean => route.identify !== undefined;

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
      (route) => route.access.auth === 'scopes' && route.path.includes(':namespace'),
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

describe('a Data Debit, over HTTP', () => {
  const CALLS = ['', '/values', '/enable', '/disable', '/preview'];
  const statuses = async (token: string | null): Promise<number[]> => {
    const found: number[] = [];
    for (const call of CALLS)
      found.push((await pda.call('GET', `/api/v2.6/data-debit/app-asker${call}`, { token })).status);
    return found;
  };

  it('is there for the one who asked for it, and what only the owner may do is refused', async () => {
    expect(await statuses(TOKENS.get('asker') ?? '')).toStrictEqual([200, 200, 403, 403, 403]);
  });
  it.each(['own', 'other', 'bank', 'browser', 'nothing'])('is not there for "%s", whatever its rights', async (id) => {
    expect(await statuses(TOKENS.get(id) ?? '')).toStrictEqual([404, 404, 403, 403, 403]);
  });
  it('is nothing to talk about with a visitor, or with an application that was disabled', async () => {
    for (const token of [null, disabled]) expect(await statuses(token)).toStrictEqual([401, 401, 401, 401, 401]);
  });
});

describe('over HTTP, every route', () => {
  const walk = async (
    token: string | null,
    check: (route: Route, reply: Reply) => void,
    routes: readonly Route[] = pda.pda.routes,
  ): Promise<void> => {
    for (const route of routes) check(route, await pda.call(route.method, pathOf(route), { ...callOf(route), token }));
  };
  const refusesWithoutRight = (route: Route, reply: Reply): void => {
    const status = carriesCredentials(route)
      ? [403]
      : expectedAccess(route) === 'everybody'
        ? [...declared(route)]
        : [401];
    expect([keyOf(route), reply.status, status.includes(reply.status)]).toStrictEqual([
      keyOf(route),
      reply.status,
      true,
    ]);
    // Only a sign-in issues a token, and this request is none.
    expect([keyOf(route), reply.headers['x-auth-token']]).toStrictEqual([keyOf(route), undefined]);
    if (reply.status >= 400) expect(errorOf(reply).requestId).not.toBe('');
  };

  it('refuses a visitor before it looks at anything else', () => walk(null, refusesWithoutRight));
  it('refuses an expired token', () => walk(expired, refusesWithoutRight));
  it('refuses the token of an application that was disabled', () => walk(disabled, refusesWithoutRight));

  // What opens nothing is found out before the route is asked: each of these has a part of the routes, and all of them with `npm run test:long`.
  const DEAD = [
    'refuses a revoked token',
    'refuses a token for another service',
    'refuses garbage',
    'refuses an expired token of an application',
    'refuses the token of a user who was disabled',
  ];
  it.each(DEAD)('%s', async (what) => {
    const tokens = [revoked, service, 'garbage', expiredApplication, disabledUser];
    const turn = DEAD.indexOf(what);
    const isMine = (_: Route, index: number): boolean => THOROUGH || index % DEAD.length === turn;
    await walk(tokens[turn] ?? '', refusesWithoutRight, pda.pda.routes.filter(isMine));
  });

  it.each(APPLICATIONS.map(({ id }) => id).filter((id) => id !== 'disabled'))(
    'answers the application "%s" by the rights that were approved, and only as it declares',
    async (id) => {
      const token = TOKENS.get(id) ?? '';
      const { principal } = await pda.pda.owner.authenticate(token);
      expect(principal).toMatchObject({ kind: 'application', application: id });
      await walk(token, (route, reply) => {
        const key = keyOf(route);
        const access = expectedAccess(route);
        // Input is validated before rights here, so an invalid request may get 400.
        const refusals = mayMakeNoSense(route) ? [400, 403] : [403];
        const statuses = carriesCredentials(route)
          ? [403]
          : access === 'everybody'
            ? [...declared(route)]
            : expectedDecision(access, principal) === 'allowed'
              ? [...declared(route)].filter((status) => status < 500 && status !== 401)
              : refusals;
        expect([key, reply.status, statuses.includes(reply.status)]).toStrictEqual([key, reply.status, true]);
        if (access === 'everybody') return;
        // A session goes on with every answer but a refusal.
        expect([key, reply.headers['x-auth-token'] !== undefined]).toStrictEqual([key, reply.status !== 403]);
        if (reply.status >= 400) errorOf(reply);
      });
    },
  );

  it('gives a user only what every token allows: no file is shared with them yet', async () => {
    let token = await userToken(pda, 'grace');
    const { principal } = await pda.pda.owner.authenticate(token);
    expect(principal).toMatchObject({ kind: 'user', scopes: new Set() });
    for (const route of pda.pda.routes) {
      const key = keyOf(route);
      const reply = await pda.call(route.method, pathOf(route), { ...callOf(route), token });
      const access = expectedAccess(route);
      const refusals = mayMakeNoSense(route) ? [400, 403] : [403];
      // There may be such a file, or not: they cannot tell.
      const theirs = key === 'GET /api/v2.6/files/file/:fileId' ? [404] : [200];
      const others = access === 'everybody' ? [...declared(route)] : access === 'any token' ? theirs : refusals;
      const statuses = carriesCredentials(route) ? [403] : others;
      expect([key, reply.status, statuses.includes(reply.status)]).toStrictEqual([key, reply.status, true]);
      const ends = key === 'DELETE /users/access_token';
      if (access !== 'everybody') {
        const renewed = reply.headers['x-auth-token'] !== undefined;
        expect([key, renewed]).toStrictEqual([key, reply.status !== 403 && !ends]);
      }
      if (ends) token = await signInAs(pda, 'grace');
    }
  });

  it('answers the owner only as it declares, never with 401, 403 or 5xx', async () => {
    let token = await pda.signIn();
    for (const route of pda.pda.routes) {
      // Some end the session of who asks.
      const { principal } = await pda.pda.owner.authenticate(token);
      if (principal.kind !== 'owner') {
        pda.clock.advance(2000);
        token = await pda.signIn();
      }
      if (route.path.endsWith('/events')) continue; // a stream without end
      const reply = await pda.call(route.method, pathOf(route), { ...callOf(route), token });
      const key = keyOf(route);
      const wants =
        key === 'GET /users/access_token'
          ? [401]
          : carriesCredentials(route)
            ? [403]
            : [...declared(route)].filter((status) => status < 500 && status !== 401 && status !== 403);
      expect([key, reply.status, wants.includes(reply.status)]).toStrictEqual([key, reply.status, true]);
      if (reply.status >= 400) errorOf(reply);
    }
  });
});
