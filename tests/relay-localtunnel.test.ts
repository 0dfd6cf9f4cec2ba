import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import localtunnel from 'localtunnel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newTestKey, type TestKey } from './support/keys.ts';
import {
  requestRelay,
  keyHeader,
  LONG_LIMITS,
  openConnection,
  proofFor,
  removeRelayFolders,
  startRelay,
  type TestRelay,
} from './support/relay.ts';

// Tests the relay with the unmodified client `localtunnel`, which sends the proof in the requested subdomain.

let relay: TestRelay;
let key: TestKey;
beforeAll(async () => {
  key = newTestKey();
  relay = await startRelay({ limits: LONG_LIMITS });
});
afterAll(async () => {
  await relay.close();
  removeRelayFolders();
});

const claimPath = async (name: string, options: { key?: TestKey; token?: string } = {}): Promise<string> => {
  const proof = options.token ?? (await proofFor(relay, name, { key: options.key ?? key }));
  return `${name}?${new URLSearchParams({ proof, key: keyHeader(options.key ?? key) }).toString()}`;
};

/** Starts the local server of the localtunnel client. It speaks the tunnel protocol and serves forwarded clients. */
const startLocalServer = async (cachedUrl: () => string) => {
  const addresses: string[] = [];
  const pages = createServer((_request, response) => response.end('from the local server'));
  let counter = 0;
  const localServer = createTcpServer({ allowHalfOpen: true }, (socket) => {
    counter += 1;
    const credentials = new URLSearchParams(new URL(cachedUrl()).hash.slice(1));
    const session = {
      session: credentials.get('session') ?? '',
      secret: Buffer.from(credentials.get('secret') ?? '', 'base64url'),
    };
    const connection = openConnection(relay, session, counter, { socket });
    connection.ready.catch(() => undefined);
    void connection.forwarded.then(({ peer, socket: forwardedSocket }) => {
      addresses.push(peer.address);
      pages.emit('connection', forwardedSocket);
      forwardedSocket.resume();
    });
  }).listen(0, '127.0.0.1');
  await once(localServer, 'listening');
  return { port: (localServer.address() as AddressInfo).port, addresses, close: () => localServer.close() };
};

describe('the localtunnel client', () => {
  it('claims a name with a proof and receives clients with their addresses', async () => {
    let cachedUrl = '';
    const localServer = await startLocalServer(() => cachedUrl);
    const tunnel = await localtunnel({
      host: `http://localhost:${relay.port}`,
      subdomain: await claimPath('alice'),
      port: localServer.port,
    });
    try {
      cachedUrl = String(Reflect.get(tunnel, 'cachedUrl'));
      expect(tunnel.url).toBe(`http://alice.localhost:${relay.port}`);
      const replies = await Promise.all(
        Array.from({ length: 5 }, () => requestRelay(relay, { name: 'alice', path: '/' })),
      );
      expect(replies.map(({ status, text }) => [status, text])).toStrictEqual(
        replies.map(() => [200, 'from the local server']),
      );
      expect(localServer.addresses).toStrictEqual(replies.map(() => '127.0.0.1'));
      expect(relay.relay.sessions.connectionCount()).toBeLessThanOrEqual(10);
    } finally {
      tunnel.close();
      localServer.close();
    }
  });

  it('is refused without a proof, with a used proof or with the name of another key', async () => {
    const statusOf = async (path: string): Promise<number> => (await requestRelay(relay, { path: `/${path}` })).status;
    const token = await proofFor(relay, 'bob', { key });
    expect(await statusOf(await claimPath('bob', { token }))).toBe(200);
    expect(await statusOf(await claimPath('bob', { token }))).toBe(401);
    expect(await statusOf(await claimPath('bob', { key: newTestKey() }))).toBe(403);
    expect(await statusOf(await claimPath('bob', { token: await proofFor(relay, 'carol', { key }) }))).toBe(401);
    expect(await statusOf('bob?proof=none&key=none')).toBe(401);
    expect(await statusOf('bob')).toBe(401);
  });

  it('receives the session in `cached_url` only for claims in the query', async () => {
    const queryReply = await requestRelay(relay, { path: `/${await claimPath('dora')}` });
    expect(queryReply.json).toMatchObject({ max_conn_count: 10, cached_url: expect.stringContaining('#session=') });
    const headerReply = await requestRelay(relay, {
      path: '/dora',
      headers: { authorization: `Bearer ${await proofFor(relay, 'dora', { key })}`, 'x-pda-key': keyHeader(key) },
    });
    expect(headerReply.status).toBe(200);
    expect(headerReply.json).not.toHaveProperty('cached_url');
  });
});
