import fc from 'fast-check';
import { expect } from 'vitest';
import type { RouteTable } from '../../server/platform/http/router.ts';
import type { Call, Reply } from './http.ts';
import type { OpenApi, Operation } from './openapi.ts';
import { anyJson, valueOf, type Generation } from './schema-arbitrary.ts';
import { errorOf } from './test-pda.ts';

/** Generates requests from an OpenAPI document, including hostile ones, and checks the responses. */

export type GeneratedRequest = { method: string; template: string; path: string; query: string; call: Call };

/** `endless`: a path whose response never ends, so that only its headers are requested. */
type Source = { document: OpenApi; endless?: string };

const escape = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll('%2F', '/');
const inUrl = (value: unknown): string => escape(typeof value === 'string' ? value : JSON.stringify(value));
const inHeader = (value: unknown): string => inUrl(value).slice(0, 2000);
/** Malformed and hostile escapes in the position of a name. */
const brokenName = fc.constantFrom(
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
  where: 'path' | 'query' | 'header',
  making: Generation,
): fc.Arbitrary<Record<string, unknown>> => {
  const selected = (operation.parameters ?? []).filter((parameter) => parameter.in === where);
  const values = Object.fromEntries(selected.map(({ name, schema }) => [name, valueOf(schema ?? {}, making, name)]));
  const names = selected.map(({ name }) => name);
  const usual = fc.record(values, {
    requiredKeys: selected.filter(({ required }) => required === true).map(({ name }) => name),
  });
  if (where !== 'query' || names.length === 0 || !making.hostile) return usual;
  const hostile = fc.dictionary(fc.constantFrom(...names, '__proto__', 'x'), anyJson, { maxKeys: 4 });
  return fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: hostile });
};

const bodyOf = (operation: Operation, making: Generation): fc.Arbitrary<Call> => {
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (type === undefined)
    return fc.oneof(
      { weight: 9, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constant({ body: '{"a":1}' }) },
    );
  const bytes = fc.oneof(
    fc.constant('[1,2,{"a":3}]'),
    fc.constant('a,b\n1,2\n'),
    fc.uint8Array({ maxLength: 200 }).map((segment) => Buffer.from(segment)),
  );
  if (type !== 'application/json') return bytes.map((body) => ({ body, headers: { 'content-type': type } }));
  const text = valueOf(content?.schema ?? {}, making).map((value) => JSON.stringify(value));
  if (!making.hostile) return text.map((body) => ({ body }));
  const truncated = fc.tuple(text, fc.nat(200)).map(([source, at]) => source.slice(0, at));
  return fc.oneof(
    { weight: 8, arbitrary: text.map((body) => ({ body })) },
    { weight: 1, arbitrary: truncated.map((body) => ({ body })) },
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
  { document, endless }: Source,
  [method, template, operation]: [string, string, Operation],
  hostile: boolean,
): fc.Arbitrary<GeneratedRequest> => {
  const making = { document, hostile };
  return fc
    .record({
      names: parameters(operation, 'path', making),
      broken: hostile ? fc.option(brokenName, { freq: 3, nil: undefined }) : fc.constant(undefined),
      query: parameters(operation, 'query', making),
      headers: parameters(operation, 'header', making),
      body: bodyOf(operation, making),
      signedIn: hostile ? fc.integer({ min: 0, max: 20 }).map((number) => number > 0) : fc.constant(true),
      head: fc.integer({ min: 0, max: 15 }).map((number) => number === 0),
    })
    .map(({ names, broken: brokenParts, query, headers, body, signedIn, head }) => {
      const path = template.replaceAll(/\{(\w+)\}/gu, (_, name: string) => brokenParts ?? inUrl(names[name]));
      const pairs = Object.entries(query).map(([name, value]) => `${escape(name)}=${inUrl(value)}`);
      const headerValues = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, inHeader(value)]));
      return {
        method: (head || template === endless) && method === 'get' ? 'HEAD' : method.toUpperCase(),
        template: `${method} ${template}`,
        path,
        query: pairs.length === 0 ? '' : `?${pairs.join('&')}`.slice(0, 6000),
        call: { ...body, headers: { ...headerValues, ...body.headers }, ...(signedIn ? {} : { token: null }) },
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
 * Returns the statuses that the document declares for a path. Names can contain slashes, so the matching route can
 * differ from the intended one.
 */
const declaredAt = (document: OpenApi, router: RouteTable, method: string, path: string): string[] => {
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

/** Fails on a 5xx status, an undeclared status, and an invalid error body. */
export const checkReply = (
  { document, router }: { document: OpenApi; router: RouteTable },
  { method, call }: GeneratedRequest,
  path: string,
  reply: Reply,
): void => {
  const summary = `${method} ${path} ${String(call.body).slice(0, 1000)} -> ${reply.status} ${reply.text.slice(0, 500)}`;
  if (reply.status >= 500) expect.fail(summary);
  if (!declaredAt(document, router, method, path.split('?')[0] ?? '').includes(String(reply.status)))
    expect.fail(`undeclared: ${summary}`);
  if (method === 'HEAD') {
    if (reply.text !== '') expect.fail(`a body for HEAD: ${summary}`);
    return;
  }
  if (reply.status < 400) return;
  const { message, requestId, cause } = errorOf(reply);
  if (message === '' || requestId === '' || cause === '') expect.fail(`an empty field: ${summary}`);
};
