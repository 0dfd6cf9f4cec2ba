import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseRaw, sendRaw } from './support/http.ts';
import { errorOf, OWNER, startTestPda, type TestPda } from './support/test-pda.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda({ publicUrl: 'https://Ada.Example' });
});
afterAll(() => pda.close());

const sendText = async (request: string) => parseRaw(await sendRaw(pda.port, request.replaceAll('\n', '\r\n')));

describe('the Host header', () => {
  it.each(['127.0.0.1:PORT', 'localhost:PORT', 'LOCALHOST:PORT', '[::1]:PORT', 'ada.example', 'ADA.example'])(
    '%s is accepted',
    async (name) => {
      const host = name.replace('PORT', String(pda.port));
      expect((await pda.call('GET', '/healthz', { headers: { host } })).status).toBe(200);
    },
  );

  it.each([
    'evil.example',
    'ada.example.evil.example',
    'evil-ada.example',
    'ada.example.',
    'ada.example:80',
    'ada.example:443',
    'ada.example:PORT',
    'localhost',
    '127.0.0.1',
    'localhost:1',
    'localhost.:PORT',
    'localhost.evil.example:PORT',
    '127.0.0.1.nip.io:PORT',
    '127.0.0.2:PORT',
    '127.1:PORT',
    '0.0.0.0:PORT',
    '2130706433:PORT',
    '[::]:PORT',
    '[::ffff:127.0.0.1]:PORT',
    '192.168.0.10:PORT',
    'user@127.0.0.1:PORT',
    'localhost:PORT, evil.example',
    'localhost:PORT/',
    'null',
    ' ',
    '__proto__',
    'http://localhost:PORT',
  ])('%s gets 421 for every path', async (name) => {
    const host = name.replace('PORT', String(pda.port));
    for (const [method, path] of [
      ['GET', '/healthz'],
      ['GET', '/'],
      ['OPTIONS', '/api/v2.6/data/a/b'],
      ['POST', '/api/v2.6/owner/setup'],
      ['GET', '/users/access_token'],
    ] as const) {
      const reply = await pda.call(method, path, { headers: { host } });
      expect([method, path, reply.status, errorOf(reply).error]).toStrictEqual([
        method,
        path,
        421,
        'misdirected_request',
      ]);
      expect(reply.headers['x-auth-token']).toBeUndefined();
    }
  });

  it('is required', async () => {
    const replyWithoutHost = await sendText('GET /healthz HTTP/1.1\nconnection: close\n\n');
    expect([replyWithoutHost.status, Object(replyWithoutHost.json).error]).toStrictEqual([421, 'misdirected_request']);
    expect((await sendText('GET /healthz HTTP/1.0\n\n')).status).toBe(421);
    expect((await sendText('GET /healthz HTTP/1.1\nhost:\nconnection: close\n\n')).status).toBe(421);
  });

  it('is not replaced by proxy headers', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': pda.host, forwarded: `host=${pda.host}` };
    expect((await pda.call('GET', '/healthz', { headers })).status).toBe(421);
    // Proxy headers with the address of this machine do not authenticate a caller, either.
    const reply = await pda.call('GET', '/api/v2.6/owner', {
      token: null,
      headers: { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' },
    });
    expect(reply.status).toBe(401);
  });

  it('is not replaced by the request line', async () => {
    const response = await sendText(
      `GET http://evil.example/healthz HTTP/1.1\nhost: ${pda.host}\nconnection: close\n\n`,
    );
    expect([response.status, Object(response.json).error]).toStrictEqual([404, 'not_found']);
  });

  it('is the issuer of a token, unlike x-forwarded-host', async () => {
    const headers = { username: OWNER.name, password: OWNER.password, 'x-forwarded-host': 'evil.example' };
    const reply = await pda.call('GET', '/users/access_token', { token: null, headers });
    expect(reply.status).toBe(200);
    const token = String(reply.headers['x-auth-token']);
    expect(decodeJwt(token)).toMatchObject({ iss: pda.host, resource: pda.host });
    expect(pda.pda.owner.sessions('').find(({ id }) => id === decodeJwt(token).jti)?.issuer).toBe(pda.host);
  });
});

describe('paths', () => {
  it('below /api/v2/ are aliases of those below /api/v2.6/', async () => {
    await pda.call('POST', '/api/v2/data/paths/one', { json: 1 });
    expect((await pda.call('GET', '/api/v2/data/paths/one')).text).toBe(
      (await pda.call('GET', '/api/v2.6/data/paths/one')).text,
    );
    expect((await pda.call('GET', '/api/v2/openapi.json')).status).toBe(200);
  });

  it.each([
    '/api',
    '/api/',
    '/api/v2',
    '/api/v2.6',
    '/api/v2.6/',
    '/api/v1/data/a/b',
    '/api/v2.7/data/a/b',
    '/api/v2.6.1/data/a/b',
    '/api/v2.6/unknown',
    '/api/v2.6//data/a/b',
    '/api/v2.6/data',
    '/api/v2.6/data/only-namespace',
    '/api/v2.6/__proto__',
    '/api/v2.6/constructor',
    '/nothing',
    '/users',
  ])('such as %s get 404 or 405 with the common error body, even for anonymous callers', async (path) => {
    for (const token of [pda.token, null]) {
      const reply = await pda.call('GET', path, { token });
      const expected = path === '/api/v2.6/data' ? [405, 'method_not_allowed'] : [404, 'not_found'];
      expect([reply.status, errorOf(reply).error]).toStrictEqual(expected);
      expect(reply.headers['content-type']).toBe('application/json; charset=utf-8');
    }
  });

  it('are refused with non-ASCII characters that are not percent-encoded', async () => {
    const response = await sendRaw(
      pda.port,
      Buffer.from(
        `POST /api/v2.6/data/paths/ü HTTP/1.1\r\nhost: ${pda.host}\r\nx-auth-token: ${pda.token}\r\ncontent-type: application/json\r\ncontent-length: 1\r\nconnection: close\r\n\r\n1`,
      ),
    );
    expect(parseRaw(response).status).toBe(400);
    expect((await pda.call('GET', '/api/v2.6/data/sources')).json).toStrictEqual({ paths: ['one'] });
  });
});

describe('the HTTP method', () => {
  it('HEAD responds like GET without a body', async () => {
    await pda.call('POST', '/api/v2.6/data/head/some', { json: Array.from({ length: 5 }, (_, index) => index) });
    await pda.call('POST', '/api/v2.6/data/head/many', {
      json: Array.from({ length: 3000 }, (_, index) => ({ index })),
    });
    for (const path of [
      '/healthz',
      '/api/v2.6/data/head/some',
      '/api/v2.6/data/head/many?take=3000',
      '/api/v2.6/owner',
      '/api/v2.6/owner/events',
      '/publickey',
    ]) {
      const head = await pda.call('HEAD', path);
      expect([path, head.status, head.text]).toStrictEqual([path, 200, '']);
    }
    const [head, get] = [
      await pda.call('HEAD', '/api/v2.6/data/head/some'),
      await pda.call('GET', '/api/v2.6/data/head/some'),
    ];
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect((await pda.call('HEAD', '/api/v2.6/owner', { token: null })).status).toBe(401);
    expect((await pda.call('HEAD', '/api/v2.6/nothing')).status).toBe(404);
  });

  it.each([
    ['PATCH', '/api/v2.6/data/a/b', ['DELETE', 'GET', 'POST']],
    ['PUT', '/api/v2.6/data/a/b', ['DELETE', 'GET', 'POST']],
    ['GET', '/api/v2.6/data', ['DELETE', 'PUT']],
    ['HEAD', '/api/v2.6/data-batch', ['POST']],
    ['POST', '/users/access_token', ['DELETE', 'GET']],
    ['DELETE', '/healthz', ['GET']],
    ['GET', '/api/v2.6/owner/sign-out', ['POST']],
    ['GET', '/api/v2.6/owner/password', ['POST']],
    ['PROPFIND', '/api/v2.6/data/a/b', ['DELETE', 'GET', 'POST']],
  ])('%s on %s gets 405 with the allowed methods', async (method, path, allowedMethods) => {
    const reply = await pda.call(method, path);
    expect(reply.status).toBe(405);
    if (method !== 'HEAD') expect(errorOf(reply).error).toBe('method_not_allowed');
    expect(String(reply.headers['allow']).split(', ').toSorted()).toStrictEqual(allowedMethods);
  });

  it('OPTIONS allows pages of any origin without credentials', async () => {
    const headers = {
      origin: 'https://app.example',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'x-auth-token, content-type',
    };
    const reply = await pda.call('OPTIONS', '/api/v2.6/data/a/b', { token: null, headers });
    expect([reply.status, reply.text]).toStrictEqual([204, '']);
    expect(reply.headers['access-control-allow-origin']).toBe('*');
    expect(reply.headers['access-control-allow-credentials']).toBeUndefined();
    const valuesOf = (name: string): string[] => String(reply.headers[name]).split(', ');
    expect(valuesOf('access-control-allow-methods')).toStrictEqual(
      expect.arrayContaining(['GET', 'POST', 'PUT', 'DELETE']),
    );
    expect(valuesOf('access-control-allow-headers')).toStrictEqual(
      expect.arrayContaining([
        'content-type',
        'x-auth-token',
        'username',
        'password',
        ...['amz', 'goog', 'azure', 'local'].map((cloud) => `x-${cloud}-server-side-encryption`),
      ]),
    );
    expect(valuesOf('allow').toSorted()).toStrictEqual(['DELETE', 'GET', 'POST']);
    expect((await pda.call('OPTIONS', '/api/v2.6/nothing')).status).toBe(404);
  });

  it('OPTIONS needs no token on any route, and ends no session', async () => {
    for (const { path } of pda.pda.routes) {
      for (const token of [null, pda.token]) {
        const reply = await pda.call('OPTIONS', path.replaceAll(/[:*]\w+/gu, 'x'), { token });
        expect([path, reply.status]).toStrictEqual([path, 204]);
      }
    }
    expect((await pda.call('GET', '/users/access_token/validate')).status).toBe(200);
  });
});
