import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../server/platform/clock.ts';
import { silentLog } from '../server/platform/log.ts';
import { createRelayAddresses } from '../server/relay/addresses.ts';
import { createClaimVerifier } from '../server/relay/names/claims.ts';
import { createNetworkConcurrencyLimit } from '../server/platform/limits/network-rate-limit.ts';
import { RELAY_LIMITS } from '../server/relay/limits.ts';
import type { RegisteredName } from '../server/relay/names/registry.ts';
import { newTestKey, sharedKey } from './support/keys.ts';
import {
  requestRelay,
  claimName,
  holdTunnel,
  keyHeader,
  LOCAL_DOMAIN,
  LONG_LIMITS,
  openConnection,
  proofFor,
  REMOTE_DOMAIN,
  removeRelayFolders,
  sessionOf,
  startRelay,
  type TestRelay,
} from './support/relay.ts';

// Tests attacks by clients that know the protocol of the relay, on names, connections and capacity of other PDAs.

let relay: TestRelay;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await relay?.close();
});
afterAll(removeRelayFolders);

const dial = async (port: number, address: string, bytes = ''): Promise<Socket> => {
  const socket = connect({ port, host: '127.0.0.1', localAddress: address });
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  if (bytes !== '') socket.write(bytes);
  return socket;
};
const waitForClose = (socket: Socket): Promise<unknown> => {
  socket.resume();
  return socket.destroyed ? Promise.resolve() : once(socket, 'close');
};

describe('the relay', () => {
  it('refuses reserved names and punycode', async () => {
    relay = await startRelay({ domain: REMOTE_DOMAIN, limits: { newNameBurst: 100 } });
    for (const name of ['wpad', 'mta-sts', 'autoconfig', 'openpgpkey', 'www', 'xn--80ak6aa92e', 'ab--c']) {
      const response = await claimName(relay, name);
      expect([name, response.status, response.json['error']]).toStrictEqual([name, 400, 'invalid_input']);
    }
    expect((await claimName(relay, 'a--b')).status).toBe(200);
  });

  it('keeps a free name claimable after rate-limited claims from another network, and does not remember those claims', async () => {
    relay = await startRelay({ limits: { newNameBurst: 1, claimPerNameBurst: 2 } });
    const mallory = newTestKey();
    expect((await claimName(relay, 'mallory', { key: mallory })).status).toBe(200);
    const rememberedClaims = relay.relay.replayGuard.size();
    for (let attempt = 0; attempt < 4; attempt += 1)
      expect((await claimName(relay, 'carol', { key: mallory })).status).toBe(429);
    expect(relay.relay.replayGuard.size()).toBe(rememberedClaims);
    expect((await claimName({ ...relay, localAddress: '127.0.0.9' }, 'carol')).status).toBe(200);
  });

  it('refuses a claim if the operator releases the name before the claim completes', async () => {
    relay = await startRelay();
    const addresses = createRelayAddresses({ domain: LOCAL_DOMAIN });
    addresses.setPort(relay.port);
    const key = sharedKey();
    let entry: RegisteredName | undefined;
    const claims = createClaimVerifier({
      addresses,
      names: {
        find: () => Promise.resolve(entry),
        register: (name: string, fingerprint: string) => {
          entry = { name, key: fingerprint, since: '2026-01-01T00:00:00.000Z' };
          return Promise.resolve(entry);
        },
      },
      replayGuard: {
        async use() {
          // The operator releases the name while the token is written to disk.
          entry = undefined;
          return true;
        },
      },
      limits: RELAY_LIMITS,
      clock: systemClock,
      log: silentLog(),
    });
    const attempt = async (): Promise<void> =>
      claims.claim({ name: 'ada', token: await proofFor(relay, 'ada'), key: keyHeader(key), address: '127.0.0.1' });
    await attempt();
    await expect(attempt()).rejects.toThrow('not registered with this key');
  });
});

describe('the concurrency limit per network', () => {
  const addressOf = (index: number): string => `2001:db8:7:${index.toString(16)}::1`;

  it('grants an IPv6 /48 four times the limits of a single network', () => {
    const clock = { now: () => 0 };
    const limit = createNetworkConcurrencyLimit({ maxConcurrent: 3, rate: { burst: 5, intervalMs: 1000, clock } });
    const releases = Array.from({ length: 40 }, (_, index) => limit.admit(addressOf(index))).filter(
      (release) => release !== undefined,
    );
    expect(releases).toHaveLength(12);
    expect(limit.admit('2001:db8:8::1')).toBeDefined();
    for (const release of releases) release();
    const laterReleases = Array.from({ length: 40 }, (_, index) => limit.admit(addressOf(index + 40))).filter(
      (release) => release !== undefined,
    );
    // The rate limit of a /48 allows 4 × 5 = 20 admissions, of which 12 are used.
    expect(laterReleases).toHaveLength(8);
  });
});

describe('a network that exhausts a limit', () => {
  it('loses its oldest client of a PDA to a client from another network', async () => {
    relay = await startRelay({ limits: { ...LONG_LIMITS, clientsPerName: 3 } });
    const tunnel = await holdTunnel(relay, 'ada', (socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
      socket.resume();
    });
    const request = `GET / HTTP/1.1\r\nhost: ada.localhost:${relay.port}\r\n\r\n`;
    const attackers: Socket[] = [];
    for (let index = 0; index < 3; index += 1) {
      const socket = await dial(relay.port, '127.0.0.7', request);
      await once(socket, 'data');
      attackers.push(socket);
    }
    const rejectedSocket = await dial(relay.port, '127.0.0.7', request);
    expect(String((await once(rejectedSocket, 'data'))[0])).toContain('503');
    expect((await requestRelay({ ...relay, localAddress: '127.0.0.8' }, { name: 'ada' })).text).toBe('ok');
    const [oldest, second] = attackers;
    if (oldest === undefined || second === undefined) throw new Error('no connection');
    await waitForClose(oldest);
    expect(second.destroyed).toBe(false);
    tunnel.close();
  });

  it('loses its oldest silent connection to a connection from another network', async () => {
    relay = await startRelay({ domain: REMOTE_DOMAIN, limits: { ...LONG_LIMITS, openingConnections: 4 } });
    const silentSockets = await Promise.all([1, 2, 3, 4].map(() => dial(relay.port, '127.0.0.7')));
    await expect.poll(() => relay.relay.openingConnectionCount()).toBe(4);
    expect((await claimName({ ...relay, localAddress: '127.0.0.8' }, 'ada')).status).toBe(200);
    const [oldest] = silentSockets;
    if (oldest === undefined) throw new Error('no connection');
    await waitForClose(oldest);
  });

  it('is refused further connections while other networks are served', async () => {
    relay = await startRelay({ domain: REMOTE_DOMAIN, limits: { connectionsPerNetwork: 5 } });
    const tunnel = await holdTunnel(relay, 'ada', () => undefined, { idleConnections: 4 });
    await dial(relay.port, '127.0.0.1');
    await waitForClose(await dial(relay.port, '127.0.0.1'));
    expect(tunnel.connections.size).toBe(4);
    expect((await claimName({ ...relay, localAddress: '127.0.0.8' }, 'bob')).status).toBe(200);
  });
});

describe('a claim', () => {
  it('does not replace the session when the client disconnects before the response', async () => {
    relay = await startRelay();
    const { sessions } = relay.relay;
    const currentSession = sessionOf(await claimName(relay, 'ada'));
    const connection = openConnection(relay, currentSession, 1);
    await connection.ready;
    const token = await proofFor(relay, 'ada');
    const socket = await dial(relay.port, '127.0.0.1');
    await new Promise<void>((resolve) => {
      socket.write(
        `GET /ada HTTP/1.1\r\nhost: localhost:${relay.port}\r\nauthorization: Bearer ${token}\r\nx-pda-key: ${keyHeader(sharedKey())}\r\n\r\n`,
        () => resolve(),
      );
    });
    socket.resetAndDestroy();
    await expect.poll(() => relay.relay.replayGuard.size()).toBe(2);
    expect((await requestRelay(relay, { path: '/healthz' })).status).toBe(200);
    expect(sessions.find('ada')?.id).toBe(currentSession.session);
    expect(connection.socket.destroyed).toBe(false);
  });
});
