import { Validator } from '@seriousme/openapi-schema-validator';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestContracts, type TestContracts } from '../server/contracts/contracts.test-support.ts';
import { declaredErrors } from '../server/platform/answer-check.ts';
import { freshPostgres } from '../server/platform/postgres/postgres.test-support.ts';
import type { Route } from '../server/platform/route.ts';
import { createRouteTable } from '../server/platform/http/router.ts';
import { ERROR_STATUS } from '../server/wire/errors.ts';
import { checkReply, generatedRequests, type GeneratedRequest } from './support/generated.ts';
import type { Reply } from './support/http.ts';
import { documentOf, type OpenApi } from './support/openapi.ts';
import { errorOf } from './support/test-pda.ts';
import { newTestKey } from './support/keys.ts';

/**
 * Every route of the contracts service with every kind of caller, its document, and requests made from that. A route that is added is walked without a
 * line here, but its access must be in the table: who it is for is a decision that somebody takes.
 */
const ACCESS: Record<string, 'everybody' | 'developer' | 'pda'> = {
  'GET /v1/contracts/keyring': 'developer',
  'GET /v1/contracts/:id': 'everybody',
  'PUT /v1/contracts/:id/pdas/:name': 'pda',
  'DELETE /v1/contracts/:id/pdas/:name': 'pda',
  'GET /.well-known/jwks.json': 'everybody',
  'GET /healthz': 'everybody',
  'GET /openapi.json': 'everybody',
};

const REQUESTS = Number(process.env['CONTRACTS_REQUESTS'] ?? 160);
const ROUND = 40;

const foreignKey = newTestKey();
let contracts: TestContracts;
let document: OpenApi;
let study: { id: string; token: string };
beforeAll(async () => {
  contracts = await startTestContracts({ database: await freshPostgres() });
  document = await documentOf(contracts, '/openapi.json');
  study = await contracts.contract('study');
});
afterAll(() => contracts.close());
beforeEach(() => contracts.clock.advance(600_000));

const keyOf = (route: Route): string => `${route.method} ${route.path}`;
const templateOf = (path: string): string => path.replaceAll(/[:*](\w+)/gu, '{$1}');
const call = (route: Route, token: string | null): Promise<Reply> =>
  contracts.call(route.method, route.path.replace(':id', study.id).replace(':name', 'ada'), { token });

describe('the access of every route', () => {
  it('is in the table, and the table names no route that is not there', () => {
    expect(contracts.service.routes.map(keyOf).toSorted()).toStrictEqual(Object.keys(ACCESS).toSorted());
  });

  /** Tokens of every kind, and for whom each is good. */
  const CALLERS: Record<string, { good?: 'developer' | 'pda'; make: () => Promise<string | null> }> = {
    'a visitor': { make: () => Promise.resolve(null) },
    garbage: { make: () => Promise.resolve('garbage') },
    'the developer of the contract': { good: 'developer', make: () => Promise.resolve(study.token) },
    'the developer of a disabled contract': {
      make: async () => {
        const { id, token } = await contracts.contract();
        await contracts.service.contracts.setEnabled(id, false, 'test');
        return token;
      },
    },
    'a developer whose token was revoked': {
      make: async () => {
        const { id, token } = await contracts.contract();
        await contracts.service.contracts.revokeTokens(id, 'test');
        return token;
      },
    },
    'a short-lived token': {
      make: () => contracts.service.keys.sign({ iss: contracts.host, contract: study.id, namespaces: [] }),
    },
    'the PDA': { good: 'pda', make: () => contracts.pda('ada').token(study.id) },
    'another PDA': { make: () => contracts.pda('eve').token(study.id) },
    'the PDA, for another contract': { make: () => contracts.pda('ada').token('other') },
    'the PDA, to another service': { make: () => contracts.pda('ada').token(study.id, { resource: 'example.org' }) },
    'who signs as the PDA with another key': {
      make: () => {
        const pda = contracts.pda('ada');
        const token = contracts.pda('ada', foreignKey).token(study.id);
        // It shows its own.
        contracts.pda('ada', pda.key);
        return token;
      },
    },
  };

  it.each(Object.entries(CALLERS))('is as the table says for %s', async (_, { good, make }) => {
    for (const route of contracts.service.routes) {
      contracts.clock.advance(60_000);
      await contracts.pda('ada').join(study.id);
      const reply = await call(route, await make());
      const access = ACCESS[keyOf(route)];
      const allowed = access === 'everybody' || access === good;
      expect([keyOf(route), reply.status]).toStrictEqual([keyOf(route), allowed ? 200 : expect.toBeOneOf([401, 403])]);
      if (!allowed) expect(errorOf(reply).requestId).not.toBe('');
      expect(reply.headers['access-control-allow-origin']).toBe('*');
    }
  });
});

describe('the document', () => {
  it('is valid OpenAPI 3.1, with every route and every status of it', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toMatchObject({ valid: true });
    for (const route of contracts.service.routes) {
      const operation = document.paths[templateOf(route.path)]?.[route.method.toLowerCase()];
      const statuses = declaredErrors(route).map((code) => ERROR_STATUS[code]);
      const all = new Set([...Object.keys(route.responses), ...statuses.map(String)]);
      expect([keyOf(route), Object.keys(operation?.responses ?? {}).toSorted()]).toStrictEqual([
        keyOf(route),
        [...all].toSorted(),
      ]);
      expect([keyOf(route), operation?.security?.length]).toStrictEqual([
        keyOf(route),
        ACCESS[keyOf(route)] === 'everybody' ? 0 : 1,
      ]);
    }
  });
});

describe('addresses and methods that are none', () => {
  it('are refused in the one shape', async () => {
    const wrongHost = await contracts.call('GET', '/healthz', { headers: { host: 'evil.example' } });
    const wrongMethod = await contracts.call('POST', '/v1/contracts/keyring');
    const nowhere = await contracts.call('GET', '/v2/contracts');
    const preflight = await contracts.call('OPTIONS', '/v1/contracts/keyring');
    expect([wrongHost, wrongMethod, nowhere].map((reply) => errorOf(reply).error)).toStrictEqual([
      'misdirected_request',
      'method_not_allowed',
      'not_found',
    ]);
    expect([wrongMethod.headers.allow, preflight.status]).toStrictEqual(['GET', 204]);
  });
});

describe(`${REQUESTS} requests made from the document`, () => {
  it(
    'lead to no 5xx, to no answer that is not declared, and to no error of another shape',
    async () => {
      const router = createRouteTable(contracts.service.routes, () => () => undefined);
      const counts = new Map<string, number>();
      let turn = 0;
      const perform = async (request: GeneratedRequest): Promise<void> => {
        turn += 1;
        const { method, template, query, call: made } = request;
        const pda = contracts.pda(`pda-${turn % 3}`);
        // Every second is about what is there, by somebody who may.
        const sensible = turn % 2 === 0;
        const path = sensible
          ? (template.split(' ')[1] ?? '').replace('{id}', study.id).replace('{name}', pda.name)
          : request.path;
        const own = template.includes('keyring') ? study.token : await pda.token(study.id);
        const { authorization: _, ...headers } = made.headers ?? {};
        const sent = sensible ? { ...made, headers, token: own } : made;
        const reply = await contracts.call(method, path + query, sent);
        checkReply({ document, router }, request, path + query, reply);
        const key = `${template} ${reply.status}`;
        counts.set(key, (counts.get(key) ?? 0) + 1);
      };
      const inTurns = async (list: readonly GeneratedRequest[]): Promise<void> => {
        await Promise.all(list.map(perform));
        contracts.clock.advance(120_000);
        // In between, as it may happen at any time.
        await contracts.service.keys.rotate('test');
      };
      const requests = generatedRequests({ document }, () => 1);
      await fc.assert(fc.asyncProperty(fc.array(requests, { minLength: ROUND, maxLength: ROUND }), inTurns), {
        numRuns: Math.ceil(REQUESTS / ROUND),
        endOnFailure: true,
      });
      const succeeded = Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.keys(methods).filter((method) =>
          [...counts.keys()].some((key) => key.startsWith(`${method} ${path} 2`)),
        ),
      );
      expect(succeeded).toHaveLength(Object.keys(ACCESS).length);
    },
    30_000 + REQUESTS * 50,
  );
});
