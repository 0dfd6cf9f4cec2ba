import { Validator } from '@seriousme/openapi-schema-validator';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestContracts, type TestContracts } from '../server/contracts/contracts.test-support.ts';
import { declaredErrors } from '../server/platform/http/response/response-validation.ts';
import { createTestDatabase } from '../server/platform/postgres/database.test-support.ts';
import type { Route } from '../server/platform/http/route.ts';
import { createRouteTable } from '../server/platform/http/router.ts';
import { ERROR_STATUS } from '../server/wire/errors.ts';
import { testTimeout } from './support/long-run.ts';
import { checkReply, generatedRequests, type GeneratedRequest } from './support/generated-requests.ts';
import type { Reply } from './support/http.ts';
import { documentOf, redundantErrors, type OpenApi } from './support/openapi.ts';
import { errorOf } from './support/test-pda.ts';
import { newTestKey } from './support/keys.ts';

/**
 * Access to every route of the contracts service. The tests call each route with every kind of principal. A new route
 * must be added to this table, so that its access is a deliberate decision.
 */
const ACCESS: Record<string, 'public' | 'developer' | 'pda'> = {
  'GET /v1/contracts/keyring': 'developer',
  'GET /v1/contracts/:id': 'public',
  'PUT /v1/contracts/:id/pdas/:name': 'pda',
  'DELETE /v1/contracts/:id/pdas/:name': 'pda',
  'GET /.well-known/jwks.json': 'public',
  'GET /healthz': 'public',
  'GET /openapi.json': 'public',
};

const REQUEST_COUNT = Number(process.env['CONTRACTS_REQUESTS'] ?? 160);
const REQUESTS_PER_ROUND = 40;

const otherKey = newTestKey();
let contracts: TestContracts;
let document: OpenApi;
let study: { id: string; token: string };
beforeAll(async () => {
  contracts = await startTestContracts({ database: await createTestDatabase() });
  document = await documentOf(contracts, '/openapi.json');
  study = await contracts.createContract('study');
});
afterAll(() => contracts.close());
beforeEach(() => contracts.clock.advance(600_000));

const keyOf = (route: Route): string => `${route.method} ${route.path}`;
const templateOf = (path: string): string => path.replaceAll(/[:*](\w+)/gu, '{$1}');
const call = (route: Route, token: string | null): Promise<Reply> =>
  contracts.call(route.method, route.path.replace(':id', study.id).replace(':name', 'ada'), { token });

describe('access control', () => {
  it('is defined in the table for exactly the existing routes', () => {
    expect(contracts.service.routes.map(keyOf).toSorted()).toStrictEqual(Object.keys(ACCESS).toSorted());
  });

  /** Tokens of every kind, and the access that each grants. */
  const CALLERS: Record<string, { grants?: 'developer' | 'pda'; createToken: () => Promise<string | null> }> = {
    'no token': { createToken: () => Promise.resolve(null) },
    'a malformed token': { createToken: () => Promise.resolve('garbage') },
    'the developer of the contract': { grants: 'developer', createToken: () => Promise.resolve(study.token) },
    'the developer of a disabled contract': {
      createToken: async () => {
        const { id, token } = await contracts.createContract();
        await contracts.service.contracts.setEnabled(id, false, 'test');
        return token;
      },
    },
    'a developer whose token was revoked': {
      createToken: async () => {
        const { id, token } = await contracts.createContract();
        await contracts.service.contracts.revokeTokens(id, 'test');
        return token;
      },
    },
    'a short-lived token': {
      createToken: () => contracts.service.keys.sign({ iss: contracts.host, contract: study.id, namespaces: [] }),
    },
    'the PDA': { grants: 'pda', createToken: () => contracts.addPda('ada').token(study.id) },
    'another PDA': { createToken: () => contracts.addPda('eve').token(study.id) },
    'a token of the PDA for another contract': { createToken: () => contracts.addPda('ada').token('other') },
    'a token of the PDA for another service': {
      createToken: () => contracts.addPda('ada').token(study.id, { resource: 'example.org' }),
    },
    'a token of the PDA signed with a different key': {
      createToken: () => {
        const pda = contracts.addPda('ada');
        const token = contracts.addPda('ada', otherKey).token(study.id);
        // The PDA serves its own key again.
        contracts.addPda('ada', pda.key);
        return token;
      },
    },
  };

  it.each(Object.entries(CALLERS))('matches the table for %s', async (_, { grants, createToken }) => {
    for (const route of contracts.service.routes) {
      contracts.clock.advance(60_000);
      await contracts.addPda('ada').join(study.id);
      const reply = await call(route, await createToken());
      const access = ACCESS[keyOf(route)];
      const isAllowed = access === 'public' || access === grants;
      expect([keyOf(route), reply.status]).toStrictEqual([
        keyOf(route),
        isAllowed ? 200 : expect.toBeOneOf([401, 403]),
      ]);
      if (!isAllowed) expect(errorOf(reply).requestId).not.toBe('');
      expect(reply.headers['access-control-allow-origin']).toBe('*');
    }
  });
});

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1 and lists every route with all its statuses', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
    for (const route of contracts.service.routes) {
      const operation = document.paths[templateOf(route.path)]?.[route.method.toLowerCase()];
      const statuses = declaredErrors(route).map((code) => ERROR_STATUS[code]);
      const expected = new Set([...Object.keys(route.responses), ...statuses.map(String)]);
      expect([keyOf(route), Object.keys(operation?.responses ?? {}).toSorted()]).toStrictEqual([
        keyOf(route),
        [...expected].toSorted(),
      ]);
      expect([keyOf(route), operation?.security?.length]).toStrictEqual([
        keyOf(route),
        ACCESS[keyOf(route)] === 'public' ? 0 : 1,
      ]);
    }
  });

  it('is built from routes that do not list errors implied by the rest of their declaration', () => {
    expect(redundantErrors(contracts.service.routes)).toStrictEqual([]);
  });
});

describe('unknown hosts, methods and paths', () => {
  it('are refused with the common error body', async () => {
    const wrongHostReply = await contracts.call('GET', '/healthz', { headers: { host: 'evil.example' } });
    const wrongMethodReply = await contracts.call('POST', '/v1/contracts/keyring');
    const unknownPathReply = await contracts.call('GET', '/v2/contracts');
    const preflightReply = await contracts.call('OPTIONS', '/v1/contracts/keyring');
    expect([wrongHostReply, wrongMethodReply, unknownPathReply].map((reply) => errorOf(reply).error)).toStrictEqual([
      'misdirected_request',
      'method_not_allowed',
      'not_found',
    ]);
    expect([wrongMethodReply.headers.allow, preflightReply.status]).toStrictEqual(['GET', 204]);
  });
});

describe(`${REQUEST_COUNT} requests generated from the OpenAPI document`, () => {
  it(
    'yield only declared responses and errors, and no 5xx',
    async () => {
      const router = createRouteTable(contracts.service.routes, () => () => undefined);
      const counts = new Map<string, number>();
      let requestCount = 0;
      const perform = async (request: GeneratedRequest): Promise<void> => {
        requestCount += 1;
        const { method, template, query, call: generatedCall } = request;
        const pda = contracts.addPda(`pda-${requestCount % 3}`);
        // Every second request concerns existing resources and carries a valid token.
        const isValid = requestCount % 2 === 0;
        const path = isValid
          ? (template.split(' ')[1] ?? '').replace('{id}', study.id).replace('{name}', pda.name)
          : request.path;
        const token = template.includes('keyring') ? study.token : await pda.token(study.id);
        const { authorization: _, ...headers } = generatedCall.headers ?? {};
        const options = isValid ? { ...generatedCall, headers, token } : generatedCall;
        const reply = await contracts.call(method, path + query, options);
        checkReply({ document, router }, request, path + query, reply);
        const key = `${template} ${reply.status}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      };
      const performRound = async (round: readonly GeneratedRequest[]): Promise<void> => {
        await Promise.all(round.map(perform));
        contracts.clock.advance(120_000);
        await contracts.service.keys.rotate('test');
      };
      const requests = generatedRequests({ document }, () => 1);
      await fc.assert(
        fc.asyncProperty(
          fc.array(requests, { minLength: REQUESTS_PER_ROUND, maxLength: REQUESTS_PER_ROUND }),
          performRound,
        ),
        {
          numRuns: Math.ceil(REQUEST_COUNT / REQUESTS_PER_ROUND),
          endOnFailure: true,
        },
      );
      const succeededOperations = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.keys(methods).filter((method) =>
          [...counts.keys()].some((key) => key.startsWith(`${method} ${path} 2`)),
        ),
      );
      expect(succeededOperations).toHaveLength(Object.keys(ACCESS).length);
    },
    testTimeout(30_000 + REQUEST_COUNT * 50),
  );
});
