import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createListener } from '../server/platform/http/listener.ts';
import { createConcurrentResponseLimit } from '../server/platform/limits/concurrent-response-limit.ts';
import { createLoginThrottle } from '../server/platform/limits/login-throttle.ts';
import { systemClock } from '../server/platform/clock.ts';
import { Failure } from '../server/platform/failure.ts';
import {
  LARGE_BODY_BYTES,
  MAX_CONCURRENT_RESPONSES_PER_NETWORK,
  MAX_JSON_BODY_BYTES,
  MAX_CONNECTIONS_PER_NETWORK,
  MAX_PASSWORD_CHECKS,
  MAX_WAITING_PASSWORD_CHECKS,
  SMALL_BODY_MAX_BYTES,
  ANONYMOUS_BURST,
  UNPROVEN_BURST,
} from '../server/wire/limits.ts';
import { createFileRecord, putContent, randomContent } from './support/files.ts';
import { parseRaw } from './support/http.ts';
import { hashAtFullCost } from './support/quick-hashes.ts';
import { runWithStoppedClock } from './support/stopped-clock.ts';
import { errorOf, startTestPda, type TestPda } from './support/test-pda.ts';
import { addUserAndSignIn, trySignIn } from './support/users.ts';

/** Public name of the PDA. Callers that use it are remote. */
const PUBLIC_HOST = 'ada.example';
let lastHostNumber = 100;
/** Returns an unused local address, which represents a network. */
const newNetwork = (): string => `127.0.1.${(lastHostNumber += 1)}`;

let pda: TestPda;
let publicPort = 0;
let guestToken = '';
beforeAll(async () => {
  pda = await startTestPda({ publicUrl: `https://${PUBLIC_HOST}` });
  publicPort = await pda.publicPort();
  // Creates the hash for attempts with unknown names in advance, because that takes a moment.
  await hashAtFullCost(() => trySignIn(pda, 'unknown'));
  guestToken = await addUserAndSignIn(pda, 'guest');
});
afterAll(() => pda.close());

const openSockets = new Set<Socket>();
afterEach(() => {
  for (const socket of openSockets) socket.destroy();
  openSockets.clear();
});
const dial = async (address: string, firstText = '', port = publicPort): Promise<Socket> => {
  const socket = connect({ port, host: '127.0.0.1', localAddress: address });
  openSockets.add(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(firstText);
  return socket;
};
/** Returns everything received until the server closes the connection. */
const readUntilClosed = async (socket: Socket): Promise<string> => {
  let receivedText = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (receivedText += chunk));
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return receivedText;
};

/** Number of requests that exceeds the limit. */
const FLOOD_REQUESTS = 2 * ANONYMOUS_BURST;

/**
 * Sends requests in small batches on one connection, while the rate limit does not refill. After a refusal, the server
 * closes the connection. Requests sent after that would reset the connection and lose the refusal.
 * @returns everything received until all requests have responses or the connection is closed
 */
const flood = (address: string, messages: readonly string[]): Promise<string> =>
  runWithStoppedClock(() => sendInBatches(address, messages));
const sendInBatches = async (address: string, messages: readonly string[]): Promise<string> => {
  const socket = await dial(address);
  let receivedText = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (receivedText += chunk));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  for (let sentCount = 0; sentCount < messages.length && !socket.destroyed; sentCount += BATCH_REQUESTS) {
    socket.write(messages.slice(sentCount, sentCount + BATCH_REQUESTS).join(''));
    const expectedCount = Math.min(messages.length, sentCount + BATCH_REQUESTS);
    while (!socket.destroyed && !socket.readableEnded && receivedText.split('HTTP/1.1 ').length <= expectedCount)
      await Promise.race([once(socket, 'data'), closed]);
    if (socket.readableEnded) break;
  }
  return receivedText;
};
const BATCH_REQUESTS = 50;

const requestHead = (method: string, path: string, extraHeaders: readonly string[] = []): string =>
  [`${method} ${path} HTTP/1.1`, `host: ${PUBLIC_HOST}`, ...extraHeaders, '', ''].join('\r\n');

type SendOptions = { method?: string; headers?: Record<string, string>; body?: string | Buffer };
const startRequest = (
  address: string,
  path: string,
  { method = 'GET', headers = {}, body }: SendOptions = {},
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const requestOptions = {
      host: '127.0.0.1',
      port: publicPort,
      localAddress: address,
      agent: false,
      method,
      path,
    } as const;
    const clientRequest = request({ ...requestOptions, headers: { host: PUBLIC_HOST, ...headers } }, resolve);
    clientRequest.on('error', reject);
    clientRequest.end(body);
  });
const sendRequest = async (address: string, path: string, options?: SendOptions) => {
  const response = await startRequest(address, path, options);
  const body = await text(response);
  // Random content may begin like JSON, so the content type decides.
  const isJson = response.headers['content-type']?.startsWith('application/json') === true && body !== '';
  const json: unknown = isJson ? JSON.parse(body) : undefined;
  return { status: response.statusCode ?? 0, headers: response.headers, error: Object(json).error as unknown };
};

describe('connections from one network', () => {
  it('are limited, and other networks can still connect', async () => {
    const attacker = newNetwork();
    await Promise.all(Array.from({ length: MAX_CONNECTIONS_PER_NETWORK }, () => dial(attacker, 'GET / HT')));
    // The connection is closed without a response, which some systems report as an error.
    expect(await dial(attacker, requestHead('GET', '/healthz')).then(readUntilClosed, () => '')).toBe('');
    expect((await sendRequest(newNetwork(), '/healthz')).status).toBe(200);
    expect((await pda.call('GET', '/healthz')).status).toBe(200);
    for (const socket of openSockets) socket.destroy();
    await expect.poll(async () => (await sendRequest(attacker, '/healthz').catch(() => undefined))?.status).toBe(200);
  });
});

describe('connections of a load balancer', () => {
  it('are not limited if the load balancer is configured', async () => {
    const listener = createListener((_, response) => response.end('ok'), { isCounted: false });
    const { port } = await listener.listen({ port: 0, host: '127.0.0.1' });
    const balancer = newNetwork();
    await Promise.all(Array.from({ length: MAX_CONNECTIONS_PER_NETWORK + 1 }, () => dial(balancer, '', port)));
    const lastSocket = await dial(balancer, requestHead('GET', '/', ['connection: close']), port);
    expect(await readUntilClosed(lastSocket)).toMatch(/^HTTP\/1\.1 200 /u);
    for (const socket of openSockets) socket.destroy();
    await listener.close();
  });
});

describe('endless headers', () => {
  it('are refused at their deadline, however steadily they arrive, and delay no other request', async () => {
    const listener = createListener((_, response) => response.end('ok'), { headersMs: 300 });
    const { port } = await listener.listen({ port: 0, host: '127.0.0.1' });
    const slowSocket = await dial('127.0.0.1', 'GET / HTTP/1.1\r\n', port);
    const timer = setInterval(() => slowSocket.write('x-more: of it\r\n'), 20);
    const slowResponse = readUntilClosed(slowSocket);
    // Data sent after the response would reset the connection and lose the response.
    slowSocket.once('data', () => clearInterval(timer)).once('close', () => clearInterval(timer));
    // The deadline also applies to this request. On a slow machine, the first attempts may exceed the deadline.
    await expect
      .poll(async () => readUntilClosed(await dial('127.0.0.1', requestHead('GET', '/', ['connection: close']), port)))
      .toMatch(/^HTTP\/1\.1 200 /u);
    expect(await slowResponse).toMatch(/^HTTP\/1\.1 400 .*The headers did not arrive in time\./su);
    await listener.close();
  });
});

describe('requests without a valid token', () => {
  it('share one limit per network across routes; a refusal has Retry-After and closes the connection', async () => {
    const attacker = newNetwork();
    const paths = ['/healthz', '/', '/nothing', '/api/v2.6/owner', '/storage/x'];
    const requests = Array.from({ length: FLOOD_REQUESTS }, (_, index) =>
      requestHead('GET', paths[index % paths.length] ?? '/'),
    );
    const refusal = (await flood(attacker, requests)).split('HTTP/1.1 ').at(-1) ?? '';
    expect(refusal).toMatch(/^429 Too Many Requests\r\n/u);
    expect(refusal).toContain('\r\nretry-after: 1\r\n');
    expect(refusal).toContain('\r\nconnection: close\r\n');
    expect(refusal).toContain('"error":"rate_limited"');
    expect((await sendRequest(newNetwork(), '/healthz')).status).toBe(200);
    // Requests with a valid token are not counted.
    const validReply = await sendRequest(attacker, '/users/access_token/validate', {
      headers: { 'x-auth-token': guestToken },
    });
    expect(validReply.status).toBe(200);
  });

  it('count towards the limit of the address that connects, regardless of x-forwarded-for', async () => {
    const requests = Array.from({ length: FLOOD_REQUESTS }, (_, index) =>
      requestHead('GET', '/healthz', [`x-forwarded-for: 198.51.${Math.floor(index / 200)}.${index % 200}`]),
    );
    expect(await flood(newNetwork(), requests)).toContain('HTTP/1.1 429 ');
    expect((await sendRequest(newNetwork(), '/healthz')).status).toBe(200);
  });
});

describe('a large body', () => {
  /** Sends a Content-Length without a body. */
  const announceBody = async (method: string, path: string, extraHeaders: readonly string[] = []) =>
    parseRaw(
      await readUntilClosed(
        await dial(
          newNetwork(),
          requestHead(method, path, [
            'content-type: application/json',
            `content-length: ${MAX_JSON_BODY_BYTES}`,
            ...extraHeaders,
          ]),
        ),
      ),
    );

  it.each([
    ['POST', '/api/v2.6/owner/password-strength'],
    ['POST', '/api/v2.6/exchange/proof'],
    ['POST', '/api/v2.6/owner/restore/list'],
  ])('is refused unread by a route that needs no token: %s %s', async (method, path) => {
    const response = await announceBody(method, path);
    expect([response.status, Object(response.json).error]).toStrictEqual([413, 'too_large']);
    const body = `"${'x'.repeat(SMALL_BODY_MAX_BYTES)}"`;
    expect(
      (await sendRequest(newNetwork(), path, { method, body, headers: { 'content-type': 'application/json' } })).status,
    ).toBe(413);
  });

  it('is refused unread if the sender has no right to the route', async () => {
    const routes = [
      ['POST', '/api/v2.6/data/theirs/one'],
      ['POST', '/api/v2.6/combinator/theirs'],
      ['POST', '/api/v2.6/owner/deletions'],
      ['PUT', '/api/v2.6/data'],
    ] as const;
    const outcomes = await Promise.all(
      routes.map(async ([method, path]) => {
        const responses = await Promise.all([
          announceBody(method, path, [`x-auth-token: ${guestToken}`]),
          announceBody(method, path),
        ]);
        return [path, ...responses.map(({ status, json }) => `${status} ${Object(json).error}`)];
      }),
    );
    expect(outcomes).toStrictEqual(routes.map(([, path]) => [path, '403 forbidden', '401 not_authenticated']));
  });

  it('is read a few times per network without a valid token, and never parsed', async () => {
    const attacker = newNetwork();
    const path = '/api/v2.6/contract-data/create/a/b';
    // The body is invalid JSON, so that parsing would be reported.
    const body = Buffer.alloc(LARGE_BODY_BYTES + 1, '[');
    const headers = { 'content-type': 'application/json' };
    const errors: unknown[] = [];
    await runWithStoppedClock(async () => {
      for (let sentCount = 0; sentCount < UNPROVEN_BURST + 2; sentCount += 1)
        errors.push((await sendRequest(attacker, path, { method: 'POST', headers, body })).error);
    });
    expect(errors).toStrictEqual([
      ...Array.from({ length: UNPROVEN_BURST }, () => 'forbidden'),
      'rate_limited',
      'rate_limited',
    ]);
    const otherReply = await sendRequest(newNetwork(), path, { method: 'POST', headers, body });
    expect(otherReply.error).toBe('forbidden');
  });
});

describe('a query string', () => {
  it('is refused with more than 400 parameters', async () => {
    const parameters = (count: number): string => Array.from({ length: count }, (_, index) => `a${index}=`).join('&');
    expect(errorOf(await pda.call('GET', `/api/v2.6/data/a/b?${parameters(401)}`)).cause).toContain(
      'more than 400 parameters',
    );
    const conditionsError = errorOf(await pda.call('GET', `/api/v2.6/data/a/b?${parameters(400)}`));
    expect([conditionsError.error, conditionsError.cause]).toStrictEqual([
      'invalid_input',
      expect.stringContaining('at most 20'),
    ]);
  });
});

describe('readers of a public file', () => {
  it('have a limit on concurrent responses per network, and other networks can still read', async () => {
    const { fileId, contentUrl } = await createFileRecord(pda, 'large.bin');
    expect((await putContent(contentUrl, randomContent(20_000_000))).status).toBe(200);
    await pda.call('PUT', `/api/v2.6/files/file/${fileId}/complete`);
    await pda.call('GET', `/api/v2.6/files/allowAccessPublic/${fileId}`);
    const redirect = await startRequest(newNetwork(), `/api/v2.6/files/content/${fileId}`);
    redirect.resume();
    const { pathname, search } = new URL(redirect.headers.location ?? '');
    const attacker = newNetwork();
    const readers = await Promise.all(
      Array.from({ length: MAX_CONCURRENT_RESPONSES_PER_NETWORK }, () =>
        startRequest(attacker, `${pathname}${search}`),
      ),
    );
    expect(new Set(readers.map(({ statusCode }) => statusCode))).toStrictEqual(new Set([200]));
    const refusal = await sendRequest(attacker, `${pathname}${search}`);
    expect([refusal.status, refusal.error, refusal.headers['retry-after']]).toStrictEqual([429, 'rate_limited', '5']);
    const otherReader = await startRequest(newNetwork(), `${pathname}${search}`);
    let bytes = 0;
    for await (const chunk of otherReader as AsyncIterable<Buffer>) bytes += chunk.length;
    expect(bytes).toBe(20_000_000);
    // A slot is free as soon as one reader disconnects.
    readers[0]?.destroy();
    await expect
      .poll(
        async () => (await sendRequest(attacker, `${pathname}${search}`, { headers: { range: 'bytes=0-9' } })).status,
      )
      .toBe(206);
    for (const reader of readers) reader.destroy();
  });

  it('occupy no slot if they disconnect before their response starts', async () => {
    const responseLimit = createConcurrentResponseLimit();
    const { promise: admission, resolve } = Promise.withResolvers<void>();
    const server = createServer((_, response) => {
      response.once('close', () => {
        responseLimit.admit(response, '203.0.113.1');
        resolve();
      });
    });
    await new Promise<void>((onListening) => server.listen(0, '127.0.0.1', onListening));
    const socket = await dial('127.0.0.1', requestHead('GET', '/'), (server.address() as AddressInfo).port);
    await once(server, 'request');
    socket.destroy();
    await admission;
    expect(responseLimit.size()).toBe(0);
    server.close();
  });

  const serveLargeResponse = async (
    stallMs: number,
  ): Promise<{ server: Server; port: number; end: Promise<string> }> => {
    const responseLimit = createConcurrentResponseLimit({ stallMs });
    const { promise: end, resolve } = Promise.withResolvers<string>();
    const server = createServer((_, response) => {
      responseLimit.admit(response, '203.0.113.1');
      response.once('close', () => resolve(response.writableFinished ? 'whole' : 'cut'));
      const chunk = Buffer.alloc(128 * 1024);
      for (let remaining = 400; remaining > 0; remaining -= 1) response.write(chunk);
      response.end();
    });
    await new Promise<void>((onListening) => server.listen(0, '127.0.0.1', onListening));
    return { server, port: (server.address() as AddressInfo).port, end };
  };

  it('are cut off after a time without a read, and not while they read', async () => {
    for (const [isReading, stallMs, outcome] of [
      [false, 200, 'cut'],
      [true, 60_000, 'whole'],
    ] as const) {
      const { server, port, end } = await serveLargeResponse(stallMs);
      const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'));
      socket.on('error', () => undefined);
      if (isReading) socket.resume();
      else socket.pause();
      expect(await end).toBe(outcome);
      socket.destroy();
      server.close();
    }
  });
});

describe('password checks', () => {
  it('run a few at a time and queue fairly per network', async () => {
    const throttle = createLoginThrottle(systemClock);
    const release = Promise.withResolvers<void>();
    let runningCount = 0;
    let maxRunningCount = 0;
    const check = async (address: string): Promise<string> => {
      try {
        return await throttle.check({ address, local: false }, async () => {
          runningCount += 1;
          maxRunningCount = Math.max(maxRunningCount, runningCount);
          await release.promise;
          runningCount -= 1;
          return 'checked';
        });
      } catch (error) {
        return error instanceof Failure ? `${error.code} ${error.headers['retry-after']}` : 'broken';
      }
    };
    const slots = MAX_PASSWORD_CHECKS + MAX_WAITING_PASSWORD_CHECKS;
    // The addresses are in one IPv6 /48, each in a different /64.
    const attackerChecks = Array.from({ length: slots + 5 }, (_, index) => check(`2001:db8:1:${index}::1`));
    const otherCheck = check('198.51.100.7');
    await expect.poll(() => runningCount).toBe(MAX_PASSWORD_CHECKS);
    const ownerCheck = throttle.check({ address: '127.0.0.1', local: true }, async () => 'local');
    expect(await ownerCheck).toBe('local');
    release.resolve();
    const outcomes = await Promise.all(attackerChecks);
    expect(outcomes.filter((outcome) => outcome === 'checked')).toHaveLength(slots - 1);
    expect(outcomes.filter((outcome) => outcome === 'rate_limited 2')).toHaveLength(6);
    expect(await otherCheck).toBe('checked');
    expect(maxRunningCount).toBe(MAX_PASSWORD_CHECKS);
  });

  it('complete or are refused during many concurrent sign-ins, and the owner can still sign in', async () => {
    const outcomes = await Promise.all([
      ...Array.from({ length: 40 }, (_, index) =>
        sendRequest(newNetwork(), '/users/access_token', { headers: { username: `n${index}`, password: 'guess' } }),
      ),
      pda.signIn().then((token) => ({ status: token === '' ? 0 : 200, error: undefined })),
    ]);
    const errors = new Set(outcomes.map(({ error }) => error));
    expect(errors).toStrictEqual(new Set(['invalid_credentials', 'rate_limited', undefined]));
    expect(outcomes.at(-1)?.status).toBe(200);
  });
});
