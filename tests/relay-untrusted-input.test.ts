import { once } from 'node:events';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { formatOpenLine, PING, PING_MS, SILENT_MS } from '../server/platform/tunnel/protocol.ts';
import { parseFirstBytes } from '../server/relay/ingress/protocol-detection.ts';
import {
  claimName,
  holdTunnel,
  LONG_LIMITS,
  openConnection,
  REMOTE_DOMAIN,
  removeRelayFolders,
  sessionOf,
  startRelay,
  type Session,
  type TestRelay,
} from './support/relay.ts';

// Tests untrusted input at the public port: forged tunnel connections, malformed ClientHellos and silent connections.

/** TLS record of the alert `unrecognized_name`, in hexadecimal. */
const ALERT = '15030300020270';
const MUTATION_COUNT = Number(process.env['PDA_HELLOS'] ?? 5000);

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ domain: REMOTE_DOMAIN, limits: { ...LONG_LIMITS, newNameBurst: 100 } });
});
afterAll(async () => {
  await relay.close();
  removeRelayFolders();
});

const startSession = async (name: string): Promise<Session> => sessionOf(await claimName(relay, name));

describe('tunnel connections are closed', () => {
  it('without a session or with an unknown one', async () => {
    const unknownSession = { session: 'A'.repeat(22), secret: Buffer.alloc(32) };
    await expect(openConnection(relay, unknownSession, 1).ready).rejects.toThrow('closed');
    for (const firstMessage of ['pda-tunnel 1', 'pda-tunnel 2 a 1 b', 'p', 'pda-tunnel 1  1 ', 'put / HTTP/1.1'])
      await expect(openConnection(relay, unknownSession, 1, { firstMessage }).ready).rejects.toThrow('closed');
  });

  it('with an invalid MAC, and the counter is not used up', async () => {
    const session = await startSession('proofs');
    const forgedSession = { ...session, secret: Buffer.alloc(32, 7) };
    await expect(openConnection(relay, forgedSession, 1).ready).rejects.toThrow('closed');
    const changedLine = formatOpenLine(session.secret, { session: session.session, counter: 2 }).replace(' 2 ', ' 1 ');
    await expect(openConnection(relay, session, 1, { firstMessage: changedLine }).ready).rejects.toThrow('closed');
    await openConnection(relay, session, 1).ready;
  });

  it('with a used counter or one below the replay window', async () => {
    const session = await startSession('numbers');
    const connection = openConnection(relay, session, 5);
    await connection.ready;
    await expect(openConnection(relay, session, 5).ready).rejects.toThrow('closed');
    connection.socket.destroy();
    await expect(openConnection(relay, session, 5).ready).rejects.toThrow('closed');
    await openConnection(relay, session, 4).ready;
    await openConnection(relay, session, 5000).ready;
    await openConnection(relay, session, 4900).ready;
    await expect(openConnection(relay, session, 6).ready).rejects.toThrow('closed');
  });

  it('with the secret of another session', async () => {
    const [session, otherSession] = [await startSession('mine'), await startSession('theirs')];
    const mixedSession = { session: otherSession.session, secret: session.secret };
    await expect(openConnection(relay, mixedSession, 1).ready).rejects.toThrow('closed');
    await openConnection(relay, otherSession, 1).ready;
  });

  it('when their session was replaced by another claim', async () => {
    const replacedSession = await startSession('renewed');
    const connection = openConnection(relay, replacedSession, 1);
    await connection.ready;
    const currentSession = await startSession('renewed');
    await connection.closed;
    await expect(openConnection(relay, replacedSession, 2).ready).rejects.toThrow('closed');
    await openConnection(relay, currentSession, 1).ready;
  });

  it('on an unknown message or an overlong line', async () => {
    const session = await startSession('chatter');
    for (const [counter, message] of ['go\n', 'visit 127.0.0.1 1 x\n', 'q\n', '\n', 'p'.repeat(400)].entries()) {
      const connection = openConnection(relay, session, counter + 1);
      await connection.ready;
      connection.socket.write(message);
      await expect.poll(() => relay.relay.sessions.find('chatter')?.connectionCount()).toBe(0);
    }
  });

  it('above the limit of connections per name', async () => {
    const smallRelay = await startRelay({ limits: { connectionsPerName: 3 } });
    try {
      const response = await claimName(smallRelay, 'many');
      expect(response.json['max_conn_count']).toBe(3);
      const session = sessionOf(response);
      const connections = [1, 2, 3].map((counter) => openConnection(smallRelay, session, counter));
      await Promise.all(connections.map(({ ready }) => ready));
      await expect(openConnection(smallRelay, session, 4).ready).rejects.toThrow('closed');
      connections[0]?.socket.destroy();
      await expect.poll(() => smallRelay.relay.sessions.find('many')?.connectionCount()).toBe(2);
      await openConnection(smallRelay, session, 5).ready;
    } finally {
      await smallRelay.close();
    }
  });
});

/** Sends chunks one by one. Resolves with the response in hexadecimal when the relay has closed the connection. */
const sendChunks = async (chunks: Iterable<Buffer>, port = relay.port): Promise<string> => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const receivedChunks: Buffer[] = [];
  socket.on('data', (chunk) => receivedChunks.push(chunk)).on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  for (const chunk of chunks) {
    if (socket.destroyed) break;
    socket.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await closed;
  return Buffer.concat(receivedChunks).toString('hex');
};

/** Captures the ClientHello that Node sends for a server name. */
const captureHello = (servername: string | undefined): Promise<Buffer> =>
  new Promise((resolve) => {
    const stream = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer) => {
        resolve(chunk);
        setImmediate(() => client.destroy());
      },
    });
    const client = connectTls({ socket: stream, ...(servername === undefined ? {} : { servername }) });
    client.on('error', () => undefined);
  });

const splitIntoBytes = (bytes: Buffer): Buffer[] => [...bytes].map((byte) => Buffer.from([byte]));

/** Splits a handshake message into TLS records of the given size. */
const splitIntoRecords = (hello: Buffer, size: number): Buffer => {
  const message = hello.subarray(5);
  const records: Buffer[] = [];
  for (let start = 0; start < message.length; start += size) {
    const fragment = message.subarray(start, start + size);
    const header = Buffer.from([22, 3, 1, 0, 0]);
    header.writeUInt16BE(fragment.length, 3);
    records.push(header, fragment);
  }
  return Buffer.concat(records);
};

describe('a ClientHello', () => {
  let hello: Buffer;
  beforeAll(async () => {
    hello = await captureHello(`unknown.${REMOTE_DOMAIN}`);
  });

  it('is parsed in one record and in small records, and only when it is complete', () => {
    const name = `unknown.${REMOTE_DOMAIN}`;
    for (const bytes of [
      hello,
      splitIntoRecords(hello, 1),
      splitIntoRecords(hello, 50),
      Buffer.concat([hello, Buffer.from('more')]),
    ]) {
      expect(parseFirstBytes(bytes, 16_384)).toStrictEqual({ kind: 'tls', serverName: name, bytes });
    }
    // A record is 12 bytes long here. A step of 5 truncates at every offset within a record.
    for (const [complete, step] of [
      [hello, 1],
      [splitIntoRecords(hello, 7), 5],
    ] as const) {
      for (let length = 0; length < complete.length; length += step) {
        const result = parseFirstBytes(complete.subarray(0, length), 16_384);
        expect(result.kind).toBe('more');
        if (result.kind === 'more') expect(result.need > length && result.need <= complete.length).toBe(true);
      }
    }
  });

  it('receives an alert for an unknown name, regardless of chunks and records', async () => {
    expect(await sendChunks([hello])).toBe(ALERT);
    expect(await sendChunks(splitIntoBytes(hello))).toBe(ALERT);
    expect(await sendChunks([splitIntoRecords(hello, 100)])).toBe(ALERT);
    expect(await sendChunks([await captureHello('elsewhere.example')])).toBe(ALERT);
    expect(await sendChunks([await captureHello(`a.b.${REMOTE_DOMAIN}`)])).toBe(ALERT);
    expect(await sendChunks([await captureHello(undefined)])).toBe(ALERT);
  });

  it('is discarded without a response when it is malformed or oversized', async () => {
    const nameOffset = hello.indexOf(`unknown.${REMOTE_DOMAIN}`);
    const withByte = (offset: number, value: number): Buffer => {
      const copy = Buffer.from(hello);
      copy[offset] = value;
      return copy;
    };
    const oversizedHello = Buffer.from(hello);
    oversizedHello.writeUIntBE(60_000, 6, 3);
    const malformedHellos = {
      'another handshake type': withByte(5, 2),
      'a name length beyond the end': withByte(nameOffset - 1, 255),
      'a name with a space': withByte(nameOffset, 32),
      'a name with a zero byte': withByte(nameOffset, 0),
      'another name type': withByte(nameOffset - 3, 1),
      'a record of SSL 2': withByte(1, 2),
      'a ClientHello of 60 kB': oversizedHello,
      'an empty record': Buffer.from([22, 3, 1, 0, 0]),
      'a record that is too long': Buffer.from([22, 3, 1, 255, 255, 1]),
    };
    for (const [label, bytes] of Object.entries(malformedHellos)) {
      expect([label, parseFirstBytes(bytes, 16_384)]).toStrictEqual([label, { kind: 'none', reason: 'invalid' }]);
      expect([label, await sendChunks([bytes])]).toStrictEqual([label, '']);
    }
  });

  it(`is parsed without an exception in ${MUTATION_COUNT} random mutations`, () => {
    // A seeded generator makes failures reproducible.
    let seed = 7;
    const nextRandom = (): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648);
    for (let round = 0; round < MUTATION_COUNT; round += 1) {
      const bytes = Buffer.from(hello.subarray(0, 6 + (nextRandom() % (hello.length - 6))));
      for (let count = nextRandom() % 4; count >= 0; count -= 1)
        bytes[5 + (nextRandom() % (bytes.length - 5))] = nextRandom() % 256;
      expect(['tls', 'more', 'none']).toContain(parseFirstBytes(bytes, 16_384).kind);
    }
  });
});

describe('connections without a valid request', () => {
  it('are closed after the opening timeout', async () => {
    const hello = await captureHello(`unknown.${REMOTE_DOMAIN}`);
    const quickRelay = await startRelay({ domain: REMOTE_DOMAIN, limits: { openingTimeoutMs: 500 } });
    try {
      const responses = await Promise.all([
        sendChunks([], quickRelay.port),
        sendChunks([hello.subarray(0, 3)], quickRelay.port),
        sendChunks([hello.subarray(0, 60)], quickRelay.port),
        sendChunks([Buffer.from('GET / HTTP/1.1\r\nhost:')], quickRelay.port),
        sendChunks([Buffer.from('pda-tunnel 1 ')], quickRelay.port),
      ]);
      expect(responses).toStrictEqual(['', '', '', '', '']);
      await expect.poll(() => quickRelay.relay.openingConnectionCount()).toBe(0);
    } finally {
      await quickRelay.close();
    }
  });

  it('are closed immediately when the first bytes are invalid', async () => {
    for (const bytes of [
      Buffer.from('\0\0\0\0'),
      Buffer.from('ssh-2.0 x\r\n'),
      Buffer.from(`GET / HTTP/1.1\r\nhost: ${REMOTE_DOMAIN}\r\nhost: elsewhere\r\n\r\n`),
      Buffer.from(`GET / HTTP/1.1\r\nhost: a\r\n b\r\n\r\n`),
      Buffer.from(`GET / HTTP/9\r\nhost: a\r\n\r\n`),
      Buffer.from(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\n`),
      Buffer.from('p'.repeat(400)),
    ]) {
      expect(await sendChunks([bytes])).toBe('');
    }
  });

  it('are closed immediately above the limit of silent connections per network, without effect on other networks', async () => {
    // The timeout does not close the connections within this test.
    const smallRelay = await startRelay({
      domain: REMOTE_DOMAIN,
      limits: { ...LONG_LIMITS, openingPerNetwork: 5 },
    });
    try {
      const silentSockets = Array.from({ length: 5 }, () =>
        connect(smallRelay.port, '127.0.0.1').on('error', () => undefined),
      );
      await expect.poll(() => smallRelay.relay.openingConnectionCount()).toBe(5);
      let wasRefused = false;
      connect(smallRelay.port, '127.0.0.1')
        .on('error', () => undefined)
        .once('close', () => (wasRefused = true))
        .resume();
      await expect.poll(() => wasRefused).toBe(true);
      expect(silentSockets.filter((socket) => socket.closed)).toStrictEqual([]);
      expect(smallRelay.relay.openingConnectionCount()).toBe(5);
      expect((await claimName({ ...smallRelay, localAddress: '127.0.0.9' }, 'alice')).status).toBe(200);
      for (const socket of silentSockets) socket.destroy();
      await expect.poll(() => smallRelay.relay.openingConnectionCount()).toBe(0);
      expect((await claimName(smallRelay, 'alice')).status).toBe(200);
    } finally {
      await smallRelay.close();
    }
  });
});

describe('idle tunnel connections', () => {
  it('stay open while they send pings and are closed when they are silent', async () => {
    // Time passes only between a response and the next ping, so that a slow machine does not look silent.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
    const idleRelay = await startRelay({ domain: REMOTE_DOMAIN });
    try {
      const tunnel = await holdTunnel(idleRelay, 'alice', () => undefined, { idleConnections: 2 });
      const [activeConnection, silentConnection] = [...tunnel.connections];
      if (activeConnection === undefined || silentConnection === undefined) throw new Error('no connection');
      let isSilentConnectionClosed = false;
      void silentConnection.closed.then(() => (isSilentConnectionClosed = true));
      for (let count = 1; !isSilentConnectionClosed; count += 1) {
        activeConnection.socket.write(`${PING}\n`);
        await expect.poll(activeConnection.pongs).toBe(count);
        await vi.advanceTimersByTimeAsync(PING_MS);
      }
      expect(activeConnection.pongs()).toBeGreaterThan(1);
      expect(activeConnection.socket.destroyed).toBe(false);
      await vi.advanceTimersByTimeAsync(2 * SILENT_MS);
      await activeConnection.closed;
      await expect
        .poll(async () => {
          await vi.advanceTimersByTimeAsync(5000);
          return idleRelay.relay.sessions.find('alice');
        })
        .toBeUndefined();
    } finally {
      vi.useRealTimers();
      await idleRelay.close();
    }
  });
});
