import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import localtunnel from 'localtunnel';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  ask,
  keyHeader,
  newKey,
  openConnection,
  proofFor,
  removeFolders,
  startRelay,
  type PdaKey,
  type TestRelay,
} from './support/relay.ts';

/** The unmodified client of the package `localtunnel` at our relay: the proof travels in the name that it asks for. */

let relay: TestRelay;
let key: PdaKey;
beforeAll(async () => {
  key = newKey();
  relay = await startRelay();
});
afterAll(async () => {
  await relay.close();
  removeFolders();
});

const query = async (name: string, options: { key?: PdaKey; token?: string } = {}): Promise<string> => {
  const proof = options.token ?? (await proofFor(relay, name, { key: options.key ?? key }));
  return `${name}?${new URLSearchParams({ proof, key: keyHeader(options.key ?? key) }).toString()}`;
};

/** What the client connects its lines with: it speaks the relay's protocol on each, and serves the visitor who comes. */
const startGateway = async (cachedUrl: () => string) => {
  const addresses: string[] = [];
  const pages = createServer((_request, response) => response.end('from the gateway'));
  let counter = 0;
  const gateway = createTcpServer({ allowHalfOpen: true }, (socket) => {
    counter += 1;
    const held = new URLSearchParams(new URL(cachedUrl()).hash.slice(1));
    const session = {
      session: held.get('session') ?? '',
      secret: Buffer.from(held.get('secret') ?? '', 'base64url'),
    };
    const line = openConnection(relay, session, counter, { socket });
    line.ready.catch(() => undefined);
    void line.visited.then((visited) => {
      addresses.push(visited.visit.address);
      pages.emit('connection', visited.socket);
      visited.socket.resume();
    });
  }).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  return { port: (gateway.address() as AddressInfo).port, addresses, close: () => gateway.close() };
};

it('holds a proven name, and brings visitors with their addresses', { timeout: 30_000 }, async () => {
  let cachedUrl = '';
  const gateway = await startGateway(() => cachedUrl);
  const tunnel = await localtunnel({
    host: `http://localhost:${relay.port}`,
    subdomain: await query('alice'),
    port: gateway.port,
  });
  try {
    cachedUrl = String(Reflect.get(tunnel, 'cachedUrl'));
    expect(tunnel.url).toBe(`http://alice.localhost:${relay.port}`);
    // A visitor waits for a line at the relay.
    const visits = await Promise.all(Array.from({ length: 5 }, () => ask(relay, { name: 'alice', path: '/' })));
    expect(visits.map(({ status, text }) => [status, text])).toStrictEqual(visits.map(() => [200, 'from the gateway']));
    expect(gateway.addresses).toStrictEqual(visits.map(() => '127.0.0.1'));
    expect(relay.relay.sessions.connections()).toBeLessThanOrEqual(10);
  } finally {
    tunnel.close();
    gateway.close();
  }
});

it('is refused without a proof, with one that was used, and for the name of another key', async () => {
  const statusOf = async (path: string): Promise<number> => (await ask(relay, { path: `/${path}` })).status;
  const token = await proofFor(relay, 'bob', { key });
  expect(await statusOf(await query('bob', { token }))).toBe(200);
  expect(await statusOf(await query('bob', { token }))).toBe(401);
  expect(await statusOf(await query('bob', { key: newKey() }))).toBe(403);
  expect(await statusOf(await query('bob', { token: await proofFor(relay, 'carol', { key }) }))).toBe(401);
  expect(await statusOf('bob?proof=none&key=none')).toBe(401);
  expect(await statusOf('bob')).toBe(401);
});

it('tells the session in `cached_url` to nobody but a claim in the query', async () => {
  const inQuery = await ask(relay, { path: `/${await query('dora')}` });
  expect(inQuery.json).toMatchObject({ max_conn_count: 10, cached_url: expect.stringContaining('#session=') });
  const inHeaders = await ask(relay, {
    path: '/dora',
    headers: { authorization: `Bearer ${await proofFor(relay, 'dora', { key })}`, 'x-pda-key': keyHeader(key) },
  });
  expect(inHeaders.status).toBe(200);
  expect(inHeaders.json).not.toHaveProperty('cached_url');
});
