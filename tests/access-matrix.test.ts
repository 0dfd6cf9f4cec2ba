import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declaredErrors } from '../server/platform/http/response/response-validation.ts';
import { decide, ANONYMOUS, type Decision, type Principal, type Scope } from '../server/platform/auth/principal.ts';
import type { Route } from '../server/platform/http/route.ts';
import { ERROR_STATUS } from '../server/wire/errors.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { addUserAndSignIn, signInAs } from './support/users.ts';
import type { Call, Reply } from './support/http.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';
import { ROUTE_ACCESS, expectedAccess, keyOf } from './support/route-access.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';
import {
  createLinkCallers,
  LINK_CALLERS,
  LINK_ROUTES,
  responseKindOf,
  LINKED_CANARY,
  type LinkCallers,
} from './support/share-link-callers.ts';
import {
  createSharedViewCallers,
  SHARED_CANARY,
  SHARED_VIEW_CALLERS,
  VIEW_ACCESS,
  type SharedViewCallers,
} from './support/shared-view-callers.ts';

// Compares the access decision of every route for every kind of principal with the table of support/route-access.ts,
// and calls every route over HTTP. New routes are included automatically. Those that are not for the owner only, or are
// outside `/api/v2.6/owner`, must be added to the table.

const application = (...scopes: Scope[]): Principal => ({
  kind: 'application',
  application: 'notes',
  userId: 'u',
  sessionId: 's',
  scopes: new Set(scopes),
});
const OWN_NAMESPACE_SCOPES: Scope[] = ['records:read:fitness', 'records:write:fitness'];
const CALLERS: Record<string, Principal> = {
  'an anonymous caller': ANONYMOUS,
  'the owner': { kind: 'owner', userId: 'u', sessionId: 's' },
  'an application without scopes': application(),
  'an application of the namespace finance': application(
    'records:read:finance',
    'records:write:finance',
    'files:fitness',
  ),
  'an application of the namespace fitness': application(...OWN_NAMESPACE_SCOPES),
  'an application that may only read': application('records:read:fitness'),
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
  if (access === 'public') return 'allowed';
  if (principal.kind === 'visitor') return 'not_authenticated';
  if (principal.kind === 'owner' || access === 'any token') return 'allowed';
  if (access === 'owner') return 'forbidden';
  const prefix = access.startsWith('some ') ? access.slice(5) : undefined;
  const grants = (scope: string): boolean => {
    const anyPrefix = scope.startsWith('any:') ? scope.slice(4) : undefined;
    if (prefix !== undefined) return scope.startsWith(prefix) || anyPrefix === prefix;
    return scope === access || (anyPrefix !== undefined && access.startsWith(anyPrefix));
  };
  return [...principal.scopes].some(grants) ? 'allowed' : 'forbidden';
};

const FITNESS_ROLES = [
  { role: 'namespaceread', detail: 'fitness' },
  { role: 'namespacewrite', detail: 'fitness' },
];
/** Applications whose tokens are tested over HTTP. */
const APPLICATIONS = [
  anApplication({ id: 'own', roles: [...FITNESS_ROLES, { role: 'managefiles', detail: 'fitness' }] }),
  anApplication({ id: 'reader', roles: FITNESS_ROLES.slice(0, 1) }),
  anApplication({
    id: 'other',
    roles: [
      { role: 'namespaceread', detail: 'finance' },
      { role: 'namespacewrite', detail: 'finance' },
    ],
  }),
  anApplication({ id: 'requester', roles: [{ role: 'datadebit' }], data: ['fitness/steps'] }),
  anApplication({ id: 'bank', roles: [{ role: 'datadebit', detail: 'bank/statement' }] }),
  anApplication({ id: 'browser', roles: [{ role: 'owner' }] }),
  anApplication({ id: 'nothing', roles: [{ role: 'applicationmanage', detail: 'own' }] }),
  anApplication({ id: 'disabled', roles: FITNESS_ROLES }),
];
const TOKENS = new Map<string, string>();

let pda: TestPda;
let expiredToken: string;
let expiredApplicationToken: string;
let disabledApplicationToken: string;
let revokedToken: string;
let serviceToken: string;
let disabledUserToken: string;
beforeAll(async () => {
  pda = await startTestPda({ config: { applications: APPLICATIONS } });
  expiredToken = await pda.signIn();
  expiredApplicationToken = await setUpApplication(pda, 'own');
  pda.clock.advance(72 * 3_600_000);
  pda.token = await pda.signIn();
  revokedToken = await pda.signIn();
  await pda.call('POST', '/api/v2.6/owner/sign-out', { token: revokedToken });
  for (const { id } of APPLICATIONS) TOKENS.set(id, await setUpApplication(pda, id));
  disabledApplicationToken = TOKENS.get('disabled') ?? '';
  await pda.call('GET', '/api/v2.6/applications/disabled/disable');
  serviceToken = (
    await pda.pda.owner.serviceToken(pda.host, { address: '', host: pda.host, local: true, userAgent: '' })
  ).accessToken;
  disabledUserToken = await addUserAndSignIn(pda, 'bob');
  await pda.pda.users.disable(pda.pda.users.list()[0]?.userId ?? '');
});
afterAll(() => pda.close());

const pathOf = (route: Route): string =>
  route.path
    .replace(':offerId', 'steps')
    .replace(':versionId', '1')
    .replaceAll(/:\w*[iI]d\b/gu, '019bc186-de00-7000-8937-015a1f841fa9')
    .replace(':namespace', 'fitness')
    .replaceAll(/[:*]\w+/gu, 'x');
const callOf = (route: Route): Call => {
  if (route.body === undefined) return {};
  return route.body.as === 'bytes' ? { body: 'x', headers: { 'content-type': route.body.contentType } } : { json: {} };
};

/** Returns true if `{}` as the body, or an empty query, may be invalid. */
const mayBeInvalid = (route: Route): boolean => route.body !== undefined || route.query !== undefined;

/** Returns true if the request itself carries the credentials, so that the token in the header has no effect. */
const carriesCredentials = (route: Route): boolean => route.identify !== undefined;

const declaredStatuses = (route: Route): Set<number> =>
  new Set([...Object.keys(route.responses).map(Number), ...declaredErrors(route).map((code) => ERROR_STATUS[code])]);

const statusesWithoutToken = (route: Route): number[] => {
  if (carriesCredentials(route)) return [403];
  return expectedAccess(route) === 'public' ? [...declaredStatuses(route)] : [401];
};

describe('access control', () => {
  it('is defined in the table for exactly the existing routes', () => {
    const keys = pda.pda.routes.map(keyOf);
    expect(new Set(keys).size).toBe(keys.length);
    expect(pda.pda.routes.filter((route) => expectedAccess(route) === 'not decided').map(keyOf)).toStrictEqual([]);
    expect(Object.keys(ROUTE_ACCESS).filter((key) => !keys.includes(key))).toStrictEqual([]);
  });

  it.each(Object.entries(CALLERS))('matches the table for %s', (_, principal) => {
    const input = { params: { namespace: 'fitness', endpoint: 'steps', name: 'x' }, query: {}, body: {} };
    const decisions = pda.pda.routes.map((route) => [keyOf(route), decide(principal, route.access, input)]);
    expect(decisions).toStrictEqual(
      pda.pda.routes.map((route) => [keyOf(route), expectedDecision(expectedAccess(route), principal)]),
    );
  });

  it('depends on the namespace in the path', () => {
    const namespaceRoutes = pda.pda.routes.filter(
      (route) => route.access.auth === 'scopes' && route.path.includes(':namespace'),
    );
    expect(namespaceRoutes.length).toBeGreaterThan(2);
    for (const route of namespaceRoutes) {
      const input = { params: { namespace: 'finance', endpoint: 'steps' }, query: {}, body: {} };
      expect([keyOf(route), decide(application(...OWN_NAMESPACE_SCOPES), route.access, input)]).toStrictEqual([
        keyOf(route),
        'forbidden',
      ]);
    }
  });
});

describe('a Data Debit over HTTP', () => {
  const PATH_SUFFIXES = ['', '/values', '/enable', '/disable', '/preview'];
  const readStatuses = async (token: string | null): Promise<number[]> => {
    const responseStatuses: number[] = [];
    for (const suffix of PATH_SUFFIXES)
      responseStatuses.push((await pda.call('GET', `/api/v2.6/data-debit/app-requester${suffix}`, { token })).status);
    return responseStatuses;
  };

  it('is visible to the application that requested it, but owner-only actions are refused', async () => {
    expect(await readStatuses(TOKENS.get('requester') ?? '')).toStrictEqual([200, 200, 403, 403, 403]);
  });
  it.each(['own', 'other', 'bank', 'browser', 'nothing'])(
    'is not visible to the application %s, regardless of its rights',
    async (id) => {
      expect(await readStatuses(TOKENS.get(id) ?? '')).toStrictEqual([404, 404, 403, 403, 403]);
    },
  );
  it('is refused to anonymous callers and disabled applications', async () => {
    for (const token of [null, disabledApplicationToken])
      expect(await readStatuses(token)).toStrictEqual([401, 401, 401, 401, 401]);
  });
});

describe('every route for guests with shared tables and charts', () => {
  let callers: SharedViewCallers;
  beforeAll(async () => {
    callers = await createSharedViewCallers(pda);
  });

  it('is listed in VIEW_ACCESS if it is a page of a shared view', () => {
    const pages = pda.pda.routes.filter(({ path }) => path.startsWith('/guest/') && path.includes(':sharedViewId'));
    expect(pages.map(keyOf)).toStrictEqual(Object.keys(VIEW_ACCESS));
  });

  it.each(SHARED_VIEW_CALLERS)('shows %s only what is currently shared with them', async (caller) => {
    for (const [index, route] of pda.pda.routes.entries()) {
      // Only the pages of guests read the cookie, so each caller is tested on a fraction of the other routes
      // (`npm run test:long`: all).
      const isInSample = index % SHARED_VIEW_CALLERS.length === SHARED_VIEW_CALLERS.indexOf(caller);
      if (!IS_THOROUGH_RUN && !isInSample && !route.path.startsWith('/guest')) continue;
      const key = keyOf(route);
      const statuses = statusesWithoutToken(route);
      for (const { view, path, status } of callers.requestsOf(key, caller, pathOf(route))) {
        const reply = await pda.call(route.method, path, callers.callOf(caller, callOf(route)));
        const isExpected = status === undefined ? statuses.includes(reply.status) : reply.status === status;
        expect([key, view, reply.status, isExpected]).toStrictEqual([key, view, reply.status, true]);
        expect([key, view, reply.text.includes(SHARED_CANARY)]).toStrictEqual([key, view, status === 200]);
      }
    }
  });
});

describe('every route for callers with a share link', () => {
  let callers: LinkCallers;
  beforeAll(async () => {
    callers = await createLinkCallers(pda);
  });

  it('is listed in LINK_ROUTES if it belongs to share links or signed URLs', () => {
    const routes = pda.pda.routes.filter(({ path }) => /^\/(?:share|storage)\//u.test(path));
    expect(routes.map(keyOf).toSorted()).toStrictEqual(LINK_ROUTES.toSorted());
  });

  it.each(LINK_CALLERS)('opens with %s only what the link currently shares', async (caller) => {
    for (const [index, route] of pda.pda.routes.entries()) {
      const key = keyOf(route);
      const { path, call, expectedKind } = callers.requestOf(key, caller, pathOf(route), callOf(route));
      // The token of a link is invalid for all other routes, so each caller is tested on a fraction of them
      // (`npm run test:long`: all).
      const isInSample = index % LINK_CALLERS.length === LINK_CALLERS.indexOf(caller);
      if (!IS_THOROUGH_RUN && !isInSample && expectedKind === undefined) continue;
      const reply = await pda.call(route.method, path, call);
      if (expectedKind === undefined) {
        const isExpected = statusesWithoutToken(route).includes(reply.status);
        expect([key, reply.status, isExpected]).toStrictEqual([key, reply.status, true]);
      } else {
        expect([key, responseKindOf(reply)]).toStrictEqual([key, expectedKind]);
      }
      expect([key, reply.text.includes(LINKED_CANARY)]).toStrictEqual([key, expectedKind === 'shown']);
    }
  });
});

describe('every route over HTTP', () => {
  const callEach = async (
    token: string | null,
    check: (route: Route, reply: Reply) => void,
    routes: readonly Route[] = pda.pda.routes,
  ): Promise<void> => {
    for (const route of routes) check(route, await pda.call(route.method, pathOf(route), { ...callOf(route), token }));
  };
  const expectRefusalUnlessPublic = (route: Route, reply: Reply): void => {
    const statuses = statusesWithoutToken(route);
    expect([keyOf(route), reply.status, statuses.includes(reply.status)]).toStrictEqual([
      keyOf(route),
      reply.status,
      true,
    ]);
    // Only a sign-in issues a token.
    expect([keyOf(route), reply.headers['x-auth-token']]).toStrictEqual([keyOf(route), undefined]);
    if (reply.status >= 400) expect(errorOf(reply).requestId).not.toBe('');
  };

  it('refuses anonymous requests before any other check, unless it is public', () =>
    callEach(null, expectRefusalUnlessPublic));
  it('refuses an expired token', () => callEach(expiredToken, expectRefusalUnlessPublic));
  it('refuses the token of a disabled application', () =>
    callEach(disabledApplicationToken, expectRefusalUnlessPublic));

  // Invalid tokens are refused before the route is called, so each token is tested on a fraction of the routes
  // (`npm run test:long`: all).
  const INVALID_TOKEN_TITLES = [
    'refuses a revoked token',
    'refuses a token for another service',
    'refuses garbage as a token',
    'refuses an expired token of an application',
    'refuses the token of a user who was disabled',
  ];
  it.each(INVALID_TOKEN_TITLES)('%s', async (title) => {
    const tokens = [revokedToken, serviceToken, 'garbage', expiredApplicationToken, disabledUserToken];
    const tokenIndex = INVALID_TOKEN_TITLES.indexOf(title);
    const isInSample = (_: Route, index: number): boolean =>
      IS_THOROUGH_RUN || index % INVALID_TOKEN_TITLES.length === tokenIndex;
    await callEach(tokens[tokenIndex] ?? '', expectRefusalUnlessPublic, pda.pda.routes.filter(isInSample));
  });

  const enabledApplications = APPLICATIONS.map(({ id }) => id).filter((id) => id !== 'disabled');
  it.each(IS_THOROUGH_RUN ? enabledApplications : ['requester', 'reader', 'nothing'])(
    'responds to the application %s according to its approved rights, with declared responses only',
    async (id) => {
      const token = TOKENS.get(id) ?? '';
      const { principal } = await pda.pda.owner.authenticate(token);
      expect(principal).toMatchObject({ kind: 'application', application: id });
      await callEach(token, (route, reply) => {
        const key = keyOf(route);
        const access = expectedAccess(route);
        // Some routes validate the input before the rights, so an invalid request may get 400.
        const refusals = mayBeInvalid(route) ? [400, 403] : [403];
        const statuses = carriesCredentials(route)
          ? [403]
          : access === 'public'
            ? [...declaredStatuses(route)]
            : expectedDecision(access, principal) === 'allowed'
              ? [...declaredStatuses(route)].filter((status) => status < 500 && status !== 401)
              : refusals;
        expect([key, reply.status, statuses.includes(reply.status)]).toStrictEqual([key, reply.status, true]);
        if (access === 'public') return;
        // Every response except 403 renews the session.
        expect([key, reply.headers['x-auth-token'] !== undefined]).toStrictEqual([key, reply.status !== 403]);
        if (reply.status >= 400) errorOf(reply);
      });
    },
  );

  it('gives a user without shared files only the rights that every token has', async () => {
    let token = await addUserAndSignIn(pda, 'grace');
    const { principal } = await pda.pda.owner.authenticate(token);
    expect(principal).toMatchObject({ kind: 'user', scopes: new Set() });
    for (const route of pda.pda.routes) {
      const key = keyOf(route);
      const reply = await pda.call(route.method, pathOf(route), { ...callOf(route), token });
      const access = expectedAccess(route);
      const refusals = mayBeInvalid(route) ? [400, 403] : [403];
      // A missing file and a forbidden file give the same response.
      const anyTokenStatuses = key === 'GET /api/v2.6/files/file/:fileId' ? [404] : [200];
      const tokenStatuses =
        access === 'public' ? [...declaredStatuses(route)] : access === 'any token' ? anyTokenStatuses : refusals;
      const statuses = carriesCredentials(route) ? [403] : tokenStatuses;
      expect([key, reply.status, statuses.includes(reply.status)]).toStrictEqual([key, reply.status, true]);
      const endsSession = key === 'DELETE /users/access_token';
      if (access !== 'public') {
        const isRenewed = reply.headers['x-auth-token'] !== undefined;
        expect([key, isRenewed]).toStrictEqual([key, reply.status !== 403 && !endsSession]);
      }
      if (endsSession) token = await signInAs(pda, 'grace');
    }
  });

  it('gives the owner declared responses only, and 401 or 403 only for credentials in the request itself', async () => {
    let token = await pda.signIn();
    for (const route of pda.pda.routes) {
      // Some routes end the session of the caller.
      const { principal } = await pda.pda.owner.authenticate(token);
      if (principal.kind !== 'owner') {
        pda.clock.advance(2000);
        token = await pda.signIn();
      }
      if (route.path.endsWith('/events')) continue; // an endless stream
      const reply = await pda.call(route.method, pathOf(route), { ...callOf(route), token });
      const key = keyOf(route);
      const expectedStatuses = [
        'GET /users/access_token',
        'POST /guest/sign-in',
        'POST /guest/sign-in/passkey',
      ].includes(key)
        ? [401]
        : carriesCredentials(route)
          ? [403]
          : [...declaredStatuses(route)].filter((status) => status < 500 && status !== 401 && status !== 403);
      expect([key, reply.status, expectedStatuses.includes(reply.status)]).toStrictEqual([key, reply.status, true]);
      if (reply.status >= 400) errorOf(reply);
    }
  });
});
