import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRouter, type Router } from '../server/platform/router.ts';
import type { Call, Reply } from './support/http.ts';
import { documentOf, type OpenApi, type Operation } from './support/openapi.ts';
import { anyJson, Seen, SEEN, valueOf, type Making } from './support/schema-arbitrary.ts';
import { storeFile } from './support/files.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';
import { addUser } from './support/users.ts';

/**
 * Requests made from the document's own schemas, with hostile values among them. The server runs in strict mode, so an answer that
 * the document does not declare is a 500 here; and no request whatever may lead to one.
 */

const REQUESTS = Number(process.env['PDA_REQUESTS'] ?? 2000);
/** Requests that are sent before all of them are looked at, and how many of them at the same time. */
const ROUND = 40;
const AT_ONCE = 8;

type Request = { method: string; template: string; path: string; query: string; call: Call };

/** They end the session that asks; each gets one of its own, and that costs a sign-in. */
const ENDS_SESSION =
  /^(?:post \/api\/v2\.6\/owner\/sign-out|delete \/api\/v2\.6\/owner\/sessions|delete \/users\/access_token)/u;
const ENDLESS = '/api/v2.6/owner/events';

let pda: TestPda;
let document: OpenApi;
let router: Router;
const seen = new Seen();
const counts = new Map<string, number>();

beforeAll(async () => {
  pda = await startTestPda();
  document = await documentOf(pda);
  router = createRouter(pda.pda.routes);
  // A good password and a signed address are made by no chance.
  for (const name of ['bo', 'cleo', 'dora', 'eve']) seen.note(JSON.stringify(await addUser(pda, name)));
  for (let number = 0; number < 20; number += 1)
    seen.note(JSON.stringify(await storeFile(pda, `${number}.txt`, `content ${number}`)));
});
afterAll(() => pda.close());

const escape = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll('%2F', '/');
const inUrl = (value: unknown): string => escape(typeof value === 'string' ? value : JSON.stringify(value));
const inHeader = (value: unknown): string => inUrl(value).slice(0, 2000);
/** Escapes that decode to nothing good, put where a name goes. */
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
  making: Making,
): fc.Arbitrary<Record<string, unknown>> => {
  const wanted = (operation.parameters ?? []).filter((parameter) => parameter.in === where);
  const values = Object.fromEntries(wanted.map(({ name, schema }) => [name, valueOf(schema ?? {}, making, name)]));
  const names = wanted.map(({ name }) => name);
  const usual = fc.record(values, {
    requiredKeys: wanted.filter(({ required }) => required === true).map(({ name }) => name),
  });
  if (where !== 'query' || names.length === 0 || !making.hostile) return usual;
  const hostile = fc.dictionary(fc.constantFrom(...names, '__proto__', 'x'), anyJson, { maxKeys: 4 });
  return fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: hostile });
};

const bodyOf = (operation: Operation, making: Making): fc.Arbitrary<Call> => {
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  if (type === undefined)
    return fc.oneof(
      { weight: 9, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constant({ body: '{"a":1}' }) },
    );
  const bytes = fc.oneof(
    fc.constant('[1,2,{"a":3}]'),
    fc.constant('a,b\n1,2\n'),
    fc.uint8Array({ maxLength: 200 }).map((part) => Buffer.from(part)),
  );
  if (type !== 'application/json') return bytes.map((body) => ({ body, headers: { 'content-type': type } }));
  const text = valueOf(content?.schema ?? {}, making).map((value) => JSON.stringify(value));
  if (!making.hostile) return text.map((body) => ({ body }));
  const cut = fc.tuple(text, fc.nat(200)).map(([whole, at]) => whole.slice(0, at));
  return fc.oneof(
    { weight: 8, arbitrary: text.map((body) => ({ body })) },
    { weight: 1, arbitrary: cut.map((body) => ({ body })) },
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

const requestOf = (method: string, template: string, operation: Operation, hostile: boolean): fc.Arbitrary<Request> => {
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
    .map(({ names, broken, query, headers, body, signedIn, head }) => {
      const path = template.replaceAll(/\{(\w+)\}/gu, (_, name: string) => broken ?? inUrl(names[name]));
      const pairs = Object.entries(query).map(([name, value]) => `${escape(name)}=${inUrl(value)}`);
      const more = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, inHeader(value)]));
      return {
        method: (head || template === ENDLESS) && method === 'get' ? 'HEAD' : method.toUpperCase(),
        template: `${method} ${template}`,
        path,
        query: pairs.length === 0 ? '' : `?${pairs.join('&')}`.slice(0, 6000),
        call: { ...body, headers: { ...more, ...body.headers }, ...(signedIn ? {} : { token: null }) },
      };
    });
};

const requests = (): fc.Arbitrary<Request> =>
  fc.oneof(
    ...Object.entries(document.paths).flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        weight: ENDS_SESSION.test(`${method} ${template}`) ? 1 : 40,
        arbitrary: fc.oneof(
          requestOf(method, template, operation, true),
          requestOf(method, template, operation, false),
        ),
      })),
    ),
  );

const withIds = (text: string): string =>
  text.replaceAll(SEEN, (_, name: string, number: string) => seen.at(name, Number(number)));

const perform = async (request: Request): Promise<Reply> => {
  const { method, call } = request;
  const body = typeof call.body === 'string' ? withIds(call.body) : call.body;
  const token = ENDS_SESSION.test(request.template) && call.token === undefined ? { token: await pda.signIn() } : {};
  const path = withIds(request.path + request.query);
  const reply = await pda.call(method, path, { ...call, ...token, ...(body === undefined ? {} : { body }) });
  check(request, path, reply);
  return reply;
};

/** The statuses that the document declares for an address: names can hold slashes, so it need not be the one that was meant. */
const declaredAt = (method: string, path: string): string[] => {
  try {
    const found = router.find(method === 'HEAD' ? 'GET' : method, path);
    if (found === undefined) return ['404'];
    if ('allowed' in found) return ['405'];
    const template = found.route.path.replaceAll(/[:*](\w+)/gu, '{$1}');
    return Object.keys(document.paths[template]?.[found.route.method.toLowerCase()]?.responses ?? {});
  } catch {
    // A broken escape ends the search for a route.
    return ['400'];
  }
};

const check = (request: Request, path: string, reply: Reply): void => {
  const { method, call } = request;
  const told = `${method} ${path} ${String(call.body).slice(0, 1000)} -> ${reply.status} ${reply.text.slice(0, 500)}`;
  if (reply.status >= 500) expect.fail(told);
  if (!declaredAt(method, path.split('?')[0] ?? '').includes(String(reply.status))) expect.fail(`undeclared: ${told}`);
  if (method === 'HEAD') {
    if (reply.text !== '') expect.fail(`a body for HEAD: ${told}`);
    return;
  }
  if (reply.status < 400) return;
  const { message, requestId, cause } = errorOf(reply);
  if (message === '' || requestId === '' || cause === '') expect.fail(`an empty word: ${told}`);
};

const inTurns = async (list: readonly Request[]): Promise<void> => {
  const waiting = [...list];
  const work = async (): Promise<void> => {
    for (let request = waiting.shift(); request !== undefined; request = waiting.shift()) {
      const reply = await perform(request);
      seen.note(reply.text);
      const key = `${request.template} ${reply.status}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  // "Sign out everywhere" is among them.
  pda.clock.advance(3000);
  if ((await pda.call('GET', '/users/access_token/validate')).status === 401) pda.token = await pda.signIn();
};

describe(`${REQUESTS} requests made from the document`, () => {
  it(
    'lead to no 5xx, to no answer that is not declared, and to no error of another shape',
    async () => {
      await fc.assert(fc.asyncProperty(fc.array(requests(), { minLength: ROUND, maxLength: ROUND }), inTurns), {
        numRuns: Math.ceil(REQUESTS / ROUND),
        endOnFailure: true,
      });
      expect(await pda.pda.verify()).toStrictEqual([]);
    },
    30_000 + REQUESTS * 20,
  );

  it('reached every operation, and most of them with success', () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const reached = new Set([...counts.keys()].map((key) => key.split(' ').slice(0, 2).join(' ')));
    const often = operations.filter((operation) => !ENDS_SESSION.test(operation));
    expect(often.filter((operation) => !reached.has(operation))).toStrictEqual([]);
    const succeeded = often.filter((operation) => [...counts.keys()].some((key) => key.startsWith(`${operation} 2`)));
    if (process.env['PDA_REQUESTS'] !== undefined) {
      const lines = [...counts].map(([key, count]) => `${key}: ${count}\n`);
      process.stdout.write(lines.toSorted((one, other) => (one < other ? -1 : 1)).join(''));
    }
    expect(succeeded.length).toBeGreaterThan(operations.length / 2);
  });
});
