import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startTestContracts } from '../server/contracts/contracts.test-support.ts';
import { startTestExchange } from '../server/exchange/exchange.test-support.ts';
import { enableLingeringClose, closeAfterUnreadBody } from '../server/platform/http/response/lingering-close.ts';
import { createListener } from '../server/platform/http/listener.ts';
import { Failure } from '../server/platform/failure.ts';
import { createBasePipeline } from '../server/platform/http/base-pipeline.ts';
import { silentLog } from '../server/platform/log.ts';
import { createTestDatabase } from '../server/platform/postgres/database.test-support.ts';
import { ANONYMOUS_BURST } from '../server/wire/limits.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { parseRaw, sendRaw } from './support/http.ts';
import { removeRelayFolders, startRelay } from './support/relay.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';

const LARGE_BODY = Buffer.alloc(11_000_000, 0x20);
const UPLOAD_COUNT = IS_THOROUGH_RUN ? 20 : 6;
const run = promisify(execFile);
const JSON_TYPE = 'application/json';

let pda: TestPda;
beforeAll(async () => {
  const roles = [{ role: 'namespaceread' as const, detail: 'refused' }];
  pda = await startTestPda({ config: { applications: [anApplication({ id: 'reader', roles })] } });
});
afterAll(() => pda.close());

/** Runs in a separate process, because the client must write while the server closes the connection. */
const UPLOAD_SCRIPT = `
  const [method, url, headers, uploads, bytes] = JSON.parse(process.argv[1]);
  const body = Buffer.alloc(bytes, 0x20);
  const outcomes = [];
  for (let count = 0; count < uploads; count += 1) {
    const response = await fetch(url, { method, headers, body }).catch((error) => error);
    if (response instanceof Error) outcomes.push(String(response.cause));
    else {
      await response.text();
      outcomes.push(response.status);
    }
  }
  console.log(JSON.stringify(outcomes));
`;

/**
 * Sends many uploads with fetch, one after the other.
 * @returns their distinct status codes, and the causes of connection errors as strings
 */
const uploadMany = async (url: string, headers: Record<string, string>, method = 'POST'): Promise<Set<unknown>> => {
  const input = JSON.stringify([method, url, headers, UPLOAD_COUNT, LARGE_BODY.length]);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', UPLOAD_SCRIPT, input]);
  return new Set(JSON.parse(stdout) as unknown[]);
};

describe('the refusal of an 11 MB body during the upload', () => {
  const REFUSALS = [
    { status: 413, path: '/api/v2.6/data/refused/large', type: JSON_TYPE, hasToken: true },
    { status: 401, path: '/api/v2.6/data/refused/large', type: JSON_TYPE, hasToken: false },
    { status: 415, path: '/api/v2.6/data/refused/large', type: 'text/plain', hasToken: true },
    { status: 404, path: '/api/v2.6/nothing-here', type: JSON_TYPE, hasToken: true },
    { status: 405, path: '/api/v2.6/version', type: JSON_TYPE, hasToken: true },
  ];
  it.each(IS_THOROUGH_RUN ? REFUSALS : REFUSALS.slice(0, 2))(
    'reaches fetch with the status $status every time',
    async ({ status, path, type, hasToken }) => {
      const headers = { 'content-type': type, ...(hasToken ? { 'x-auth-token': pda.token } : {}) };
      expect(await uploadMany(`http://${pda.host}${path}`, headers)).toStrictEqual(new Set([status]));
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('reaches fetch with the status 403 when the token lacks the right', async () => {
    const headers = { 'content-type': JSON_TYPE, 'x-auth-token': await setUpApplication(pda, 'reader') };
    expect(await uploadMany(`http://${pda.host}/api/v2.6/data/refused/large`, headers)).toStrictEqual(new Set([403]));
  });

  it('reaches fetch with the status 429 when the network has used up its anonymous requests', async () => {
    // The limit does not refill while the server's clock stands still. The uploads come from another process.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const headers = { 'content-type': JSON_TYPE, 'x-forwarded-for': '203.0.113.9' };
    for (let count = 0; count < ANONYMOUS_BURST; count += 1)
      expect((await pda.call('GET', '/healthz', { token: null, headers })).status).toBe(200);
    expect(await uploadMany(`http://${pda.host}/api/v2.6/data/refused/large`, headers)).toStrictEqual(new Set([429]));
  });

  it.skipIf(!IS_THOROUGH_RUN)('reaches a client that writes everything before it reads', async () => {
    const head =
      `POST /api/v2.6/data/refused/large HTTP/1.1\r\nhost: ${pda.host}\r\nx-auth-token: ${pda.token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${LARGE_BODY.length}\r\n\r\n`;
    for (let count = 0; count < 5; count += 1) {
      const reply = await sendRaw(pda.port, Buffer.concat([Buffer.from(head), LARGE_BODY]));
      expect(parseRaw(reply).status).toBe(413);
    }
  });

  it('is sent instead of 100 Continue to a client that waits for that status', async () => {
    const head =
      `POST /api/v2.6/data/refused/large HTTP/1.1\r\nhost: ${pda.host}\r\nx-auth-token: ${pda.token}\r\n` +
      `content-type: application/json\r\nexpect: 100-continue\r\ncontent-length: ${LARGE_BODY.length}\r\n\r\n`;
    const reply = await new Promise<string>((resolve, reject) => {
      const socket = connect(pda.port, '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString('latin1')));
      socket.on('error', reject);
      socket.on('end', () => {
        socket.destroy();
        resolve(text);
      });
      socket.write(head);
    });
    expect(parseRaw(reply).status).toBe(413);
    expect(reply).not.toContain('100 Continue');
  });
});

describe('a small body', () => {
  it('is accepted with 100 Continue', async () => {
    const head =
      `POST /api/v2.6/data/refused/small HTTP/1.1\r\nhost: ${pda.host}\r\nx-auth-token: ${pda.token}\r\n` +
      `connection: close\r\ncontent-type: application/json\r\nexpect: 100-continue\r\ncontent-length: 1\r\n\r\n`;
    const reply = await new Promise<string>((resolve, reject) => {
      const socket = connect(pda.port, '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        if (text === 'HTTP/1.1 100 Continue\r\n\r\n') socket.write('1');
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(text));
      socket.write(head);
    });
    expect(parseRaw(reply.slice('HTTP/1.1 100 Continue\r\n\r\n'.length)).status).toBe(201);
  });
});

describe('the refusal of an 11 MB body by a service during the upload', () => {
  it.skipIf(!IS_THOROUGH_RUN)('reaches callers of the exchange', async () => {
    const exchange = await startTestExchange({ database: await createTestDatabase() });
    onTestFinished(() => exchange.close());
    const { token } = await exchange.createAccount(['developer']);
    const headers = { 'content-type': JSON_TYPE };
    const upload = (path: string, extraHeaders = {}) =>
      uploadMany(`${exchange.url}${path}`, { ...headers, ...extraHeaders });
    expect(await upload('/api/users/registerPda')).toStrictEqual(new Set([413]));
    expect(await upload('/api/v2/applications')).toStrictEqual(new Set([401]));
    expect(await upload('/api/accounts', { 'x-auth-token': token })).toStrictEqual(new Set([403]));
  });

  it.skipIf(!IS_THOROUGH_RUN)('reaches callers of the contracts service', async () => {
    const contracts = await startTestContracts({ database: await createTestDatabase() });
    onTestFinished(() => contracts.close());
    const upload = (path: string, method: string) =>
      uploadMany(`http://${contracts.host}${path}`, { 'content-type': JSON_TYPE }, method);
    expect(await upload('/v1/contracts/study/pdas/ada', 'PUT')).toStrictEqual(new Set([401]));
    expect(await upload('/v1/contracts/keyring', 'POST')).toStrictEqual(new Set([405]));
  });

  it.skipIf(!IS_THOROUGH_RUN)('reaches callers of the relay', async () => {
    const relay = await startRelay({ limits: { apiBurst: UPLOAD_COUNT, apiIntervalMs: 1_000_000_000 } });
    onTestFinished(async () => {
      await relay.close();
      removeRelayFolders();
    });
    const url = `http://${relay.domain}:${relay.port}/ada`;
    expect(await uploadMany(url, {}, 'PUT')).toStrictEqual(new Set([405]));
    expect(await uploadMany(url, {}, 'PUT')).toStrictEqual(new Set([429]));
  });
});

describe('limits of a lingering close', () => {
  const servers: Server[] = [];
  afterAll(() => servers.forEach((server) => server.closeAllConnections()));

  /** Starts a server that refuses every body immediately. @returns its port */
  const startRefusingServer = async (limits: { maxBytes: number; timeoutMs: number }): Promise<number> => {
    const server = createServer((request, response) => {
      closeAfterUnreadBody(request, response);
      response.writeHead(429).end('no');
    });
    enableLingeringClose(server, limits);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };

  /** Sends chunks until the server closes the connection. @returns the size of the sent chunks and the response */
  const sendUntilClosed = (
    port: number,
    chunk: Buffer,
    pauseMs: number,
  ): Promise<{ sentBytes: number; text: string }> =>
    new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      let sentBytes = 0;
      let text = '';
      const write = (): void => {
        if (socket.destroyed) return;
        const head = `${chunk.length.toString(16)}\r\n`;
        socket.write(Buffer.concat([Buffer.from(head), chunk, Buffer.from('\r\n')]), () => {
          sentBytes += chunk.length;
          setTimeout(write, pauseMs);
        });
      };
      socket.on('data', (receivedChunk) => (text += receivedChunk.toString('latin1')));
      // Sends the body only after the response has arrived, because a reset would discard the response.
      socket.once('data', write);
      socket.on('error', () => undefined);
      socket.on('close', () => resolve({ sentBytes, text }));
      socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    });

  it('cut off an endless chunked body after the permitted bytes', async () => {
    const maxBytes = 1_000_000;
    const port = await startRefusingServer({ maxBytes, timeoutMs: 600_000 });
    const { sentBytes, text } = await sendUntilClosed(port, Buffer.alloc(64_000), 0);
    expect(text).toContain('429');
    expect(sentBytes).toBeGreaterThan(maxBytes / 2);
  });

  it('cut off a slow sender after the permitted time', async () => {
    const port = await startRefusingServer({ maxBytes: 1_000_000_000, timeoutMs: 200 });
    const { text } = await sendUntilClosed(port, Buffer.alloc(1), 10);
    expect(text).toContain('429');
  });
});

it('a server keeps the connection open after a refusal when little of the body is left', async () => {
  const application = createBasePipeline(silentLog());
  application.use((ctx) => {
    if (ctx.method !== 'GET') throw new Failure('forbidden', 'no');
    ctx.body = 'next';
  });
  const listener = createListener(application.callback());
  const { port } = await listener.listen({ port: 0, host: '127.0.0.1' });
  try {
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let receivedText = '';
      let isBodySent = false;
      socket.on('data', (chunk) => {
        receivedText += chunk.toString('latin1');
        if (isBodySent || !receivedText.includes('requestId')) return;
        isBodySent = true;
        socket.write('12345GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(receivedText));
      socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\n');
    });
    expect(text).toContain('403');
    expect(text).toContain('next');
  } finally {
    await listener.close();
  }
});

it.each(['host: evil.example\r\nhost: OWN', 'host: OWN\r\nHOST: evil.example', 'host: OWN\r\nHost: OWN'])(
  'a server refuses two Host headers (%s) with 400',
  async (hosts) => {
    const reply = await sendRaw(pda.port, `GET /healthz HTTP/1.1\r\n${hosts.replaceAll('OWN', pda.host)}\r\n\r\n`);
    expect(parseRaw(reply).status).toBe(400);
  },
);
