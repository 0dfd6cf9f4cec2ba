import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataAt, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { createSafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import {
  createFakeFunctions,
  installAndEnable,
  ownerView,
  FAST_TIMING,
  removeFolders,
  store,
  valuesIn,
} from '../harness.test-support.ts';
import { createRemoteHost } from './host.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

let webService: Server;
let port: number;
let respond: (response: ServerResponse, url: string) => void;

beforeEach(async () => {
  webService = createServer((request, response) => {
    request.resume();
    request.on('end', () => respond(response, request.url ?? ''));
  });
  await new Promise<void>((resolve) => webService.listen(0, '127.0.0.1', resolve));
  ({ port } = webService.address() as AddressInfo);
});
afterEach(async () => {
  webService.closeAllConnections();
  await new Promise((resolve) => webService.close(resolve));
});

describe('a hostile web service', () => {
  const callWebService = async (location: string, timeoutMs = 1500) => {
    const host = createRemoteHost(createSafeFetch({ allowLoopback: true }));
    const session = host.open({ id: 'far', version: '1.0.0', memoryMb: 0, timeoutMs, location });
    const step = await session.process('{}');
    await session.close();
    return step;
  };
  const urlOf = (path = ''): string => `http://127.0.0.1:${port}${path}`;

  // Larger than the memory growth that is allowed below.
  const createLargeBuffer = (): Buffer => Buffer.alloc(80_000_000, 32);
  it.each([
    ['gzip', gzipSync(createLargeBuffer(), { level: 1 })],
    ['br', brotliCompressSync(createLargeBuffer(), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ])('cannot exhaust memory with a %s bomb', async (encoding, body) => {
    respond = (response) => response.writeHead(200, { 'content-encoding': encoding }).end(body);
    const initialRss = process.memoryUsage().rss;
    const step = await callWebService(urlOf(), 600_000);
    expect(step.outcome).toBe('output');
    expect(process.memoryUsage().rss - initialRss).toBeLessThan(60_000_000);
  });

  it.each([
    ['sends nothing', () => undefined],
    [
      'sends single bytes',
      (response: ServerResponse) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(timer));
      },
    ],
    [
      'sends headers endlessly',
      (response: ServerResponse) => {
        const socket = response.socket;
        socket?.write('HTTP/1.1 200 OK\r\n');
        const timer = setInterval(() => socket?.write(`x-${Math.random()}: ${'y'.repeat(1000)}\r\n`), 5);
        socket?.on('close', () => clearInterval(timer));
        socket?.on('error', () => clearInterval(timer));
      },
    ],
    [
      'redirects endlessly',
      (response: ServerResponse, url: string) => void response.writeHead(307, { location: `${url}/x` }).end(),
    ],
  ])('makes the step fail if it %s', async (_, hostileRespond) => {
    respond = hostileRespond;
    const step = await callWebService(urlOf());
    expect(step.outcome).not.toBe('done');
  });

  it('is not contacted at a URL with credentials', async () => {
    let requests = 0;
    respond = (response) => {
      requests += 1;
      response.end('[]');
    };
    expect(await callWebService(`http://me:secret@127.0.0.1:${port}`)).toMatchObject({ outcome: 'error' });
    expect(requests).toBe(0);
  });
});

describe('web services that never return a configuration', () => {
  let pda: TestPda;
  afterEach(async () => {
    await pda.close();
    removeFolders();
  });

  it.skipIf(!IS_THOROUGH_RUN)('do not delay the runs of other functions', async () => {
    respond = () => undefined;
    const functions = ['a', 'b', 'c'].map((id) => ({
      id,
      version: '1.0.0',
      baseUrl: `http://127.0.0.1:${port}`,
      namespace: 'made',
      endpoint: id,
    }));
    const echo = { id: 'echo', process: valuesIn };
    const fakes = createFakeFunctions(echo);
    pda = await startTestPda({
      config: { functions },
      network: { allowLoopback: true },
      functions: { host: fakes.host, timing: FAST_TIMING },
    });
    await installAndEnable(pda, echo);
    await store(pda, 'data/in', 1);
    await expect.poll(() => dataAt(pda, 'made/echo')).toEqual([1]);
    expect((await ownerView(pda, 'a')).configuration).toBeNull();
  });
});
