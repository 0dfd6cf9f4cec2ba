import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../../platform/log.ts';
import { createLocaltunnel } from './client.ts';
import { readAddress } from './rules.ts';
import type { PublicListener } from '../transport/public-listener.ts';
import type { Tunnel } from '../transport/tunnel.ts';

/** A localtunnel server that misbehaves, on a clock that stands still, with waits that a test ends. */

let server: Server | undefined;
let tunnel: Tunnel | undefined;
afterEach(async () => {
  await tunnel?.dispose(0);
  server?.closeAllConnections();
  server?.close();
});

const serve = async (answer: RequestListener): Promise<string> => {
  server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://localhost:${(server.address() as AddressInfo).port}`;
};

const start = (host: string, listener: Partial<PublicListener> = {}) => {
  const waits: number[] = [];
  let go: () => void = () => undefined;
  const made = createLocaltunnel({
    way: { way: 'localtunnel', host, subdomain: 'ada', passwordSignIn: false },
    listener: {
      open: () => Promise.resolve(),
      close: () => Promise.resolve(),
      url: () => 'http://127.0.0.1:1',
      problem: () => null,
      ...listener,
    },
    onChange: () => undefined,
    timers: {
      after(ms, work) {
        waits.push(ms);
        go = work;
        return () => undefined;
      },
    },
    clock: { now: () => 1_000_000 },
    log: silentLog(),
    random: () => 0,
  });
  tunnel = made;
  return { tunnel: made, waits, again: () => go() };
};
const phaseOf = (one: Tunnel) => expect.poll(() => one.status().phase, { timeout: 20_000, interval: 10 });

const answerWith =
  (body: unknown, status = 200): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

describe('the localtunnel client', { timeout: 60_000 }, () => {
  it('waits longer after each attempt that fails, and asks once for each', async () => {
    let requests = 0;
    const host = await serve((request) => {
      requests += 1;
      request.socket.destroy();
    });
    const { tunnel: one, waits, again } = start(host);
    await one.open();
    for (const count of [1, 2, 3, 4, 5]) {
      await expect.poll(() => waits.length, { timeout: 20_000, interval: 10 }).toBe(count);
      expect(one.status()).toMatchObject({
        phase: 'connecting',
        tries: count,
        nextTry: 1_000_000 + (waits.at(-1) ?? 0),
      });
      expect(one.status().problem).toMatch(/^The server could not be reached/u);
      if (count < 5) again();
    }
    expect(waits).toStrictEqual([250, 500, 1000, 2000, 2500]);
    expect(requests).toBe(5);
  });

  it('is refused in the words of the server', async () => {
    const host = await serve(answerWith({ message: 'Invalid subdomain.' }, 403));
    const { tunnel: one } = start(host);
    await one.open();
    await phaseOf(one).toBe('refused');
    expect(one.status().problem).toBe('The server refused: Invalid subdomain.');
  });

  it('takes no answer that is not one of a localtunnel server', async () => {
    const host = await serve(answerWith({ hello: 'world' }));
    const { tunnel: one } = start(host);
    await one.open();
    await expect
      .poll(() => one.status().problem, { timeout: 20_000 })
      .toBe('What answers there is no localtunnel server.');
    expect(one.status().phase).toBe('connecting');
  });

  it('connects to the host that it asked, with ten connections at most, whatever the answer says', async () => {
    let connections = 0;
    const sockets = createTcpServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await once(sockets, 'listening');
    const { port } = sockets.address() as AddressInfo;
    const url = 'http://ada.lt.localhost';
    // 192.0.2.1 leads nowhere: a client that believes it never comes up.
    const host = await serve(answerWith({ id: 'ada', ip: '192.0.2.1', port, max_conn_count: 5000, url }));
    const { tunnel: one } = start(host);
    await one.open();
    await phaseOf(one).toBe('up');
    expect(one.status().address).toBe(url);
    await expect.poll(() => connections, { timeout: 20_000 }).toBe(10);
    await one.close(0);
    sockets.close();
  });

  it('gives up a server that closes every connection, instead of replacing each for ever', async () => {
    let connections = 0;
    const sockets = createTcpServer((socket) => {
      connections += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(sockets, 'listening');
    const { port } = sockets.address() as AddressInfo;
    const url = 'http://ada.lt.localhost';
    const host = await serve(answerWith({ id: 'ada', port, max_conn_count: 10, url }));
    const { tunnel: one, waits } = start(host);
    await one.open();
    await expect.poll(() => waits.length, { timeout: 20_000, interval: 10 }).toBe(1);
    expect(one.status().problem).toBe('The server closes every connection.');
    expect(connections).toBeLessThan(500);
    sockets.close();
  });

  it('reports a public port that could not be opened, and asks the server for nothing', async () => {
    let requests = 0;
    const host = await serve(() => (requests += 1));
    const { tunnel: one } = start(host, { problem: () => 'Port 4001 is in use by another program.' });
    await one.open();
    expect(one.status()).toMatchObject({
      phase: 'failed',
      problem: 'Port 4001 is in use by another program.',
      tries: 0,
    });
    expect(requests).toBe(0);
  });
});

it.each<[string, object]>([
  ['https://ada.lt.example', { address: 'https://ada.lt.example' }],
  ['https://ada.lt.example:8443/', { address: 'https://ada.lt.example:8443' }],
  ['http://ada.lt.localhost:8080', { address: 'http://ada.lt.localhost:8080' }],
  ['https://brave-cat-12.lt.example', { problem: expect.stringContaining('in place of ada') }],
  ['https://ada2.lt.example', { problem: expect.stringContaining('in place of ada') }],
  ['https://ada', { problem: expect.stringContaining('in place of ada') }],
  ['http://ada.lt.example', { problem: expect.stringContaining('without TLS') }],
  ['https://ada.lt.example/path', { problem: expect.any(String) }],
  ['https://owner@ada.lt.example', { problem: expect.any(String) }],
  ['ftp://ada.lt.example', { problem: expect.any(String) }],
  ['no address', { problem: expect.any(String) }],
])('an answer that hands out %s', (answer, result) => {
  expect(readAddress(answer, 'ada')).toStrictEqual(result);
});
