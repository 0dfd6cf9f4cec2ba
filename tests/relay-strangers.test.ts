import { once } from 'node:events';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLine, PING } from '../server/platform/tunnel-protocol.ts';
import { lookAt } from '../server/relay/first-bytes.ts';
import {
  claim,
  holdTunnel,
  openConnection,
  REMOTE,
  removeFolders,
  sessionOf,
  startRelay,
  type Session,
  type TestRelay,
} from './support/relay.ts';

/** Strangers at the public port: whoever has no secret of a session is let into none, and whatever they send is bounded. */

const ALERT = '15030300020270';
const HELLOS = Number(process.env['PDA_HELLOS'] ?? 5000);

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ domain: REMOTE, limits: { openingMs: 3000, newNameBurst: 100 } });
});
afterAll(async () => {
  await relay.close();
  removeFolders();
});

const session = async (name: string): Promise<Session> => sessionOf(await claim(relay, name));

describe('a line to the tunnel port is closed, and takes nothing', () => {
  it('without a session, or with one that never was', async () => {
    const none = { session: 'A'.repeat(22), secret: Buffer.alloc(32) };
    await expect(openConnection(relay, none, 1).ready).rejects.toThrow('closed');
    for (const words of ['pda-tunnel 1', 'pda-tunnel 2 a 1 b', 'p', 'pda-tunnel 1  1 ', 'put / HTTP/1.1'])
      await expect(openConnection(relay, none, 1, { words }).ready).rejects.toThrow('closed');
  });

  it('with a wrong proof; and the number is free for who has the right one', async () => {
    const mine = await session('proofs');
    const wrong = { ...mine, secret: Buffer.alloc(32, 7) };
    await expect(openConnection(relay, wrong, 1).ready).rejects.toThrow('closed');
    const moved = openLine(mine.secret, { session: mine.session, counter: 2 }).replace(' 2 ', ' 1 ');
    await expect(openConnection(relay, mine, 1, { words: moved }).ready).rejects.toThrow('closed');
    await openConnection(relay, mine, 1).ready;
  });

  it('with a number that was used, also when its line is gone', async () => {
    const mine = await session('numbers');
    const first = openConnection(relay, mine, 5);
    await first.ready;
    await expect(openConnection(relay, mine, 5).ready).rejects.toThrow('closed');
    first.socket.destroy();
    await expect(openConnection(relay, mine, 5).ready).rejects.toThrow('closed');
    // In whatever order they come, and far behind the newest none is taken any more.
    await openConnection(relay, mine, 4).ready;
    await openConnection(relay, mine, 5000).ready;
    await openConnection(relay, mine, 4900).ready;
    await expect(openConnection(relay, mine, 6).ready).rejects.toThrow('closed');
  });

  it('with the secret of another one’s session', async () => {
    const [mine, theirs] = [await session('mine'), await session('theirs')];
    const mixed = { session: theirs.session, secret: mine.secret };
    await expect(openConnection(relay, mixed, 1).ready).rejects.toThrow('closed');
    await openConnection(relay, theirs, 1).ready;
  });

  it('of a session that was claimed anew', async () => {
    const before = await session('anew');
    const line = openConnection(relay, before, 1);
    await line.ready;
    const after = await session('anew');
    await line.closed;
    await expect(openConnection(relay, before, 2).ready).rejects.toThrow('closed');
    await openConnection(relay, after, 1).ready;
  });

  it('when it says what is not in the protocol, or never stops', async () => {
    const mine = await session('chatter');
    for (const [counter, words] of ['go\n', 'visit 127.0.0.1 1 x\n', 'q\n', '\n', 'p'.repeat(400)].entries()) {
      const line = openConnection(relay, mine, counter + 1);
      await line.ready;
      line.socket.write(words);
      await expect.poll(() => relay.relay.sessions.find('chatter')?.connections()).toBe(0);
    }
  });

  it('when there are as many of its name as may be', async () => {
    const small = await startRelay({ limits: { connectionsPerName: 3 } });
    try {
      const answer = await claim(small, 'many');
      expect(answer.json['max_conn_count']).toBe(3);
      const mine = sessionOf(answer);
      const lines = [1, 2, 3].map((counter) => openConnection(small, mine, counter));
      await Promise.all(lines.map((line) => line.ready));
      await expect(openConnection(small, mine, 4).ready).rejects.toThrow('closed');
      lines[0]?.socket.destroy();
      await expect.poll(() => small.relay.sessions.find('many')?.connections()).toBe(2);
      await openConnection(small, mine, 5).ready;
    } finally {
      await small.close();
    }
  });
});

/** Sends what it is given, piece by piece, and gives back all that came in hexadecimal. */
const say = async (pieces: Iterable<Buffer>, port = relay.port): Promise<string> => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part)).on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  for (const piece of pieces) {
    if (socket.destroyed) break;
    socket.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await closed;
  return Buffer.concat(parts).toString('hex');
};

/** The ClientHello that a client of Node sends for a name. */
const helloFor = (servername: string | undefined): Promise<Buffer> =>
  new Promise((resolve) => {
    const line = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer) => {
        resolve(chunk);
        setImmediate(() => client.destroy());
      },
    });
    const client = connectTls({ socket: line, ...(servername === undefined ? {} : { servername }) });
    client.on('error', () => undefined);
  });

const bytesOf = (bytes: Buffer): Buffer[] => [...bytes].map((byte) => Buffer.from([byte]));

/** One handshake message in records of so many bytes. */
const inRecords = (hello: Buffer, size: number): Buffer => {
  const message = hello.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += size) {
    const part = message.subarray(at, at + size);
    const header = Buffer.from([22, 3, 1, 0, 0]);
    header.writeUInt16BE(part.length, 3);
    records.push(header, part);
  }
  return Buffer.concat(records);
};

describe('a ClientHello', () => {
  let hello: Buffer;
  beforeAll(async () => {
    hello = await helloFor(`nobody.${REMOTE}`);
  });

  it('is understood whole, byte by byte and in small records, and never before it is whole', () => {
    const name = `nobody.${REMOTE}`;
    for (const bytes of [
      hello,
      inRecords(hello, 1),
      inRecords(hello, 50),
      Buffer.concat([hello, Buffer.from('more')]),
    ]) {
      expect(lookAt(bytes, 16_384)).toStrictEqual({ kind: 'tls', serverName: name, bytes });
    }
    // In records, of which each has twelve bytes here, every fifth end is each of those twelve in turn.
    for (const [whole, step] of [
      [hello, 1],
      [inRecords(hello, 7), 5],
    ] as const) {
      for (let length = 0; length < whole.length; length += step) {
        const found = lookAt(whole.subarray(0, length), 16_384);
        expect(found.kind).toBe('more');
        if (found.kind === 'more') expect(found.need > length && found.need <= whole.length).toBe(true);
      }
    }
  });

  it('for a name that is not there gets an alert, however it comes', async () => {
    expect(await say([hello])).toBe(ALERT);
    expect(await say(bytesOf(hello))).toBe(ALERT);
    expect(await say([inRecords(hello, 100)])).toBe(ALERT);
    expect(await say([await helloFor('elsewhere.example')])).toBe(ALERT);
    expect(await say([await helloFor(`a.b.${REMOTE}`)])).toBe(ALERT);
    expect(await say([await helloFor(undefined)])).toBe(ALERT);
  });

  it('that is spoilt, oversized or of two minds is thrown away', async () => {
    const at = hello.indexOf(`nobody.${REMOTE}`);
    const change = (offset: number, value: number): Buffer => {
      const copy = Buffer.from(hello);
      copy[offset] = value;
      return copy;
    };
    const oversized = Buffer.from(hello);
    oversized.writeUIntBE(60_000, 6, 3);
    const spoilt = {
      'no hello': change(5, 2),
      'a length of the name beyond its end': change(at - 1, 255),
      'a name with a space': change(at, 32),
      'a name with a zero': change(at, 0),
      'another kind of name': change(at - 3, 1),
      'a record of SSL 2': change(1, 2),
      'a hello of 60 kB': oversized,
      'an empty record': Buffer.from([22, 3, 1, 0, 0]),
      'a record that is too long': Buffer.from([22, 3, 1, 255, 255, 1]),
    };
    for (const [what, bytes] of Object.entries(spoilt)) {
      expect([what, lookAt(bytes, 16_384)]).toStrictEqual([what, { kind: 'nothing', why: 'garbage' }]);
      expect([what, await say([bytes])]).toStrictEqual([what, '']);
    }
  });

  it('is never read beyond its end, whatever is in it', () => {
    // Deterministic noise: what fails once fails again.
    let seed = 7;
    const next = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648);
    for (let round = 0; round < HELLOS; round += 1) {
      const bytes = Buffer.from(hello.subarray(0, 6 + (next() % (hello.length - 6))));
      for (let count = next() % 4; count >= 0; count -= 1) bytes[5 + (next() % (bytes.length - 5))] = next() % 256;
      expect(['tls', 'more', 'nothing']).toContain(lookAt(bytes, 16_384).kind);
    }
  });
});

describe('whoever says nothing, too little or nonsense', () => {
  it('is let go within the time for it', async () => {
    const hello = await helloFor(`nobody.${REMOTE}`);
    const said = await Promise.all([
      say([]),
      say([hello.subarray(0, 3)]),
      say([hello.subarray(0, 60)]),
      say([Buffer.from('GET / HTTP/1.1\r\nhost:')]),
      say([Buffer.from('pda-tunnel 1 ')]),
    ]);
    expect(said).toStrictEqual(['', '', '', '', '']);
    expect(relay.relay.opening()).toBe(0);
  });

  it('is let go at once where it can be seen', async () => {
    for (const bytes of [
      Buffer.from('\0\0\0\0'),
      Buffer.from('ssh-2.0 x\r\n'),
      Buffer.from(`GET / HTTP/1.1\r\nhost: ${REMOTE}\r\nhost: elsewhere\r\n\r\n`),
      Buffer.from(`GET / HTTP/1.1\r\nhost: a\r\n b\r\n\r\n`),
      Buffer.from(`GET / HTTP/9\r\nhost: a\r\n\r\n`),
      Buffer.from(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\n`),
      Buffer.from('p'.repeat(400)),
    ]) {
      expect(await say([bytes])).toBe('');
    }
  });

  it('is closed at once beyond the limit of silent connections per network, which does not affect other networks', async () => {
    // Silence alone closes none of them within this test.
    const small = await startRelay({ domain: REMOTE, limits: { openingPerNetwork: 5, openingMs: 600_000 } });
    try {
      const silent = Array.from({ length: 5 }, () => connect(small.port, '127.0.0.1').on('error', () => undefined));
      await expect.poll(() => small.relay.opening()).toBe(5);
      let refused = false;
      connect(small.port, '127.0.0.1')
        .on('error', () => undefined)
        .once('close', () => (refused = true))
        .resume();
      await expect.poll(() => refused).toBe(true);
      expect(silent.filter((socket) => socket.closed)).toStrictEqual([]);
      expect(small.relay.opening()).toBe(5);
      expect((await claim({ ...small, from: '127.0.0.9' }, 'alice')).status).toBe(200);
      for (const socket of silent) socket.destroy();
      await expect.poll(() => small.relay.opening()).toBe(0);
      expect((await claim(small, 'alice')).status).toBe(200);
    } finally {
      await small.close();
    }
  });
});

describe('a tunnel that is silent', () => {
  it('is alive while it says so, and is given up when it does not', async () => {
    const quick = await startRelay({ domain: REMOTE, limits: { silentMs: 3000, sweepMs: 50, emptyMs: 300 } });
    try {
      const tunnel = await holdTunnel(quick, 'alice', () => undefined, { idle: 2 });
      const [talking, silent] = [...tunnel.lines];
      const timer = setInterval(() => talking?.socket.write(`${PING}\n`), 100);
      await silent?.closed;
      expect(talking?.answers()).toBeGreaterThan(3);
      clearInterval(timer);
      await talking?.closed;
      await expect.poll(() => quick.relay.sessions.find('alice')).toBeUndefined();
    } finally {
      await quick.close();
    }
  });
});
