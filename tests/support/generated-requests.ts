import fc from 'fast-check';
import { expect } from 'vitest';
import type { RouteTable } from '../../server/platform/http/router.ts';
import type { Call, Reply } from './http.ts';
import type { OpenApi, Operation } from './openapi.ts';
import { anyJson, valueOf, type Generation } from './schema-arbitrary.ts';
import { errorOf } from './test-pda.ts';

// Generates requests from an OpenAPI document, including hostile ones, and checks the responses.

export type GeneratedRequest = { method: string; template: string; path: string; query: string; call: Call };

type Source = {
  document: OpenApi;
  /** Path with a response that never ends. Only its headers are requested. */
  endlessPath?: string;
};

const escapeName = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll('%2F', '/');
const toUrlText = (value: unknown): string => escapeName(typeof value === 'string' ? value : JSON.stringify(value));
const toHeaderText = (value: unknown): string => toUrlText(value).slice(0, 2000);
/** Malformed escapes and hostile names in a path. */
const invalidName = fc.constantFrom(
  '%',
  '%zz',
  '%ff',
  '%00',
  '%2e%2e',
  '..',
  '.',
  '%2F',
  '%5c',
  'a%2F..%2Fb',
  '%E2%80%AE',
  '%ed%a0%80',
  ';',
  '@',
  '*',
  '%0d%0aset-cookie:a',
);

const parameters = (
  operation: Operation,
  location: 'path' | 'query' | 'header',
  generation: Generation,
): fc.Arbitrary<Record<string, unknown>> => {
  const locationParameters = (operation.parameters ?? []).filter((parameter) => parameter.in === location);
  const values = Object.fromEntries(
    locationParameters.map(({ name, schema }) => [name, valueOf(schema ?? {}, generation, name)]),
  );
  const names = locationParameters.map(({ name }) => name);
  const regularParameters = fc.record(values, {
    requiredKeys: locationParameters.filter(({ required }) => required === true).map(({ name }) => name),
  });
  if (location !== 'query' || names.length === 0 || !generation.isHostile) return regularParameters;
  const hostileParameters = fc.dictionary(fc.constantFrom(...names, '__proto__', 'x'), anyJson, { maxKeys: 4 });
  return fc.oneof({ weight: 5, arbitrary: regularParameters }, { weight: 1, arbitrary: hostileParameters });
};

const bodyOf = (operation: Operation, generation: Generation): fc.Arbitrary<Call> => {
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (type === undefined)
    return fc.oneof(
      { weight: 9, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constant({ body: '{"a":1}' }) },
    );
  const bytes = fc.oneof(
    fc.constant('[1,2,{"a":3}]'),
    fc.constant('a,b\n1,2\n'),
    fc.uint8Array({ maxLength: 200 }).map((content) => Buffer.from(content)),
  );
  if (type !== 'application/json') return bytes.map((body) => ({ body, headers: { 'content-type': type } }));
  const text = valueOf(content?.schema ?? {}, generation).map((value) => JSON.stringify(value));
  if (!generation.isHostile) return text.map((body) => ({ body }));
  const truncatedText = fc.tuple(text, fc.nat(200)).map(([source, length]) => source.slice(0, length));
  return fc.oneof(
    { weight: 8, arbitrary: text.map((body) => ({ body })) },
    { weight: 1, arbitrary: truncatedText.map((body) => ({ body })) },
    { weight: 1, arbitrary: bytes.map((body) => ({ body })) },
    { weight: 1, arbitrary: text.map((body) => ({ body, headers: { 'content-type': 'text/plain' } })) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('[', '{"__proto__":1}', '"\\ud800"', '1e999', '', '['.repeat(5000), '{"a":1,"a":2}')
        .map((body) => ({ body })),
    },
  );
};

const requestOf = (
  { document, endlessPath }: Source,
  [method, template, operation]: [string, string, Operation],
  isHostile: boolean,
): fc.Arbitrary<GeneratedRequest> => {
  const generation = { document, isHostile };
  return fc
    .record({
      names: parameters(operation, 'path', generation),
      invalidSegment: isHostile ? fc.option(invalidName, { freq: 3, nil: undefined }) : fc.constant(undefined),
      query: parameters(operation, 'query', generation),
      headers: parameters(operation, 'header', generation),
      body: bodyOf(operation, generation),
      hasToken: isHostile ? fc.integer({ min: 0, max: 20 }).map((number) => number > 0) : fc.constant(true),
      isHead: fc.integer({ min: 0, max: 15 }).map((number) => number === 0),
    })
    .map(({ names, invalidSegment, query, headers, body, hasToken, isHead }) => {
      const path = template.replaceAll(/\{(\w+)\}/gu, (_, name: string) => invalidSegment ?? toUrlText(names[name]));
      const pairs = Object.entries(query).map(([name, value]) => `${escapeName(name)}=${toUrlText(value)}`);
      const headerValues = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, toHeaderText(value)]),
      );
      return {
        method: (isHead || template === endlessPath) && method === 'get' ? 'HEAD' : method.toUpperCase(),
        template: `${method} ${template}`,
        path,
        query: pairs.length === 0 ? '' : `?${pairs.join('&')}`.slice(0, 6000),
        call: { ...body, headers: { ...headerValues, ...body.headers }, ...(hasToken ? {} : { token: null }) },
      };
    });
};

/**
 * Generates requests that follow the document or nearly follow it. `weight` is the relative frequency of an
 * operation (`get /path`).
 */
export const generatedRequests = (
  source: Source,
  weight: (operation: string) => number,
): fc.Arbitrary<GeneratedRequest> =>
  fc.oneof(
    ...Object.entries(source.document.paths).flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        weight: weight(`${method} ${template}`),
        arbitrary: fc.oneof(
          requestOf(source, [method, template, operation], true),
          requestOf(source, [method, template, operation], false),
        ),
      })),
    ),
  );

/**
 * Returns the statuses that the document declares for a path; 400, 404 or 405 if no route matches. Names can contain
 * slashes, so the matching route can differ from the intended one.
 */
const declaredStatusesOf = (document: OpenApi, router: RouteTable, method: string, path: string): string[] => {
  try {
    const match = router.find(method === 'HEAD' ? 'GET' : method, path);
    if (match === undefined) return ['404'];
    if ('allowedMethods' in match) return ['405'];
    const template = match.route.path.replaceAll(/[:*](\w+)/gu, '{$1}');
    return Object.keys(document.paths[template]?.[match.route.method.toLowerCase()]?.responses ?? {});
  } catch {
    // An invalid escape aborts the route lookup.
    return ['400'];
  }
};

/** Fails on a 5xx status, an undeclared status, a body for HEAD, or an invalid error body. */
export const checkReply = (
  { document, router }: { document: OpenApi; router: RouteTable },
  { method, call }: GeneratedRequest,
  path: string,
  reply: Reply,
): void => {
  const summary = `${method} ${path} ${String(call.body).slice(0, 1000)} -> ${reply.status} ${reply.text.slice(0, 500)}`;
  if (reply.status >= 500) expect.fail(summary);
  if (!declaredStatusesOf(document, router, method, path.split('?')[0] ?? '').includes(String(reply.status)))
    expect.fail(`undeclared: ${summary}`);
  if (method === 'HEAD') {
    if (reply.text !== '') expect.fail(`a body for HEAD: ${summary}`);
    return;
  }
  if (reply.status < 400) return;
  const { message, requestId, cause } = errorOf(reply);
  if (message === '' || requestId === '' || cause === '') expect.fail(`an empty field: ${summary}`);
};
