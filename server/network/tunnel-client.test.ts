import { generateKeyPairSync } from 'node:crypto';
import { Agent, createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { send } from '../../tests/support/http.ts';
import { removeRelayFolders, startRelay, type TestRelay } from '../../tests/support/relay.ts';
import type { RelayLimits } from '../relay/limits.ts';
import { openServiceTunnel, type ServiceTunnel } from './tunnel-client.ts';

let relay: TestRelay | undefined;
let tunnel: ServiceTunnel | undefined;
let server: Server | undefined;
afterEach(async () => {
  await tunnel?.stop();
  server?.closeAllConnections();
  server?.close();
  await relay?.close();
  removeRelayFolders();
});

const generateKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

const startTunnel = async (listener: RequestListener, limits: Partial<RelayLimits> = {}) => {
  const target = createServer(listener);
  server = target;
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  const startedRelay = await startRelay({ limits });
  relay = startedRelay;
  const options = {
    relay: new URL(`http://localhost:${startedRelay.port}`),
    name: 'exchange',
    key: generateKey(),
    targetPort: (target.address() as AddressInfo).port,
  };
  const host = `exchange.${options.relay.host}`;
  const request = (path: string, body?: string) =>
    send(startedRelay.port, new Agent(), body === undefined ? 'GET' : 'POST', path, {
      headers: { host, connection: 'close' },
      ...(body === undefined ? {} : { body }),
    });
  tunnel = await openServiceTunnel(options);
  return { relay: startedRelay, options, host, request };
};

describe('service tunnel', () => {
  it('forwards 30 concurrent requests and their responses', async () => {
    const { host, request } = await startTunnel((incoming, response) => {
      let bytes = 0;
      incoming.on('data', (chunk: Buffer) => (bytes += chunk.length));
      incoming.on('end', () => response.end(JSON.stringify([incoming.headers.host, incoming.url, bytes])));
    });
    const body = 'x'.repeat(300_000);
    const replies = await Promise.all(Array.from({ length: 30 }, (_, index) => request(`/${index}`, body)));
    expect(replies.map(({ json }) => json)).toStrictEqual(replies.map((_, index) => [host, `/${index}`, body.length]));
  });

  it('aborts the connection when the server aborts a response', async () => {
    const { request } = await startTunnel((_, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('half of it');
      setImmediate(() => response.destroy());
    });
    await expect(request('/')).rejects.toThrow(/aborted|hang up|reset/iu);
  });

  it('reconnects after a restart of the relay', async () => {
    const { relay: firstRelay, request } = await startTunnel((_, response) => response.end('ok'));
    expect((await request('/')).text).toBe('ok');
    await firstRelay.close();
    await expect(request('/')).rejects.toThrow();
    relay = await startRelay({ home: firstRelay.home, port: firstRelay.port });
    await expect.poll(() => request('/').then(({ text }) => text)).toBe('ok');
  });

  it('fails to open with a key other than the one that claimed the name', async () => {
    const { options } = await startTunnel((_, response) => response.end('ok'));
    await expect(openServiceTunnel({ ...options, key: generateKey() })).rejects.toThrow(
      /tunnel of exchange did not open/u,
    );
  });

  it('serves no requests after it is stopped', async () => {
    // `clientWaitMs` is short, because the relay waits for a free connection of the stopped tunnel.
    const { request } = await startTunnel((_, response) => response.end('ok'), { clientWaitMs: 500 });
    await tunnel?.stop();
    await expect.poll(() => request('/').then(({ status }) => status)).toBe(503);
  });
});
