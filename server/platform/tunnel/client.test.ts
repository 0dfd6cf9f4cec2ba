import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { newTestKey } from '../../../tests/support/keys.ts';
import { holdTunnel, removeRelayFolders, startRelay } from '../../../tests/support/relay.ts';
import { callWithHost, startStandInRelay, type StandInRelay } from '../../../tests/support/tunnel.ts';
import { silentLog } from '../log.ts';
import { createLookup } from '../outbound/dns-lookup.ts';
import type { SigningKey } from '../auth/tokens.ts';
import { createRelayClient, type RelayClient, type RelayClientParts } from './client.ts';
import { systemTimers, type Timers } from './timers.ts';

/** Creates a clock and timers that skip delays while nothing else is in progress, so that hours take no time. */
const createSimulatedTimers = () => {
  const start = Date.now();
  let now = start;
  let pendingTimers: { dueAt: number; work: () => void }[] = [];
  const timers: Timers = {
    schedule(ms, work) {
      const entry = { dueAt: now + ms, work };
      pendingTimers.push(entry);
      return () => {
        pendingTimers = pendingTimers.filter((timer) => timer !== entry);
      };
    },
  };
  return {
    timers,
    clock: { now: () => now },
    elapsedMs: () => now - start,
    /** Advances the clock. @param isQuiet returns true if nothing else is in progress */
    async run(ms: number, isQuiet: () => boolean): Promise<void> {
      const end = now + ms;
      for (;;) {
        await expect.poll(isQuiet, { interval: 1 }).toBe(true);
        const nextTimer = pendingTimers.toSorted((first, second) => first.dueAt - second.dueAt)[0];
        if (nextTimer === undefined || nextTimer.dueAt > end) break;
        pendingTimers = pendingTimers.filter((timer) => timer !== nextTimer);
        now = Math.max(now, nextTimer.dueAt);
        nextTimer.work();
      }
      now = end;
    },
  };
};

const keyPair = newTestKey();
const keys: SigningKey[] = [{ kid: 'k', ...keyPair, retired: false }];

/** A port without a listener. Concurrent tests use only ports above 1023. */
const UNUSED_PORT = 1;

let openClient: RelayClient | undefined;
let relay: StandInRelay | undefined;
afterEach(async () => {
  await openClient?.close(100);
  await relay?.stop();
  relay = undefined;
});

const createClient = (port: number, overrides: Partial<RelayClientParts> = {}): RelayClient => {
  openClient = createRelayClient({
    relay: new URL(`http://localhost:${port}`),
    name: 'ada',
    address: `ada.relay.localhost:${port}`,
    keys: () => keys,
    lookup: createLookup(),
    trustedCertificates: undefined,
    onClient: (socket) => void socket.destroy(),
    onChange: () => undefined,
    timers: systemTimers,
    clock: { now: Date.now },
    log: silentLog(),
    random: Math.random,
    ...overrides,
  });
  return openClient;
};

describe('an unreachable relay', () => {
  it('is tried often for a minute and every few minutes afterwards', async () => {
    const simulation = createSimulatedTimers();
    const attemptTimes: number[] = [];
    const client = createClient(UNUSED_PORT, { timers: simulation.timers, clock: simulation.clock });
    const isQuiet = (): boolean => {
      const { attempts, nextAttempt } = client.view();
      while (attemptTimes.length < attempts) attemptTimes.push(simulation.elapsedMs());
      return nextAttempt !== null;
    };
    client.start();
    await simulation.run(60_000, isQuiet);
    const attemptsInFirstMinute = attemptTimes.length;
    expect(attemptsInFirstMinute).toBeGreaterThan(12);
    expect(attemptsInFirstMinute).toBeLessThan(35);
    const gaps = attemptTimes.slice(1).map((time, index) => time - (attemptTimes[index] ?? 0));
    // After a restart of the relay, clients must be back within ten seconds.
    expect(Math.max(...gaps)).toBeLessThanOrEqual(5000);
    await simulation.run(59 * 60_000, isQuiet);
    expect(attemptTimes.length - attemptsInFirstMinute).toBeGreaterThan(10);
    expect(attemptTimes.length - attemptsInFirstMinute).toBeLessThan(30);
    // After sleep or a network change, the client retries immediately.
    const attemptsBefore = attemptTimes.length;
    client.wake();
    await expect.poll(isQuiet).toBe(true);
    expect(attemptTimes.length).toBe(attemptsBefore + 1);
    expect(client.view()).toMatchObject({
      phase: 'connecting',
      problem: expect.stringContaining('could not be reached'),
    });
  });

  it('is tried by different clients at different times', async () => {
    const simulation = createSimulatedTimers();
    const waits = await Promise.all(
      [0, 0.5, 1].map(async (random) => {
        const client = createClient(UNUSED_PORT, {
          timers: simulation.timers,
          clock: simulation.clock,
          random: () => random,
        });
        client.start();
        await expect.poll(() => client.view().nextAttempt).not.toBe(null);
        return (client.view().nextAttempt ?? 0) - simulation.clock.now();
      }),
    );
    expect(waits).toStrictEqual([250, 375, 500]);
  });
});

describe('a malicious relay', () => {
  it.each([
    ['a client whose proof is invalid', (line: string) => line.replace(/.$/u, (last) => (last === 'A' ? 'B' : 'A'))],
    ['a client address that was not signed', (line: string) => line.replace('203.0.113.9', '127.0.0.1')],
    ['bytes before the client was accepted', (line: string) => `${line}\nGET / HTTP/1.1`],
    ['an endless line', (line: string) => line.padEnd(1000, 'x')],
  ])('cannot open a connection with %s', async (_what, forge) => {
    relay = await startStandInRelay();
    const clientAddresses: string[] = [];
    const { port } = relay;
    createClient(port, {
      onClient: (socket, { address }) => {
        clientAddresses.push(address);
        socket.destroy();
      },
    }).start();
    await expect.poll(() => relay?.waitingCount()).toBe(4);
    relay.forge = forge;
    await expect(callWithHost(port, `ada.relay.localhost:${port}`, 'GET', '/')).rejects.toThrow();
    expect(clientAddresses).toStrictEqual([]);
    // Without the forgery, the connection is accepted.
    relay.forge = undefined;
    await expect.poll(() => relay?.waitingCount()).toBeGreaterThan(0);
    await expect(callWithHost(port, `ada.relay.localhost:${port}`, 'GET', '/')).rejects.toThrow();
    expect(clientAddresses).toStrictEqual(['203.0.113.9']);
  });

  it('causes little work when it drops every connection immediately', async () => {
    relay = await startStandInRelay();
    const client = createClient(relay.port);
    client.start();
    await expect.poll(() => client.view().phase).toBe('up');
    const connectionsBefore = relay.connectionCount();
    const end = performance.now() + 1500;
    while (performance.now() < end) {
      relay.dropWaiting();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(relay.connectionCount() - connectionsBefore).toBeLessThan(40);
  });

  it('is retried only after a few minutes if it assigns the name to another PDA', async () => {
    relay = await startStandInRelay();
    relay.refusal = { status: 403, cause: 'taken' };
    const client = createClient(relay.port);
    client.start();
    await expect.poll(() => client.view().phase).toBe('refused');
    expect(client.view().problem).toMatch(/does not give this name.*taken/u);
    expect((client.view().nextAttempt ?? 0) - Date.now()).toBeGreaterThan(120_000);
  });

  it('has its message shortened and shown on a single line', async () => {
    relay = await startStandInRelay();
    relay.refusal = { status: 403, cause: `no\u202e\n\n\u0007${'x'.repeat(900)}` };
    const client = createClient(relay.port);
    client.start();
    await expect.poll(() => client.view().phase).toBe('refused');
    expect(client.view().problem).toMatch(/It says: no x{200,300}…$/u);
  });

  it('cannot redirect connections to a host other than the one that accepted the claim', async () => {
    relay = await startStandInRelay();
    const { port } = relay;
    let otherHostConnections = 0;
    const otherHost = createServer((socket) => {
      otherHostConnections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => otherHost.listen(port, '127.0.0.2', resolve));
    let lookups = 0;
    const client = createClient(port, {
      lookup: (_host, options, callback) => {
        lookups += 1;
        const address = lookups === 1 ? '127.0.0.1' : '127.0.0.2';
        if (options.all === true) callback(null, [{ address, family: 4 }]);
        else callback(null, address, 4);
      },
    });
    client.start();
    await expect.poll(() => relay?.waitingCount()).toBe(4);
    expect([client.view().phase, otherHostConnections, lookups]).toStrictEqual(['up', 0, 1]);
    otherHost.close();
  });

  it('is disconnected when it sends more pings than the client has sent', async () => {
    relay = await startStandInRelay();
    const client = createClient(relay.port);
    client.start();
    await expect.poll(() => relay?.waitingCount()).toBe(4);
    const connectionsBefore = relay.connectionCount();
    relay.sendInvalid('p\np\n');
    await expect.poll(() => relay?.connectionCount()).toBeGreaterThanOrEqual(connectionsBefore + 1);
  });
});

describe('a home that was copied to a second computer', () => {
  it('is reported to the PDA that lost the name, and the two do not compete for it', async () => {
    const otherRelay = await startRelay();
    try {
      const client = createClient(otherRelay.port, { address: `ada.localhost:${otherRelay.port}` });
      client.start();
      await expect.poll(() => otherRelay.relay.sessions.find('ada')?.connectionCount()).toBe(4);
      expect(client.view().phase).toBe('up');
      const copyTunnel = await holdTunnel(otherRelay, 'ada', (socket) => void socket.destroy(), { key: keyPair });
      await expect
        .poll(() => client.view())
        .toMatchObject({ phase: 'refused', problem: expect.stringContaining('second computer') });
      expect((client.view().nextAttempt ?? 0) - Date.now()).toBeGreaterThan(120_000);
      expect(copyTunnel.connections.size).toBe(4);
      // The owner checks the status, which reclaims the name for this client.
      client.wake();
      await expect.poll(() => client.view()).toMatchObject({ phase: 'up', problem: null });
      await expect.poll(() => copyTunnel.connections.size).toBe(0);
      copyTunnel.close();
    } finally {
      await openClient?.close(100);
      await otherRelay.close();
      removeRelayFolders();
    }
  });
});
