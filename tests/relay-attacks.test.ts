import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../server/platform/clock.ts';
import { silentLog } from '../server/platform/log.ts';
import { createAddresses } from '../server/relay/addresses.ts';
import { createClaims } from '../server/relay/claims.ts';
import { createGate } from '../server/platform/network-gate.ts';
import { RELAY_LIMITS } from '../server/relay/limits.ts';
import type { HeldName } from '../server/relay/names.ts';
import {
  ask,
  claim,
  holdTunnel,
  keyHeader,
  LOCAL,
  newKey,
  openConnection,
  proofFor,
  REMOTE,
  removeFolders,
  sessionOf,
  sharedKey,
  startRelay,
  type TestRelay,
} from './support/relay.ts';

/** What strangers do to a relay who know its rules: to have names, lines and visits that are others'. */

let relay: TestRelay;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await relay?.close();
});
afterAll(removeFolders);

const dial = async (port: number, from: string, words = ''): Promise<Socket> => {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  if (words !== '') socket.write(words);
  return socket;
};
const ended = (socket: Socket): Promise<unknown> => {
  socket.resume();
  return socket.destroyed ? Promise.resolve() : once(socket, 'close');
};

describe('a name', () => {
  it('that programs look up by themselves, or that is shown in other letters, is given to nobody', async () => {
    relay = await startRelay({ domain: REMOTE, limits: { newNameBurst: 100 } });
    for (const name of ['wpad', 'mta-sts', 'autoconfig', 'openpgpkey', 'www', 'xn--80ak6aa92e', 'ab--c']) {
      const answer = await claim(relay, name);
      expect([name, answer.status, answer.json['error']]).toStrictEqual([name, 400, 'invalid_input']);
    }
    expect((await claim(relay, 'a--b')).status).toBe(200);
  });

  it('that is free stays free for who comes first, however often somebody without a right to more wants it', async () => {
    relay = await startRelay({ limits: { newNameBurst: 1, claimPerNameBurst: 2 } });
    const mallory = newKey();
    expect((await claim(relay, 'mallory', { key: mallory })).status).toBe(200);
    const used = relay.relay.usedClaims.size();
    for (let tries = 0; tries < 4; tries += 1) expect((await claim(relay, 'carol', { key: mallory })).status).toBe(429);
    // Nor do proofs that give nothing fill what remembers them.
    expect(relay.relay.usedClaims.size()).toBe(used);
    expect((await claim({ ...relay, from: '127.0.0.9' }, 'carol')).status).toBe(200);
  });

  it('that the operator takes back while its holder claims it, is given to nobody by that', async () => {
    relay = await startRelay();
    const addresses = createAddresses({ domain: LOCAL });
    addresses.setPort(relay.port);
    const key = sharedKey();
    let held: HeldName | undefined;
    const claims = createClaims({
      addresses,
      names: {
        find: () => Promise.resolve(held),
        take: (name: string, fingerprint: string) => {
          held = { name, key: fingerprint, since: '2026-01-01T00:00:00.000Z' };
          return Promise.resolve(held);
        },
      },
      usedClaims: {
        async take() {
          if (held !== undefined) held = undefined;
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
    await expect(attempt()).rejects.toThrow('belongs to another PDA');
  });
});

describe('somebody with a whole network of IPv6', () => {
  const from = (index: number): string => `2001:db8:7:${index.toString(16)}::1`;

  it('has four times what anybody has, not as often as there are networks in it', () => {
    const clock = { now: () => 0 };
    const gate = createGate({ atOnce: 3, rate: { burst: 5, intervalMs: 1000, clock } });
    const inside = Array.from({ length: 40 }, (_, index) => gate.enter(from(index))).filter(
      (leave) => leave !== undefined,
    );
    expect(inside).toHaveLength(12);
    expect(gate.enter('2001:db8:8::1')).toBeDefined();
    for (const leave of inside) leave();
    const again = Array.from({ length: 40 }, (_, index) => gate.enter(from(index + 40))).filter(
      (leave) => leave !== undefined,
    );
    // Twenty in all, twelve of which have been in.
    expect(again).toHaveLength(8);
  });
});

describe('a stranger who wants all there is', () => {
  it('of the visits of a PDA is let go for whoever comes from elsewhere', async () => {
    relay = await startRelay({ limits: { visitorsPerName: 3 } });
    const greeted: Socket[] = [];
    const tunnel = await holdTunnel(relay, 'ada', (socket) => {
      socket.on('error', () => undefined);
      greeted.push(socket);
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
      socket.resume();
    });
    const words = `GET / HTTP/1.1\r\nhost: ada.localhost:${relay.port}\r\n\r\n`;
    const mine: Socket[] = [];
    for (let index = 0; index < 3; index += 1) {
      const socket = await dial(relay.port, '127.0.0.7', words);
      await once(socket, 'data');
      mine.push(socket);
    }
    // One more of theirs finds no room, and whoever else comes does: the one that came first goes.
    const more = await dial(relay.port, '127.0.0.7', words);
    expect(String((await once(more, 'data'))[0])).toContain('503');
    expect((await ask({ ...relay, from: '127.0.0.8' }, { name: 'ada' })).text).toBe('ok');
    const [first, second] = mine;
    if (first === undefined || second === undefined) throw new Error('nobody was in');
    await ended(first);
    expect(second.destroyed).toBe(false);
    tunnel.close();
  });

  it('of the lines that say nothing yet is let go for whoever comes from elsewhere', async () => {
    relay = await startRelay({ domain: REMOTE, limits: { opening: 4, openingMs: 30_000 } });
    const mute = await Promise.all([1, 2, 3, 4].map(() => dial(relay.port, '127.0.0.7')));
    await expect.poll(() => relay.relay.opening()).toBe(4);
    expect((await claim({ ...relay, from: '127.0.0.8' }, 'ada')).status).toBe(200);
    // The one that came first made room.
    const [first] = mute;
    if (first === undefined) throw new Error('nobody was in');
    await ended(first);
  });

  it('of the lines of the relay has no more than a network may', async () => {
    relay = await startRelay({ domain: REMOTE, limits: { linesPerNetwork: 5 } });
    const tunnel = await holdTunnel(relay, 'ada', () => undefined, { idle: 4 });
    await dial(relay.port, '127.0.0.1');
    await ended(await dial(relay.port, '127.0.0.1'));
    expect(tunnel.lines.size).toBe(4);
    expect((await claim({ ...relay, from: '127.0.0.8' }, 'bob')).status).toBe(200);
  });
});

describe('a claim', () => {
  it('whose answer nobody waits for any more takes no session from who waits', async () => {
    let write: () => void = () => undefined;
    relay = await startRelay();
    const { sessions } = relay.relay;
    const current = sessionOf(await claim(relay, 'ada'));
    const line = openConnection(relay, current, 1);
    await line.ready;
    // It is heard as a whole, and its line breaks before it is answered.
    const token = await proofFor(relay, 'ada');
    const socket = await dial(relay.port, '127.0.0.1');
    socket.write(
      `GET /ada HTTP/1.1\r\nhost: localhost:${relay.port}\r\nauthorization: Bearer ${token}\r\nx-pda-key: ${keyHeader(sharedKey())}\r\n\r\n`,
      () => write(),
    );
    await new Promise<void>((resolve) => {
      write = resolve;
    });
    socket.resetAndDestroy();
    await expect.poll(() => relay.relay.usedClaims.size()).toBe(2);
    expect((await ask(relay, { path: '/healthz' })).status).toBe(200);
    expect(sessions.find('ada')?.id).toBe(current.session);
    expect(line.socket.destroyed).toBe(false);
  });
});
