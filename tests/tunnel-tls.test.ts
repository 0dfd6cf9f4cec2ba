import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAuthority, type Authority } from './support/authority.ts';
import { trustOneAuthority } from './support/authority-client.ts';
import { createSelfSigned } from './support/self-signed.ts';
import { LONG_LIMITS, REMOTE_DOMAIN, removeRelayFolders, startRelay, type TestRelay } from './support/relay.ts';
import { OWNER } from './support/test-pda.ts';
import { startTunnelPda, type TunnelPda } from './support/tunnel.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// End-to-end test with a relay, a certificate of a test authority, and a client that trusts only that authority.

const NAME = `${OWNER.name}.${REMOTE_DOMAIN}`;

let relay: TestRelay;
let authority: Authority;
let pda: TunnelPda;
/** Addresses to which the names of the relay and the PDA resolve: the relay, a proxy in front of it, or an impostor. */
const hosts = { relay: '127.0.0.1', pda: '127.0.0.1' };
const servers = new Set<Server>();
beforeAll(trustOneAuthority);
beforeAll(async () => {
  // The waiting time of a client is shorter than the other limits, because one test breaks connections.
  relay = await startRelay({ domain: REMOTE_DOMAIN, limits: { ...LONG_LIMITS, clientWaitMs: 30_000 } });
  authority = await openAuthority(() => ({ host: '127.0.0.1', port: relay.port }));
  const authorities = join(relay.home, 'authorities.pem');
  writeFileSync(authorities, `${authority.rootPem}\n${relay.ca ?? ''}`);
  pda = await startTunnelPda({
    config: {
      tunnel: { relay: `https://${REMOTE_DOMAIN}:${relay.port}`, domain: REMOTE_DOMAIN, authority: authority.url },
      development: { authorities },
    },
    network: {
      resolve: (name) => Promise.resolve([{ address: name === NAME ? hosts.pda : hosts.relay, family: 4 }]),
    },
  });
});
afterAll(async () => {
  await pda?.close();
  await relay?.close();
  await authority?.close();
  for (const server of servers) server.close();
  removeRelayFolders();
});

type ReceivedResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer };

const callFromOutside = (options: RequestOptions & { body?: string } = {}): Promise<ReceivedResponse> =>
  new Promise((resolve, reject) => {
    const { port } = relay;
    const { body, headers, ...otherOptions } = options;
    const clientRequest = request(
      {
        host: '127.0.0.1',
        port,
        servername: NAME,
        ca: authority.rootPem,
        agent: false,
        headers: { host: `${NAME}:${port}`, ...(headers as Record<string, string>) },
        ...otherOptions,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      },
    );
    clientRequest.on('error', reject).end(body);
  });

const signIn = async (requestOptions: Pick<RequestOptions, 'host'> = {}) => {
  const signInReply = await callFromOutside({
    ...requestOptions,
    path: '/users/access_token',
    headers: { username: OWNER.name, password: encodeURIComponent(OWNER.password) },
  });
  const { accessToken } = JSON.parse(signInReply.body.toString()) as { accessToken: string };
  return { signInReply, accessToken };
};

/** A proxy in front of the relay. It records all bytes and can delay and break connections. */
type ObservedLink = {
  receivedBytes(): Buffer;
  delayMs: number;
  /** Interval of the connections that are broken: 3 breaks every third one, 0 none. */
  cutEvery: number;
};
const openObservedLink = async (address: string, port: number): Promise<ObservedLink> => {
  const chunks: Buffer[] = [];
  const link: ObservedLink = { receivedBytes: () => Buffer.concat(chunks), delayMs: 0, cutEvery: 0 };
  let count = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    count += 1;
    const upstream = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    const isCut = link.cutEvery > 0 && count % link.cutEvery === 0;
    for (const [source, target] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      source.on('error', () => target.destroy());
      source.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        // A constant delay preserves the order.
        setTimeout(() => (isCut ? client.destroy() : target.write(chunk)), link.delayMs);
      });
      source.once('end', () => setTimeout(() => target.end(), link.delayMs));
      source.once('close', () => setTimeout(() => target.destroy(), link.delayMs));
    }
  });
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  servers.add(server);
  return link;
};

const waitForState = (state: string) =>
  expect.poll(() => pda.exposure(), { interval: 50 }).toMatchObject({ state, problem: null });

describe('a PDA that terminates TLS', () => {
  it('obtains its certificate through the tunnel and is reachable with it', async () => {
    await waitForState('reachable');
    const exposure = await pda.exposure();
    expect(exposure).toMatchObject({
      address: `https://${NAME}:${relay.port}`,
      certificate: { state: 'good', problem: null },
      probe: { reached: true },
      terms: authority.terms,
    });
    const { signInReply, accessToken } = await signIn();
    expect(signInReply.status).toBe(200);
    const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
    expect(claims.iss).toBe(`${NAME}:${relay.port}`);
  });

  it('serves only its own name, even if the Host header names a local host or another PDA', async () => {
    await waitForState('reachable');
    await expect(callFromOutside({ headers: { host: 'x' }, servername: `bob.${REMOTE_DOMAIN}` })).rejects.toThrow();
    const port = String(pda.port);
    for (const host of [
      '127.0.0.1',
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      `[::1]:${port}`,
      '',
      REMOTE_DOMAIN,
      `bob.${REMOTE_DOMAIN}`,
      NAME,
      `${NAME}.:${relay.port}`,
    ]) {
      const path = '/api/v2.6/owner/setup';
      const otherReply = await callFromOutside({
        method: 'POST',
        path,
        headers: { host, 'x-forwarded-for': '127.0.0.1' },
      });
      expect([host, otherReply.status]).toStrictEqual([host, 421]);
    }
    // A request target with a local host does not reach the API either.
    const absoluteReply = await callFromOutside({ path: `http://127.0.0.1:${port}/api/v2.6/owner` });
    expect(absoluteReply.body.toString()).not.toContain('"name"');
  });

  it('sends HSTS at its public address, but not locally, where there is no TLS', async () => {
    await waitForState('reachable');
    const publicReply = await callFromOutside({ path: '/healthz' });
    expect(publicReply.headers['strict-transport-security']).toBe('max-age=31536000');
    expect((await pda.call('GET', '/healthz')).headers['strict-transport-security']).toBeUndefined();
  });

  it('aborts a download in progress when it goes dark', async () => {
    await waitForState('reachable');
    const { accessToken } = await signIn();
    const records = Array.from({ length: 1000 }, () => ({ text: 'x'.repeat(9000) }));
    await pda.call('POST', '/api/v2.6/data/diary/days', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(records),
    });
    const downloadResult = new Promise<'cut'>((resolve, reject) => {
      const headers = { host: `${NAME}:${relay.port}`, 'x-auth-token': accessToken };
      const options = {
        host: '127.0.0.1',
        port: relay.port,
        servername: NAME,
        ca: authority.rootPem,
        agent: false,
        headers,
      };
      const clientRequest = request({ ...options, path: '/api/v2.6/data/diary/days?take=1000' }, (response) => {
        // The download has started and is not read further.
        response.once('readable', () => {
          response.once('error', () => resolve('cut'));
          response.once('end', () => reject(new Error('the download completed')));
          void pda.call('POST', '/api/v2.6/owner/go-dark').then(() => response.resume());
        });
      });
      clientRequest.on('error', () => undefined).end();
    });
    try {
      expect(await downloadResult).toBe('cut');
    } finally {
      await pda.call('POST', '/api/v2.6/owner/go-light');
    }
  });

  it.skipIf(!IS_THOROUGH_RUN)('goes dark and is reachable again afterwards', async () => {
    await waitForState('reachable');
    const darkReply = await pda.call('POST', '/api/v2.6/owner/go-dark');
    expect(darkReply.json).toMatchObject({ state: 'dark', probe: { reached: false } });
    await expect(callFromOutside({ path: '/healthz' })).rejects.toThrow();
    await pda.call('POST', '/api/v2.6/owner/go-light');
    await waitForState('reachable');
    expect((await callFromOutside({ path: '/healthz' })).status).toBe(200);
    expect(authority.countSteps('order')).toBe(1);
  });
});

describe('a relay that impersonates the PDA', () => {
  it('is detected, and the tunnel stays closed until the PDA responds again', async () => {
    await waitForState('reachable');
    // The PDA still reaches the relay's API, but its probes of the public name reach a server with a different key and
    // a self-signed certificate.
    const connections: Socket[] = [];
    const impostor = createTlsServer(await createSelfSigned(NAME), (socket) => {
      connections.push(socket);
      socket.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => impostor.listen(relay.port, '127.0.0.2', resolve));
    servers.add(impostor);
    hosts.pda = '127.0.0.2';
    const probeReply = await pda.call('POST', '/api/v2.6/owner/exposure/probe');
    expect(probeReply.json).toMatchObject({ state: 'impostor', visitors: 0, probe: { reached: false } });
    // The impostor received no request data.
    expect(connections.every(({ bytesRead }) => bytesRead === 0)).toBe(true);
    await expect
      .poll(async () =>
        callFromOutside({ path: '/healthz' }).then(
          () => 'reachable',
          () => 'unreachable',
        ),
      )
      .toBe('unreachable');
    hosts.pda = '127.0.0.1';
    // A probe waits only a few seconds for the tunnel, so it may have to be repeated.
    await expect
      .poll(async () => (await pda.call('POST', '/api/v2.6/owner/exposure/probe')).json)
      .toMatchObject({ state: 'reachable', probe: { reached: true } });
    expect((await callFromOutside({ path: '/healthz' })).status).toBe(200);
  });
});

describe('a connection that is observed or disturbed', () => {
  const LINK_ADDRESS = '127.0.0.3';
  let link: ObservedLink;
  beforeAll(async () => {
    link = await openObservedLink(LINK_ADDRESS, relay.port);
    Object.assign(hosts, { relay: LINK_ADDRESS, pda: LINK_ADDRESS });
    // Closes the open connections, which still use the previous path.
    await pda.call('POST', '/api/v2.6/owner/go-dark');
    await pda.call('POST', '/api/v2.6/owner/go-light');
  });

  it('reveals no content and no credentials of a PDA', async () => {
    await waitForState('reachable');
    const { accessToken } = await signIn({ host: LINK_ADDRESS });
    const canary = 'a canary that stays private';
    const headers = { 'x-auth-token': accessToken, 'content-type': 'application/json' };
    const path = '/api/v2.6/data/diary/nights';
    const storeReply = await callFromOutside({
      host: LINK_ADDRESS,
      method: 'POST',
      path,
      headers,
      body: JSON.stringify({ text: canary }),
    });
    expect(storeReply.status).toBe(201);
    const readReply = await callFromOutside({ host: LINK_ADDRESS, path, headers });
    expect(readReply.body.toString()).toContain(canary);
    const observedBytes = link.receivedBytes();
    // The server name is visible, which proves that the link observed the traffic.
    expect(observedBytes.includes(NAME)).toBe(true);
    expect(observedBytes.length).toBeGreaterThan(5000);
    for (const secret of [canary, 'diary', accessToken, encodeURIComponent(OWNER.password), 'x-auth-token'])
      expect(observedBytes.includes(secret), secret).toBe(false);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'keeps a PDA reachable in spite of delays and failures, and does not affect local access',
    async () => {
      await waitForState('reachable');
      const readHealth = () =>
        callFromOutside({ host: LINK_ADDRESS, path: '/healthz' }).then(
          ({ status }) => status,
          () => 0,
        );
      Object.assign(link, { delayMs: 150, cutEvery: 3 });
      const statuses: number[] = [];
      for (let round = 0; round < 6; round += 1) {
        statuses.push(await readHealth());
        expect((await pda.call('GET', '/healthz')).status).toBe(200);
      }
      // A third of all connections break, for clients as well as for the PDA.
      expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2);
      Object.assign(link, { delayMs: 0, cutEvery: 0 });
      await expect.poll(readHealth).toBe(200);
      await waitForState('reachable');
    },
  );
});
