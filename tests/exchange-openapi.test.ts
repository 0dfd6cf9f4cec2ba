import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestExchange, type TestExchange } from '../server/exchange/exchange.test-support.ts';
import { declaredErrors } from '../server/platform/http/response/response-validation.ts';
import { createTestDatabase } from '../server/platform/postgres/database.test-support.ts';
import { ERROR_STATUS } from '../server/wire/errors.ts';
import { documentOf, redundantErrors, type OpenApi } from './support/openapi.ts';

let exchange: TestExchange;
let document: OpenApi;
beforeAll(async () => {
  exchange = await startTestExchange({ database: await createTestDatabase() });
  document = await documentOf(exchange, '/api/openapi.json');
});
afterAll(() => exchange.close());

const templateOf = (path: string): string => path.replaceAll(/[:*](\w+)/gu, '{$1}');

describe('the OpenAPI document of the exchange', () => {
  it('is valid OpenAPI 3.1 and is served at both addresses', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toMatchObject({ valid: true });
    expect(validator.version).toBe('3.1');
    expect(await documentOf(exchange, '/openapi.json')).toStrictEqual(document);
  });

  it('lists exactly the routes with their methods and statuses', () => {
    const documentedRoutes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => [
        `${method.toUpperCase()} ${path}`,
        Object.keys(responses).toSorted(),
      ]),
    );
    const routes = exchange.exchange.routes.map((route) => {
      const statuses = declaredErrors(route).map((code) => ERROR_STATUS[code]);
      const allStatuses = new Set([...Object.keys(route.responses), ...statuses.map(String)]);
      return [`${route.method} ${templateOf(route.path)}`, [...allStatuses].toSorted()];
    });
    const byName = (list: unknown[][]) => Object.fromEntries(list.map(([name, statuses]) => [name, statuses]));
    expect(byName(documentedRoutes)).toStrictEqual(byName(routes));
    expect(documentedRoutes).toHaveLength(routes.length);
  });

  it('is built from routes that do not list errors implied by the rest of their declaration', () => {
    expect(redundantErrors(exchange.exchange.routes)).toStrictEqual([]);
  });

  it('describes purpose, access and path parameters of each operation', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const names = [...path.matchAll(/\{(\w+)\}/gu)].map(([, name = '']) => name);
      for (const operation of Object.values(methods)) {
        expect([path, operation.summary === '', operation.tags?.length]).toStrictEqual([path, false, 1]);
        const isPublic = operation.security?.length === 0;
        expect([path, isPublic]).toStrictEqual([path, operation.description?.includes('Requires no credentials.')]);
        const pathParameters = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
        expect([path, pathParameters.map(({ name }) => name).toSorted()]).toStrictEqual([path, names.toSorted()]);
        // An exchange has no owner: its accounts have roles.
        expect([path, operation.description]).not.toStrictEqual([path, expect.stringContaining('The owner, or')]);
      }
    }
  });
});
