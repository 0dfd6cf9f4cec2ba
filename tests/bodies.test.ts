import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DEFINITION_BODY_MAX_BYTES,
  DELETION_BODY_MAX_BYTES,
  MAX_JSON_BODY_BYTES,
  MAX_JSON_DEPTH,
  SMALL_BODY_MAX_BYTES,
} from '../server/wire/limits.ts';
import { parseRaw, sendRaw, type Call, type Reply } from './support/http.ts';
import { cpuMs } from './support/cpu-time.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

const REFUSAL_MAX_CPU_MS = 4000;

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
  await pda.call('POST', '/api/v2.6/data/kept/one', { json: { kept: true } });
  initialData = await readStoredData();
});
afterAll(() => pda.close());

let initialData = '';
const readStoredData = async (): Promise<string> =>
  (
    await Promise.all(
      ['data/sources', 'data/kept/one?meta=true', 'owner/endpoints', 'combinator', 'owner/imports'].map((path) =>
        pda.call('GET', `/api/v2.6/${path}`),
      ),
    )
  )
    .map((reply) => reply.text)
    .join('\n');

/** A sample of the routes that accept JSON, with each body limit. `wrap` puts a JSON text into a body of the route. */
const ROUTES = [
  {
    name: 'a record',
    maxBytes: MAX_JSON_BODY_BYTES,
    method: 'POST',
    path: '/api/v2.6/data/bodies/create',
    wrap: (text: string) => text,
  },
  {
    name: 'many records',
    maxBytes: MAX_JSON_BODY_BYTES,
    method: 'POST',
    path: '/api/v2.6/data/bodies/many',
    wrap: (text: string) => `[1,${text}]`,
  },
  {
    name: 'records with skipErrors',
    maxBytes: MAX_JSON_BODY_BYTES,
    method: 'POST',
    path: '/api/v2.6/data/bodies/skip?skipErrors=true',
    wrap: (text: string) => `[1,${text}]`,
  },
  {
    name: 'a batch',
    maxBytes: MAX_JSON_BODY_BYTES,
    method: 'POST',
    path: '/api/v2.6/data-batch',
    wrap: (text: string) => `[{"endpoint":"bodies/batch","data":${text}}]`,
  },
  {
    name: 'an update',
    maxBytes: MAX_JSON_BODY_BYTES,
    method: 'PUT',
    path: '/api/v2.6/data',
    wrap: (text: string) =>
      `[{"endpoint":"kept/one","recordId":"019bc186-de00-7000-8937-015a1f841fa9","data":${text}}]`,
  },
  {
    name: 'a combinator',
    maxBytes: DEFINITION_BODY_MAX_BYTES,
    method: 'POST',
    path: '/api/v2.6/combinator/bodies',
    wrap: (text: string) =>
      `[{"endpoint":"a/b","filters":[{"field":"x","operator":{"operator":"in","value":${text}}}]}]`,
  },
  {
    name: 'a deletion',
    maxBytes: DELETION_BODY_MAX_BYTES,
    method: 'POST',
    path: '/api/v2.6/owner/deletions',
    wrap: (text: string) => `{"endpoint":${text}}`,
  },
  {
    name: 'an import',
    maxBytes: DEFINITION_BODY_MAX_BYTES,
    method: 'POST',
    path: '/api/v2.6/owner/imports',
    wrap: (text: string) => `{"fileName":"x","size":${text}}`,
  },
  {
    name: 'a password',
    maxBytes: SMALL_BODY_MAX_BYTES,
    method: 'POST',
    path: '/api/v2.6/owner/password-strength',
    wrap: (text: string) => `{"password":${text}}`,
  },
] as const;

const expectRefused = async (
  route: (typeof ROUTES)[number],
  call: Call,
  statuses: readonly number[],
): Promise<Reply> => {
  const startCpu = process.cpuUsage();
  const reply = await pda.call(route.method, route.path, call);
  expect(cpuMs(startCpu)).toBeLessThan(REFUSAL_MAX_CPU_MS);
  const { error, cause } = errorOf(reply);
  expect([error, cause, statuses.includes(reply.status)]).toStrictEqual([error, cause, true]);
  return reply;
};

const nestedArrays = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const nestedObjects = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

/** Bodies that are invalid on every route. @param largeBytes maximum size of the largest bodies */
const createInvalidBodies = (largeBytes: number): readonly [string, string | Buffer][] => [
  ['10,000 levels of arrays', nestedArrays(10_000)],
  ['10,000 levels of objects', nestedObjects(10_000)],
  ['one level more than is allowed', nestedArrays(MAX_JSON_DEPTH + 1)],
  ['very many levels', nestedArrays(largeBytes * 0.49)],
  ['very many levels that never close', '['.repeat(largeBytes / 2)],
  ['very many objects that never close', '{"a":'.repeat(largeBytes / 10)],
  ['__proto__ as a key', '{"__proto__":{"admin":true}}'],
  ['__proto__ as an escaped key', String.raw`{"__pr\u006fto__":1}`],
  ['__proto__ deep inside', '{"a":[{"__proto__":1}]}'],
  ['a key twice', '{"a":1,"a":2}'],
  ['a key twice, once escaped', String.raw`{"a":1,"\u0061":2}`],
  ['an escaped lone surrogate', String.raw`"\ud800"`],
  ['escaped surrogates in the wrong order', String.raw`"\udc00\ud800"`],
  ['a lone surrogate as a key', String.raw`{"\ud800":1}`],
  ['a lone surrogate as raw bytes', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
  ['an overlong encoding of a slash', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
  ['1e400', '1e400'],
  ['-1e400', '-1e400'],
  ['a number that is too large, inside an object', '{"a":[1,1e999]}'],
  ['NaN', 'NaN'],
  ['-Infinity', '-Infinity'],
  ['a hexadecimal number', '0x10'],
  ['a leading zero', '01'],
  ['single quotes', "'a'"],
  ['a trailing comma', '[1,]'],
  ['a comment', '1 /* one */'],
  ['two values', '1 2'],
  ['an unterminated string', '"abc'],
  ['half an object', '{"a":1'],
  ['a raw line break in a string', '"a\nb"'],
  ['a raw zero byte', '"a\0b"'],
  ['a byte order mark', '\ufeff1'],
  ['a missing value', ''],
];

const INVALID_BODIES = createInvalidBodies(10_000_000);
/**
 * All routes share one JSON parser, so short runs test the largest bodies only on one route that stores records and one
 * that accepts anonymous requests.
 */
const SMALL_INVALID_BODIES = createInvalidBodies(500_000);
const usesLargeBodies = ({ name }: (typeof ROUTES)[number]): boolean =>
  IS_THOROUGH_RUN || name === 'a record' || name === 'a password';

describe.each(ROUTES)('the route for $name', (route) => {
  it.each(usesLargeBodies(route) ? INVALID_BODIES : SMALL_INVALID_BODIES)('refuses %s', async (_, invalidBody) => {
    const [start = '', end = ''] = route.wrap('\0').split('\0');
    const body = Buffer.concat([Buffer.from(start), Buffer.from(invalidBody), Buffer.from(end)]);
    await expectRefused(route, { body }, [body.length > route.maxBytes ? 413 : 400]);
  });

  it.each([
    ['an empty body', ''],
    ['white space', ' \n\t '],
    ['a form', 'a=1&b=2'],
    ['XML', '<?xml version="1.0"?><a/>'],
    ['an HTML page', '<html></html>'],
    ['a zero byte', '\0'],
  ])('refuses %s', async (_, body) => {
    expect(errorOf(await expectRefused(route, { body }, [400])).error).toBe('invalid_json');
  });

  it('refuses a body with an excessive Content-Length before it is sent', async () => {
    const head =
      `${route.method} ${route.path} HTTP/1.1\r\nhost: ${pda.host}\r\nx-auth-token: ${pda.token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${route.maxBytes + 1}\r\n\r\n[`;
    const response = parseRaw(await sendRaw(pda.port, head));
    expect([response.status, Object(response.json).error]).toStrictEqual([413, 'too_large']);
    expect(response.head).toContain('connection: close');
  });

  it('refuses a chunked body that becomes too large', async () => {
    const chunk = Buffer.alloc(1_000_000, 0x20);
    const chunks = Array.from({ length: 11 }, () => chunk);
    const reply = await pda.call(route.method, route.path, { chunks });
    expect([reply.status, errorOf(reply).error]).toStrictEqual([413, 'too_large']);
  });

  it.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['multipart/form-data; boundary=x', {}],
    ['application/jsonp', {}],
    ['application/json-seq', {}],
    ['text/json', {}],
    ['', {}],
    ['application/json; charset=latin1', {}],
    ['application/json; charset=utf-16', {}],
    ['application/json; charset="utf-7"', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
    ['application/json', { 'content-encoding': 'br' }],
    ['application/json', { 'content-encoding': 'identity, gzip' }],
  ])('refuses the content type %o with the headers %o', async (type, headers) => {
    const body = 'content-encoding' in headers ? gzipSync(route.wrap('1')) : route.wrap('1');
    const reply = await expectRefused(route, { body, headers: { 'content-type': type, ...headers } }, [415]);
    expect(errorOf(reply).error).toBe('unsupported_media_type');
  });

  it('refuses a body without a content type', async () => {
    const body = route.wrap('1');
    const request =
      `${route.method} ${route.path} HTTP/1.1\r\nhost: ${pda.host}\r\nx-auth-token: ${pda.token}\r\n` +
      `connection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    expect(parseRaw(await sendRaw(pda.port, request)).status).toBe(415);
  });

  it('stores no part of a body whose transfer was interrupted', async () => {
    const body = route.wrap('1');
    const request =
      `${route.method} ${route.path} HTTP/1.1\r\nhost: ${pda.host}\r\nx-auth-token: ${pda.token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length + 10}\r\n\r\n${body}`;
    await sendRaw(pda.port, request, { hangUp: true });
    expect(await readStoredData()).toBe(initialData);
  });
});

describe('the server after all invalid bodies', () => {
  it('has stored and changed nothing', async () => {
    expect(await readStoredData()).toBe(initialData);
  });

  it('refuses ambiguous and malformed framing of a body', async () => {
    const start = `POST /api/v2.6/data/bodies/smuggled HTTP/1.1\r\nhost: ${pda.host}\r\nx-auth-token: ${pda.token}\r\ncontent-type: application/json\r\n`;
    for (const framing of [
      'content-length: 1\r\ncontent-length: 2\r\n\r\n12',
      'content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n\r\n',
      'content-length: -1\r\n\r\n1',
      'transfer-encoding: chunked\r\n\r\nzz\r\n1\r\n0\r\n\r\n',
    ]) {
      const response = parseRaw(await sendRaw(pda.port, start + framing));
      expect([framing, response.status]).toStrictEqual([framing, 400]);
    }
    expect(await readStoredData()).toBe(initialData);
  });

  it('responds to a malformed request line with the common error body', async () => {
    for (const bytes of [
      '\0\0\0\r\n\r\n',
      'GET\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      '\u0016\u0003\u0001\u0002\r\n\r\n',
    ]) {
      const response = parseRaw(await sendRaw(pda.port, bytes));
      expect([response.status, Object(response.json).error]).toStrictEqual([400, 'invalid_input']);
    }
  });

  it('refuses headers that are too large', async () => {
    const response = parseRaw(
      await sendRaw(pda.port, `GET /healthz HTTP/1.1\r\nhost: ${pda.host}\r\nx-filler: ${'x'.repeat(20_000)}\r\n\r\n`),
    );
    expect([response.status, Object(response.json).error]).toStrictEqual([413, 'too_large']);
  });

  it('accepts content types and charsets that mean JSON in UTF-8', async () => {
    for (const type of [
      'application/json',
      'application/json;charset=utf-8',
      'Application/JSON; Charset="UTF-8"',
      'application/vnd.api+json',
      'application/json; charset=utf8',
    ]) {
      const reply = await pda.call('POST', '/api/v2.6/data/bodies/types', {
        body: '1',
        headers: { 'content-type': type },
      });
      expect([type, reply.status]).toStrictEqual([type, 201]);
    }
  });

  it('accepts the largest and the deepest permitted body', async () => {
    const text = `"${'x'.repeat(MAX_JSON_BODY_BYTES - 2)}"`;
    expect((await pda.call('POST', '/api/v2.6/data/bodies/largest', { body: text })).status).toBe(201);
    expect(
      (await pda.call('POST', '/api/v2.6/data/bodies/deepest', { body: `[${nestedArrays(MAX_JSON_DEPTH - 1)}]` }))
        .status,
    ).toBe(201);
  });
});
