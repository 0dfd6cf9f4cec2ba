import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../../platform/log.ts';
import { createLocaltunnel } from './client.ts';
import { validateAssignedAddress } from './rules.ts';
import type { PublicListener } from '../transport/public-listener.ts';
import type { Tunnel } from '../transport/tunnel.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

// Tests against a misbehaving localtunnel server, with a stopped clock and timers that the test fires.

let server: Server | undefined;
let tunnel: Tunnel | undefined;
afterEach(async () => {
  await tunnel?.dispose(0);
  server?.closeAllConnections();
  server?.close();
});

const serve = async (listener: RequestListener): Promise<string> => {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://localhost:${(server.address() as AddressInfo).port}`;
};

const startClient = (host: string, listener: Partial<PublicListener> = {}) => {
  const delays: number[] = [];
  let fireTimer: () => void = () => undefined;
  const client = createLocaltunnel({
    mode: { way: 'localtunnel', host, subdomain: 'ada', passwordSignIn: false },
    listener: {
      open: () => Promise.resolve(),
      close: () => Promise.resolve(),
      url: () => 'http://127.0.0.1:1',
      problem: () => null,
      ...listener,
    },
    onChange: () => undefined,
    timers: {
      schedule(ms, work) {
        delays.push(ms);
        fireTimer = work;
        return () => undefined;
      },
    },
    clock: { now: () => 1_000_000 },
    log: silentLog(),
    random: () => 0,
  });
  tunnel = client;
  return { client, delays, retry: () => fireTimer() };
};
const expectPhase = (client: Tunnel) => expect.poll(() => client.status().phase, { interval: 10 });

const respondWith =
  (body: unknown, status = 200): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

describe('the localtunnel client', () => {
  it.skipIf(!IS_THOROUGH_RUN)('waits longer after each failed attempt, and sends one request per attempt', async () => {
    let requests = 0;
    const host = await serve((request) => {
      requests += 1;
      request.socket.destroy();
    });
    const { client, delays, retry } = startClient(host);
    await client.open();
    for (const count of [1, 2, 3, 4, 5]) {
      await expect.poll(() => delays.length, { interval: 10 }).toBe(count);
      expect(client.status()).toMatchObject({
        phase: 'connecting',
        attempts: count,
        nextAttempt: 1_000_000 + (delays.at(-1) ?? 0),
      });
      expect(client.status().problem).toMatch(/^The server could not be reached/u);
      if (count < 5) retry();
    }
    expect(delays).toStrictEqual([250, 500, 1000, 2000, 2500]);
    expect(requests).toBe(5);
  });

  it('reports the reason for a refusal', async () => {
    const host = await serve(respondWith({ message: 'Invalid subdomain.' }, 403));
    const { client } = startClient(host);
    await client.open();
    await expectPhase(client).toBe('refused');
    expect(client.status().problem).toBe('The server refused: Invalid subdomain.');
  });

  it('reports that a server is not a localtunnel server, and keeps trying', async () => {
    const host = await serve(respondWith({ hello: 'world' }));
    const { client } = startClient(host);
    await client.open();
    await expect.poll(() => client.status().problem).toBe('The server is not a localtunnel server.');
    expect(client.status().phase).toBe('connecting');
  });

  it('opens at most ten connections, and only to the configured host, regardless of the response', async () => {
    let connections = 0;
    const tunnelServer = createTcpServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(tunnelServer, 'listening');
    const { port } = tunnelServer.address() as AddressInfo;
    const url = 'http://ada.lt.localhost';
    // 192.0.2.1 is unreachable, so a client that connected to it would never come up.
    const host = await serve(respondWith({ id: 'ada', ip: '192.0.2.1', port, max_conn_count: 5000, url }));
    const { client } = startClient(host);
    await client.open();
    await expectPhase(client).toBe('up');
    expect(client.status().address).toBe(url);
    await expect.poll(() => connections).toBe(10);
    await client.close(0);
    tunnelServer.close();
  });

  it.skipIf(!IS_THOROUGH_RUN)('disconnects from a server that closes every connection', async () => {
    let connections = 0;
    const tunnelServer = createTcpServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(tunnelServer, 'listening');
    const { port } = tunnelServer.address() as AddressInfo;
    const url = 'http://ada.lt.localhost';
    const host = await serve(respondWith({ id: 'ada', port, max_conn_count: 10, url }));
    const { client, delays } = startClient(host);
    await client.open();
    await expect.poll(() => delays.length, { interval: 10 }).toBe(1);
    expect(client.status().problem).toBe('The server closes every connection.');
    expect(connections).toBeLessThan(500);
    tunnelServer.close();
  });

  it('reports a public port that cannot be opened, and sends no request', async () => {
    let requests = 0;
    const host = await serve(() => (requests += 1));
    const { client } = startClient(host, { problem: () => 'Port 4001 is in use by another program.' });
    await client.open();
    expect(client.status()).toMatchObject({
      phase: 'failed',
      problem: 'Port 4001 is in use by another program.',
      attempts: 0,
    });
    expect(requests).toBe(0);
  });

  it('starts no attempt before the public port is open, even if it is woken', () => {
    const { client } = startClient('http://localhost:1', {
      open: () => new Promise<void>(() => undefined),
      url: () => undefined,
    });
    void client.open();
    client.wake();
    expect(client.status().attempts).toBe(0);
  });
});

it.each([
  ['https://ada.lt.example', 'https://ada.lt.example'],
  ['https://ada.lt.example:8443/', 'https://ada.lt.example:8443'],
  ['http://ada.lt.localhost:8080', 'http://ada.lt.localhost:8080'],
])('accepts the assigned address %s as %s', (assignedUrl, address) => {
  expect(validateAssignedAddress(assignedUrl, 'ada')).toStrictEqual({ address });
});

it.each([
  ['https://brave-cat-12.lt.example', 'in place of ada'],
  ['https://ada2.lt.example', 'in place of ada'],
  ['http://ada.lt.example', 'without TLS'],
  ['https://ada', 'invalid address'],
  ['https://ada.lt.example/path', 'invalid address'],
  ['https://owner@ada.lt.example', 'invalid address'],
  ['ftp://ada.lt.example', 'invalid address'],
  ['no address', 'invalid address'],
])('rejects the assigned address %s: %s', (assignedUrl, problem) => {
  expect(validateAssignedAddress(assignedUrl, 'ada')).toStrictEqual({ problem: expect.stringContaining(problem) });
});
