import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestContracts, type TestContracts } from '../server/contracts/contracts.test-support.ts';
import { startTestExchange, type TestExchange } from '../server/exchange/exchange.test-support.ts';
import { createTestDatabase } from '../server/platform/postgres/database.test-support.ts';
import type { Route } from '../server/platform/http/route.ts';
import { MAX_HEADER_BYTES } from '../server/wire/limits.ts';
import { readFileRecord, storeFile } from './support/files.ts';
import { sendRaw, type Call, type Reply } from './support/http.ts';
import { requestRelay, REMOTE_DOMAIN, removeRelayFolders, startRelay, type TestRelay } from './support/relay.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Checks the headers of the responses of every server: declared routes, refusals and errors, and unknown paths. New
// routes are included automatically, except at the relay.

type Kind = 'interface' | 'page' | 'content' | 'relay page';
type RecordedResponse = { status: number; headers: IncomingHttpHeaders };

/**
 * Permitted Cache-Control. Data must not be stored, the content of files must be revalidated, and the built files of
 * the dashboard may be cached for a year.
 */
const CACHE_CONTROL: Readonly<Record<Kind, RegExp>> = {
  interface: /^no-store$/u,
  page: /^(?:no-store|no-cache|private, no-cache|public, max-age=31536000, immutable)$/u,
  content: /^private, no-cache$/u,
  'relay page': /^no-store$/u,
};

const policyOf = ({ headers }: RecordedResponse): string => String(headers['content-security-policy']);

const findHeaderProblems = ({ status, headers }: RecordedResponse, kind: Kind): string[] => {
  const problems: string[] = [];
  const requireHeader = (name: string, value: RegExp): void => {
    const header = headers[name];
    if (typeof header !== 'string' || !value.test(header)) problems.push(`${name}: ${String(header)}`);
  };
  const forbidHeader = (name: string): void => {
    if (headers[name] !== undefined) problems.push(`${name}: ${String(headers[name])} is sent`);
  };
  requireHeader('x-content-type-options', /^nosniff$/u);
  requireHeader('referrer-policy', /^no-referrer$/u);
  requireHeader('cross-origin-resource-policy', /^(?:same-origin|cross-origin)$/u);
  requireHeader('cache-control', CACHE_CONTROL[kind]);
  requireHeader('content-security-policy', /default-src '(?:none|self)'/u);
  requireHeader('content-security-policy', kind === 'content' ? /frame-ancestors 'self'/u : /frame-ancestors 'none'/u);
  requireHeader('x-frame-options', kind === 'content' ? /^SAMEORIGIN$/u : /^DENY$/u);
  if (kind === 'interface') requireHeader('content-security-policy', /^default-src 'none';frame-ancestors 'none'$/u);
  if (kind !== 'content') requireHeader('cross-origin-opener-policy', /^same-origin$/u);
  if (kind === 'page') {
    requireHeader('content-security-policy', /base-uri 'none'/u);
    requireHeader('content-security-policy', /form-action '(?:self|none)'/u);
    if (/(?:script-src|default-src)[^;]*(?:unsafe|\*|https?:)/u.test(policyOf({ status, headers })))
      problems.push('scripts of other origins or inline scripts are allowed');
  }
  const isEmpty = headers['content-length'] === '0' || status === 204 || status === 304;
  if (!isEmpty) requireHeader('content-type', /^[a-z]+\/[a-z0-9.+-]+(?:; charset=utf-8)?$/u);
  // The owner is not authenticated by cookies, so other sites cannot act for the owner.
  forbidHeader('set-cookie');
  forbidHeader('access-control-allow-credentials');
  forbidHeader('access-control-allow-private-network');
  // No banner reveals the software.
  for (const name of ['server', 'x-powered-by', 'via', 'x-aspnet-version']) forbidHeader(name);
  return problems;
};

/** Checks the headers of all responses, and fails with all problems together. */
const expectValidHeaders = (responses: readonly (readonly [string, RecordedResponse, Kind?])[]): void => {
  expect(responses.length).toBeGreaterThan(0);
  const problems = responses.flatMap(([name, response, kind = 'interface']) =>
    findHeaderProblems(response, kind).map((problem) => `${name} (${response.status}) ${problem}`),
  );
  expect(problems).toEqual([]);
};

type Server = { call(method: string, path: string, call?: Call): Promise<Reply> };
const pathOf = ({ path }: Route): string => path.replaceAll(/[:*]\w+/gu, 'x');

/** Requests each route anonymously: with its own method, OPTIONS, and HEAD if it reads, otherwise PATCH. */
const requestAllRoutes = async (server: Server, routes: readonly Route[]): Promise<(readonly [string, Reply])[]> => {
  const requests = new Map<string, readonly [method: string, path: string]>();
  for (const route of routes) {
    const path = pathOf(route);
    for (const method of [route.method, 'OPTIONS', ...(route.method === 'GET' ? ['HEAD'] : ['PATCH'])])
      requests.set(`${method} ${path}`, [method, path]);
  }
  const responses: (readonly [string, Reply])[] = [];
  for (const [name, [method, path]] of requests)
    responses.push([name, await server.call(method, path, { token: null })]);
  return responses;
};

const UNKNOWN_PATHS = ['/api/v2.6/nothing', '/nothing', '/api', '/%00', '/..%2f..%2fetc/passwd', '//evil.example'];

let pages: string;
let pda: TestPda;
let newPda: TestPda;
let exchange: TestExchange;
let contracts: TestContracts;
let relay: TestRelay;
beforeAll(async () => {
  pages = mkdtempSync(join(tmpdir(), 'pda-pages-'));
  mkdirSync(join(pages, 'assets'));
  for (const name of ['index.html', 'assets/a-1234.js', 'assets/a-1234.css', 'icon.svg', 'x.webmanifest', 'f.woff2'])
    writeFileSync(join(pages, name), 'text');
  [pda, newPda, exchange, contracts, relay] = await Promise.all([
    startTestPda({ pages }),
    startTestPda({ setUp: false }),
    createTestDatabase().then((database) => startTestExchange({ database })),
    createTestDatabase().then((database) => startTestContracts({ database })),
    startRelay({ domain: REMOTE_DOMAIN }),
  ]);
});
afterAll(async () => {
  await Promise.all([pda.close(), newPda.close(), exchange.close(), contracts.close(), relay.close()]);
  rmSync(pages, { recursive: true, force: true });
  removeRelayFolders();
});

/** The guide and the guest sign-in are pages. Other routes return data, because these requests do not accept HTML. */
const kindOf = (name: string, { headers }: RecordedResponse): Kind =>
  /^\w+ \/(?:docs|guest\/sign-in)/u.test(name) && headers['content-type'] !== 'application/json; charset=utf-8'
    ? 'page'
    : 'interface';
const addKinds = (responses: readonly (readonly [string, Reply])[]) =>
  responses.map(
    ([name, reply]) => [name, reply, name.startsWith('OPTIONS') ? 'interface' : kindOf(name, reply)] as const,
  );

describe('response headers', () => {
  it('are safe for anonymous callers of a PDA, on every route and unknown paths', async () => {
    const responses = await requestAllRoutes(pda, pda.pda.routes);
    expect(responses.length).toBeGreaterThan(300);
    expectValidHeaders(addKinds(responses));
    for (const path of UNKNOWN_PATHS.filter((path) => path.startsWith('/api')))
      expectValidHeaders([[path, await pda.call('GET', path, { token: null })]]);
  });

  it('are safe for the owner of a PDA, for reads and invalid requests', async () => {
    const responses: (readonly [string, Reply])[] = [];
    for (const route of pda.pda.routes) {
      const path = pathOf(route);
      if (route.method === 'GET') responses.push([`HEAD ${path}`, await pda.call('HEAD', path)]);
      else if (route.body?.as === 'json' || route.body?.as === 'json-text')
        responses.push([`${route.method} ${path}`, await pda.call(route.method, path, { body: '{' })]);
    }
    expect(responses.filter(([, { status }]) => status === 200).length).toBeGreaterThan(40);
    expectValidHeaders(addKinds(responses));
  });

  it.skipIf(!IS_THOROUGH_RUN)('are safe before the setup of a PDA', async () => {
    const responses: (readonly [string, Reply])[] = [];
    for (const route of newPda.pda.routes) {
      const path = pathOf(route);
      responses.push([`${route.method} ${path}`, await newPda.call(route.method, path, { token: null })]);
    }
    expectValidHeaders(addKinds(responses));
  });

  it('are safe for the dashboard page at every address and for its files', async () => {
    const paths = [
      '/',
      '/sharing?x=1',
      '/assets/a-1234.js',
      '/assets/a-1234.css',
      '/icon.svg',
      '/x.webmanifest',
      '/f.woff2',
    ];
    for (const path of [...paths, ...UNKNOWN_PATHS.filter((path) => !path.startsWith('/api'))]) {
      for (const method of ['GET', 'HEAD']) {
        const reply = await pda.call(method, path, { token: null });
        expectValidHeaders([[`${method} ${path}`, reply, 'page']]);
        const isImmutable = path.startsWith('/assets/');
        expect([path, reply.headers['cache-control']?.includes('immutable')]).toStrictEqual([path, isImmutable]);
        if (reply.headers['content-type']?.startsWith('text/html') === true)
          expect(reply.headers['cache-control']).toBe('no-store');
      }
    }
    const unbuiltReply = await newPda.call('GET', '/', { token: null });
    expect(unbuiltReply.status).toBe(404);
    expectValidHeaders([['no dashboard', unbuiltReply, kindOf('', unbuiltReply)]]);
  });

  it('are safe for files with any content: complete, partial, out of range, not modified and with a forged signature', async () => {
    const script = '<script>alert(1)</script>';
    for (const name of ['a.html', 'a.svg', 'a.js', 'a.txt', 'a.pdf', 'a.png', 'a']) {
      const { fileId } = await storeFile(pda, name, name.endsWith('pdf') ? `%PDF-1.4\n${script}` : script);
      await pda.call('GET', `/api/v2.6/files/allowAccessPublic/${fileId}`);
      const redirectReply = await pda.call('GET', `/api/v2.6/files/content/${fileId}`, { token: null });
      expect(redirectReply.status).toBe(303);
      expectValidHeaders([[`redirect to ${name}`, redirectReply]]);
      const { pathname, search } = new URL((await readFileRecord(pda, fileId)).contentUrl ?? '');
      const get = (headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> =>
        pda.call(method, `${pathname}${search}`, { token: null, headers });
      const completeReply = await get();
      const etag = completeReply.headers['etag'] ?? '';
      const replies = [
        completeReply,
        await get({}, 'HEAD'),
        await get({ range: 'bytes=0-3' }),
        await get({ range: 'bytes=9999-' }),
        await get({ 'if-none-match': etag }),
      ];
      expect(replies.map(({ status }) => status)).toStrictEqual([200, 200, 206, 416, 304]);
      expectValidHeaders(replies.map((reply) => [name, reply, 'content'] as const));
      // Whether displayed or saved, the content cannot run scripts with the origin of this server.
      const policy = policyOf(completeReply);
      expect([name, /sandbox(?:;|$)/u.test(policy) || name === 'a.pdf', /script-src/u.test(policy)]).toStrictEqual([
        name,
        true,
        false,
      ]);
      if (['a.html', 'a.svg', 'a.js', 'a'].includes(name))
        expect([name, completeReply.headers['content-disposition']]).toStrictEqual([
          name,
          expect.stringMatching(/^attachment;/u),
        ]);
      const forgedReply = await pda.call('GET', `${pathname}${search.replace(/signature=./u, 'signature=!')}`, {
        token: null,
      });
      expectValidHeaders([[`forged ${name}`, forgedReply]]);
    }
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'are safe at the exchange and the contracts service, on every route and unknown paths',
    async () => {
      for (const [server, routes] of [
        [exchange, exchange.exchange.routes],
        [contracts, contracts.service.routes],
      ] as const) {
        expectValidHeaders(await requestAllRoutes(server, routes));
        for (const path of UNKNOWN_PATHS) {
          const reply = await server.call('GET', path);
          expectValidHeaders([
            [path, reply, reply.headers['content-type']?.startsWith('text/html') === true ? 'page' : 'interface'],
          ]);
        }
      }
    },
  );

  it('are safe at the relay: pages, API and refusals', async () => {
    const html = { accept: 'text/html' };
    const relayPages = [
      await requestRelay(relay, { path: '/' }),
      await requestRelay(relay, { path: '/', method: 'HEAD' }),
      await requestRelay(relay, { name: 'unknown', isPlain: true, path: '/x', headers: html }),
    ];
    expect(relayPages.map(({ status }) => status)).toStrictEqual([200, 200, 503]);
    expectValidHeaders(relayPages.map((response) => ['a page', response, 'relay page'] as const));
    const responses = [
      await requestRelay(relay, { path: '/healthz' }),
      await requestRelay(relay, { path: '/alice' }),
      await requestRelay(relay, { path: '/alice', method: 'DELETE' }),
      await requestRelay(relay, { path: '/alice', method: 'POST' }),
      await requestRelay(relay, { path: '/UPPER' }),
      await requestRelay(relay, { isPlain: true, path: '/x' }),
      await requestRelay(relay, { isPlain: true, headers: { host: 'evil.example' } }),
      await requestRelay(relay, { name: 'unknown', isPlain: true, headers: { accept: 'application/json' } }),
    ];
    expect(responses.map(({ status }) => status)).toStrictEqual([200, 401, 401, 405, 400, 308, 421, 503]);
    expectValidHeaders(responses.map((response) => ['the relay', response] as const));
    // The header is sent only over TLS, because browsers ignore it over plain HTTP.
    expect((await requestRelay(relay, { path: '/' })).headers['strict-transport-security']).toBe('max-age=31536000');
    expect(
      (await requestRelay(relay, { isPlain: true, path: '/x' })).headers['strict-transport-security'],
    ).toBeUndefined();
  });

  it('are safe for malformed and oversized requests', async () => {
    for (const [rawRequest, status] of [
      ['INVALID\r\n\r\n', 400],
      ['GET / HTTP/1.1\r\nbad header\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nhost: ${pda.host}\r\nx: ${'x'.repeat(MAX_HEADER_BYTES)}\r\n\r\n`, 413],
    ] as const) {
      const [head = ''] = (await sendRaw(pda.port, rawRequest)).split('\r\n\r\n', 1);
      const lines = head.split('\r\n').slice(1);
      const headers = Object.fromEntries(lines.map((line) => line.split(/: (.*)/su, 2) as [string, string]));
      expect(head.startsWith(`HTTP/1.1 ${status} `)).toBe(true);
      expectValidHeaders([['malformed request', { status, headers }]]);
    }
  });

  it('enforce TLS for a PDA behind a TLS-terminating proxy, and not over plain HTTP', async () => {
    const secureReply = await pda.call('GET', '/healthz', { headers: { 'x-forwarded-proto': 'https' } });
    expect(secureReply.headers['strict-transport-security']).toBe('max-age=31536000');
    for (const headers of [{}, { 'x-forwarded-proto': 'http' }])
      expect((await pda.call('GET', '/healthz', { headers })).headers['strict-transport-security']).toBeUndefined();
  });
});

describe("a page of another site in the owner's browser (CSRF)", () => {
  const SIMPLE_CONTENT_TYPES = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
  ];

  it.skipIf(!IS_THOROUGH_RUN)('cannot send form requests to a route that takes JSON, even with a token', async () => {
    for (const route of pda.pda.routes.filter(({ body }) => body?.as === 'json' || body?.as === 'json-text')) {
      for (const type of SIMPLE_CONTENT_TYPES) {
        const reply = await pda.call(route.method, pathOf(route), {
          body: '{"a":1}',
          headers: { 'content-type': type, origin: 'https://evil.example' },
        });
        // The path is validated first, which may result in 400 or 404.
        expect([route.path, type, [400, 404, 415].includes(reply.status)]).toStrictEqual([route.path, type, true]);
      }
    }
    const reply = await pda.call('POST', '/api/v2.6/data/a/b', {
      body: '1',
      headers: { 'content-type': 'text/plain' },
    });
    expect(reply.status).toBe(415);
  });

  it('cannot authenticate by cookie, URL or Authorization header', async () => {
    const { token } = pda;
    for (const headers of [
      { cookie: `x-auth-token=${token}; token=${token}; accessToken=${token}` },
      { authorization: `Bearer ${token}` },
      { origin: pda.host, referer: `http://${pda.host}/`, 'sec-fetch-site': 'same-origin' },
    ])
      expect((await pda.call('GET', '/api/v2.6/owner', { token: null, headers })).status).toBe(401);
    const query = `?token=${token}&x-auth-token=${token}&access_token=${token}`;
    expect((await pda.call('GET', `/api/v2.6/owner${query}`, { token: null })).status).toBe(401);
  });

  it('changes nothing by loading a URL as an image', async () => {
    const { fileId } = await storeFile(pda, 'private.txt', 'mine');
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
    for (const path of [
      `/api/v2.6/files/allowAccessPublic/${fileId}`,
      '/api/v2.6/she/function/x/enable',
      '/users/access_token',
    ])
      expect((await pda.call('GET', path, { token: null, headers })).status).toBe(401);
    expect((await pda.call('GET', `/api/v2.6/files/content/${fileId}`, { token: null })).status).not.toBe(303);
  });
});

describe('an unknown host name that resolves to the server (DNS rebinding)', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'gets 421 from every route of a PDA, the exchange and the contracts service',
    async () => {
      for (const [server, routes] of [
        [pda, pda.pda.routes],
        [exchange, exchange.exchange.routes],
        [contracts, contracts.service.routes],
      ] as const) {
        for (const route of routes) {
          const reply = await server.call(route.method, pathOf(route), { headers: { host: 'rebound.example' } });
          expect([route.path, reply.status]).toStrictEqual([route.path, 421]);
          expect(findHeaderProblems(reply, 'interface')).toEqual([]);
        }
      }
    },
  );
});
