import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { declaredErrors } from '../server/platform/http/response/response-validation.ts';
import { ERROR_STATUS } from '../server/wire/errors.ts';
import * as limits from '../server/wire/limits.ts';
import * as workLimits from '../server/wire/work-limits.ts';
import { documentOf, redundantErrors, type OpenApi } from './support/openapi.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';

let pda: TestPda;
let document: OpenApi;
beforeAll(async () => {
  pda = await startTestPda();
  document = await documentOf(pda);
});
afterAll(() => pda.close());

const templateOf = (path: string): string => path.replaceAll(/[:*](\w+)/gu, '{$1}');

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    expect(result).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
    expect(document.openapi).toBe('3.1.0');
  });

  it('is served without a token, and to pages of other origins', async () => {
    const reply = await pda.call('GET', '/api/v2.6/openapi.json', { token: null });
    expect([reply.status, reply.headers['access-control-allow-origin']]).toStrictEqual([200, '*']);
  });

  it('lists every route with its method, and nothing else', () => {
    const routes = pda.pda.routes.map((route) => `${route.method} ${templateOf(route.path)}`);
    const documentedRoutes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documentedRoutes.toSorted()).toStrictEqual(routes.toSorted());
  });

  it('lists every status of every route, including refusals, each with a description', () => {
    for (const route of pda.pda.routes) {
      const operation = document.paths[templateOf(route.path)]?.[route.method.toLowerCase()];
      const statuses = [
        ...Object.keys(route.responses).map(Number),
        ...declaredErrors(route).map((code) => ERROR_STATUS[code]),
      ];
      expect([
        route.path,
        Object.keys(operation?.responses ?? {})
          .map(Number)
          .toSorted((a, b) => a - b),
      ]).toStrictEqual([route.path, [...new Set(statuses)].toSorted((a, b) => a - b)]);
      for (const response of Object.values(operation?.responses ?? {})) expect(response.description).not.toBe('');
    }
  });

  it('is built from routes that do not list errors implied by the rest of their declaration', () => {
    expect(redundantErrors(pda.pda.routes)).toStrictEqual([]);
  });

  it('declares every path parameter as required, and no other path parameters', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => name);
      for (const operation of Object.values(methods)) {
        const pathParameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
        expect([path, pathParameters.map(({ name }) => name).toSorted()]).toStrictEqual([path, names.toSorted()]);
        expect(pathParameters.every((parameter) => parameter.required === true)).toBe(true);
      }
    }
  });

  it('gives each operation a summary and one tag, and states whether it requires credentials', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        expect([path, method, operation.summary, operation.tags?.length]).toStrictEqual([
          path,
          method,
          expect.stringMatching(/./u),
          1,
        ]);
        const isPublic = operation.security?.length === 0;
        const requiresToken = !/Requires (?:no|the) credentials/u.test(operation.description ?? '');
        expect([path, method, isPublic]).toStrictEqual([path, method, !requiresToken]);
      }
    }
  });

  it('has a schema for every request body', () => {
    const routesWithBody = pda.pda.routes.filter((route) => route.body !== undefined);
    expect(routesWithBody.length).toBeGreaterThan(10);
    for (const route of routesWithBody) {
      const operation = document.paths[templateOf(route.path)]?.[route.method.toLowerCase()];
      const content = Object.values(operation?.requestBody?.content ?? {});
      expect([route.path, content.length, content[0]?.schema === undefined]).toStrictEqual([route.path, 1, false]);
    }
  });

  it('contains every numeric limit', () => {
    expect(document['x-limits']).toStrictEqual(
      Object.fromEntries(Object.entries({ ...limits, ...workLimits }).filter(([, limit]) => typeof limit === 'number')),
    );
    expect(document['x-limits']).toMatchObject({
      MAX_JSON_BODY_BYTES: 10_000_000,
      MAX_JSON_DEPTH: 100,
      MAX_HEADER_BYTES: 16_384,
    });
  });

  it('does not contain the home, the host, the owner id or a token of this PDA', () => {
    const text = JSON.stringify(document);
    for (const privateValue of [pda.home, pda.host, pda.pda.owner.profile()?.id ?? 'no owner', pda.token])
      expect(text).not.toContain(privateValue);
  });
});
