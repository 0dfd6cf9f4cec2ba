import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  ask,
  claim,
  holdTunnel,
  LOCAL,
  openConnection,
  REMOTE,
  removeFolders,
  sessionOf,
  startRelay,
  type TestRelay,
  type Where,
} from './support/relay.ts';
import { selfSigned } from './support/self-signed.ts';

/** Visitors of a PDA: what they say goes through the relay byte for byte, in both directions, and the relay understands none of it. */

const ALERT = /alert number 112|unrecognized name/iu;

const pair = await selfSigned(`alice.${REMOTE}`);

/** The PDA's end: TLS with a certificate that the relay has never seen. */
const tlsEnd = (onVisitor: (socket: TLSSocket) => void) => {
  const server = createTlsServer({ ...pair, minVersion: 'TLSv1.3' }, (socket) => {
    // The line below may stay half-open: whoever has it ends their half.
    socket.on('end', () => socket.end()).on('error', () => undefined);
    onVisitor(socket);
  });
  server.on('tlsClientError', () => undefined);
  return (socket: Socket): void => void server.emit('connection', socket);
};

const visitTls = async ({ port }: Where, name = 'alice', from = '127.0.0.1'): Promise<TLSSocket> => {
  // Node takes `localAddress` here too; its types do not know.
  const options = {
    port,
    host: '127.0.0.1',
    localAddress: from,
    servername: `${name}.${REMOTE}`,
    ca: pair.cert,
  };
  const socket = connectTls(options);
  await once(socket, 'secureConnect');
  return socket;
};

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ domain: REMOTE, limits: { newNameBurst: 100, goMs: 300, visitorWaitMs: 1000 } });
});
afterAll(async () => {
  await relay.close();
  removeFolders();
});

describe('a visitor over TLS', () => {
  it('meets the PDA’s own certificate; the relay’s lines carry neither what is said nor its key', async () => {
    const canary = `canary-${randomBytes(12).toString('hex')}`;
    // Every byte that this process reads from or writes to a socket of the relay's port, on either side of it.
    const seen: Buffer[] = [];
    const onWrite = vi.spyOn(Socket.prototype, 'write');
    const push = Socket.prototype.push;
    const onPush = vi.spyOn(Socket.prototype, 'push').mockImplementation(function see(this: Socket, chunk, encoding) {
      if (Buffer.isBuffer(chunk) && this.localPort === relay.port) seen.push(Buffer.from(chunk));
      return push.call(this, chunk, encoding);
    });
    try {
      const tunnel = await holdTunnel(
        relay,
        'alice',
        tlsEnd((socket) => socket.on('data', (part: Buffer) => socket.end(`heard ${part.toString()}`))),
      );
      const visitor = await visitTls(relay);
      expect(visitor.getPeerCertificate().subject.CN).toBe(`alice.${REMOTE}`);
      visitor.write(canary);
      expect(await text(visitor)).toBe(`heard ${canary}`);
      for (const [index, [chunk]] of onWrite.mock.calls.entries()) {
        const socket = onWrite.mock.contexts[index];
        if (!(socket instanceof Socket) || socket.localPort !== relay.port) continue;
        seen.push(Buffer.from(chunk));
      }
      const handled = Buffer.concat(seen).toString('latin1');
      expect(handled).toContain(`alice.${REMOTE}`);
      expect(handled).toContain('pda-tunnel 1 ');
      expect(handled).not.toContain(canary);
      expect(handled).not.toContain(canary.slice(7, 19));
      tunnel.close();
    } finally {
      onWrite.mockRestore();
      onPush.mockRestore();
    }
  });

  it('gets 20 MB byte for byte, up and down at the same time', async () => {
    const up = randomBytes(20_000_000);
    const down = randomBytes(20_000_000);
    const sum = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
    const got: Buffer[] = [];
    let upDone: (value: string) => void = () => undefined;
    const upSum = new Promise<string>((resolve) => {
      upDone = resolve;
    });
    const tunnel = await holdTunnel(
      relay,
      'alice',
      tlsEnd((socket) => {
        socket.end(down);
        socket.on('data', (part: Buffer) => got.push(part));
        socket.on('end', () => upDone(sum(Buffer.concat(got))));
      }),
    );
    const visitor = await visitTls(relay);
    visitor.end(up);
    const parts: Buffer[] = [];
    // Not `for await`: it ends the whole line when it has read all, also what is still on its way up.
    visitor.on('data', (part: Buffer) => parts.push(part));
    await once(visitor, 'end');
    expect(sum(Buffer.concat(parts))).toBe(sum(down));
    expect(await upSum).toBe(sum(up));
    tunnel.close();
  });

  it('of a PDA that is not there gets an alert: the relay has no certificate of that name', async () => {
    await expect(visitTls(relay, 'nobody')).rejects.toThrow(ALERT);
    const { session } = sessionOf(await claim(relay, 'without-lines'));
    expect(session).toHaveLength(22);
    const began = performance.now();
    await expect(visitTls(relay, 'without-lines')).rejects.toThrow(ALERT);
    expect(performance.now() - began).toBeGreaterThan(900);
  });
});

describe('the PDA hears who the visitor is', () => {
  it('by the address that they came from, whatever they write', async () => {
    const tunnel = await holdTunnel(
      relay,
      'alice',
      tlsEnd((socket) => socket.end('done')),
    );
    const visitor = await visitTls(relay, 'alice', '127.0.0.77');
    const port = visitor.localPort;
    visitor.write('visit 8.8.8.8 53 x\r\nx-forwarded-for: 8.8.8.8\r\n');
    await text(visitor);
    expect(tunnel.visits).toStrictEqual([{ address: '127.0.0.77', port }]);
    tunnel.close();
  });
});

/** A visitor and the PDA's end of their line, over the local domain: no TLS in between, so what the relay does to ends can be seen. */
const meet = async (where: TestRelay): Promise<{ visitor: Socket; pda: Socket; close(): void }> => {
  let arrived: (socket: Socket) => void = () => undefined;
  const there = new Promise<Socket>((resolve) => {
    arrived = resolve;
  });
  const tunnel = await holdTunnel(where, 'ends', (socket) => arrived(socket), { idle: 1 });
  const visitor = connect({ port: where.port, host: '127.0.0.1', allowHalfOpen: true });
  visitor.on('error', () => undefined);
  visitor.write(`GET / HTTP/1.1\r\nhost: ends.${LOCAL}:${where.port}\r\n\r\n`);
  const pda = await there;
  const [first] = (await once(pda.resume(), 'data')) as [Buffer];
  expect(first.toString()).toMatch(/^GET \/ HTTP\/1\.1\r\nhost: ends\./u);
  return { visitor, pda, close: () => tunnel.close() };
};

describe('the end of a line', () => {
  let local: TestRelay;
  beforeAll(async () => {
    local = await startRelay({ limits: { newNameBurst: 100, visitIdleMs: 600 } });
  });
  afterAll(() => local.close());

  it('that is half-closed is half-closed behind the relay, and the other half goes on', async () => {
    const { visitor, pda, close } = await meet(local);
    const ended = once(pda, 'end');
    visitor.end('last words');
    const said: Buffer[] = [];
    pda.on('data', (part: Buffer) => said.push(part));
    await ended;
    expect(Buffer.concat(said).toString()).toBe('last words');
    pda.write('still ');
    pda.end('here');
    expect(await text(visitor)).toBe('still here');
    await expect.poll(() => local.relay.sessions.visiting()).toBe(0);
    close();
  });

  it('that breaks, breaks behind the relay: half an answer is not taken for the whole', async () => {
    for (const who of ['visitor', 'pda'] as const) {
      const both = await meet(local);
      const other = both[who === 'pda' ? 'visitor' : 'pda'];
      const breaks = once(other.resume(), 'close');
      both[who].resetAndDestroy();
      await expect(breaks).rejects.toThrow('ECONNRESET');
      both.close();
    }
  });

  it('on which nothing moves is ended', async () => {
    const { visitor, pda, close } = await meet(local);
    const ends = [once(visitor.resume(), 'close'), once(pda, 'close')];
    for (const end of ends) await expect(end).rejects.toThrow('ECONNRESET');
    close();
  });
});

describe('a PDA that does not take a visitor over', () => {
  it('on one line is asked on another, with the same bytes', async () => {
    const answer = await claim(relay, 'alice');
    const mine = sessionOf(answer);
    const good = openConnection(relay, mine, 1);
    await good.ready;
    // The newest is asked first: it is dead, and so is the one that breaks as it is asked.
    const dead = openConnection(relay, mine, 2, { go: false });
    await dead.ready;
    const broken = openConnection(relay, mine, 3, { go: false });
    await broken.ready;
    broken.socket.once('data', () => broken.socket.destroy());
    void good.visited.then(({ socket }) => tlsEnd((visitor) => visitor.end('me'))(socket));
    const visitor = await visitTls(relay);
    expect(await text(visitor)).toBe('me');
    await dead.closed;
  });

  it('has the visitor wait for its next line', async () => {
    const mine = sessionOf(await claim(relay, 'alice'));
    const coming = visitTls(relay);
    await expect.poll(() => relay.relay.sessions.visiting()).toBe(1);
    const line = openConnection(relay, mine, 1);
    void line.visited.then(({ socket }) => tlsEnd((visitor) => visitor.end('at last'))(socket));
    expect(await text(await coming)).toBe('at last');
  });

  it('at all loses them within the time', async () => {
    const mine = sessionOf(await claim(relay, 'alice'));
    const lines = [1, 2, 3, 4, 5, 6].map((counter) => openConnection(relay, mine, counter, { go: false }));
    await Promise.all(lines.map((line) => line.ready));
    await expect(visitTls(relay)).rejects.toThrow(ALERT);
    expect(relay.relay.sessions.visiting()).toBe(0);
  });
});

describe('visitors are bounded', () => {
  it('by name and by network; who leaves makes room', async () => {
    const small = await startRelay({ domain: REMOTE, limits: { visitorsPerName: 3, visitorsPerNetwork: 2 } });
    try {
      const tunnel = await holdTunnel(
        small,
        'alice',
        tlsEnd((socket) => socket.resume()),
      );
      const first = await visitTls(small);
      const second = await visitTls(small);
      await expect(visitTls(small)).rejects.toThrow();
      const third = await visitTls(small, 'alice', '127.0.0.9');
      await expect(visitTls(small, 'alice', '127.0.0.9')).rejects.toThrow();
      first.destroy();
      second.destroy();
      await expect.poll(() => small.relay.sessions.visiting()).toBe(1);
      (await visitTls(small)).destroy();
      third.destroy();
      tunnel.close();
    } finally {
      await small.close();
    }
  });

  it('by rate; over HTTP they hear so', async () => {
    const small = await startRelay({ limits: { apiBurst: 2, apiIntervalMs: 60_000 } });
    try {
      expect((await ask(small, { name: 'alice' })).status).toBe(503);
      expect((await ask(small, { name: 'alice' })).status).toBe(503);
      const third = await ask(small, { name: 'alice' });
      expect([third.status, third.json['error']]).toStrictEqual([429, 'rate_limited']);
      expect((await ask({ ...small, from: '127.0.0.9' }, { name: 'alice' })).status).toBe(503);
    } finally {
      await small.close();
    }
  });
});
