import { X509Certificate, type KeyObject } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseClientHello } from '../server/platform/tunnel/client-hello.ts';
import {
  createChallengeCertificate,
  generateEcKeyPair,
  pemOfKey,
} from '../server/pda/network/address/certificates/x509.ts';
import { closeFixtures, HOST, HOUR_MS, openTlsEndpoint, connectTls } from './support/authority-client.ts';
import { createSigner } from './support/authority-x509.ts';

afterEach(closeFixtures);

const signer = await createSigner('Test');
const { publicKey, privateKey } = await generateEcKeyPair();
const validity = { from: Date.now() - HOUR_MS, until: Date.now() + HOUR_MS };
const cert = await signer.sign({ names: [HOST], publicKey, ...validity });
const pageContext = createSecureContext({ cert, key: pemOfKey(privateKey) });
const challengePair = await createChallengeCertificate(HOST, Buffer.alloc(32, 7));
const challengeContext = createSecureContext(challengePair);
const spkiOf = (key: KeyObject): string => key.export({ type: 'spki', format: 'der' }).toString('base64');

/** Handshake time limit that even a slow machine does not reach. */
const LONG_HANDSHAKE_MS = 600_000;

const certificatesOf = (context: SecureContext | undefined, hasChallenge = false) => ({
  context: (name: string) => (name === HOST ? context : undefined),
  challengeContext: (name: string) => (hasChallenge && name === HOST ? challengeContext : undefined),
});

/** Sends bytes on a connection and returns everything received until it is closed. */
const sendBytes = (port: number, ...inputChunks: (Buffer | string)[]): Promise<Buffer> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => {
      for (const chunk of inputChunks) socket.write(chunk);
    });
    socket.on('data', (data: Buffer) => chunks.push(data));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(chunks)));
  });

/** Returns the ClientHello of a real client as one chunk. */
const helloOf = async (protocols: string[]): Promise<Buffer> => {
  let hello: Buffer = Buffer.alloc(0);
  const endpoint = await openTlsEndpoint({ certificates: certificatesOf(pageContext) });
  endpoint.server.removeAllListeners('connection');
  endpoint.server.on('connection', (socket) => {
    socket.once('data', (chunk: Buffer) => {
      hello = chunk;
      socket.destroy();
    });
  });
  await connectTls(endpoint.port, { protocols }).catch(() => undefined);
  return hello;
};

describe('TLS termination', () => {
  it.each([false, true])(
    'serves clients that request the name of the PDA over TLS 1.2 and 1.3 (challenge in progress: %s)',
    async (hasChallenge) => {
      const endpoint = await openTlsEndpoint({ certificates: certificatesOf(pageContext, hasChallenge) });
      const trust = signer.root;
      const expectedReport = { isAuthorized: true, greeting: 'hello from the PDA' };
      expect(await connectTls(endpoint.port, { trust })).toMatchObject({ ...expectedReport, protocol: 'TLSv1.3' });
      expect(await connectTls(endpoint.port, { trust, maxVersion: 'TLSv1.2' })).toMatchObject({
        ...expectedReport,
        protocol: 'TLSv1.2',
      });
      await expect(connectTls(endpoint.port, { maxVersion: 'TLSv1.1' })).rejects.toThrow(/./u);
    },
  );

  it.each([
    ['that request a different name', { servername: 'bob.pda.example' }],
    ['without a server name', { servername: '' }],
    ['that request a different protocol', { protocols: ['h2'] }],
    ['that request the challenge while there is none', { protocols: ['acme-tls/1'] }],
  ])('rejects clients %s', async (_, options) => {
    let connectionCount = 0;
    const endpoint = await openTlsEndpoint({
      certificates: certificatesOf(pageContext),
      onConnection: () => (connectionCount += 1),
    });
    await expect(connectTls(endpoint.port, options)).rejects.toThrow(/./u);
    expect(connectionCount).toBe(0);
  });

  it('refuses connections while there is no certificate', async () => {
    const endpoint = await openTlsEndpoint({ certificates: certificatesOf(undefined) });
    await expect(connectTls(endpoint.port)).rejects.toThrow(/./u);
    const response = await sendBytes(endpoint.port, 'GET / HTTP/1.1\r\nHost: alice.pda.example\r\n\r\n');
    expect(response.toString('latin1')).not.toContain('HTTP');
  });

  it.each([
    ['TLSv1.3', 'with', pageContext],
    ['TLSv1.2', 'with', pageContext],
    ['TLSv1.3', 'without', undefined],
    ['TLSv1.2', 'without', undefined],
  ] as const)(
    'presents the challenge over %s to an authority that asks for it, %s a certificate for pages',
    async (...args) => {
      const [maxVersion, , context] = args;
      const versions = maxVersion === 'TLSv1.2' ? { maxVersion } : {};
      const challengeOptions = { protocols: ['acme-tls/1'], ...versions };
      let connectionCount = 0;
      const endpoint = await openTlsEndpoint({
        certificates: certificatesOf(context, true),
        onConnection: () => (connectionCount += 1),
      });
      for (const protocols of [['acme-tls/1'], ['http/1.1', 'acme-tls/1']]) {
        const clientReport = await connectTls(endpoint.port, { ...challengeOptions, protocols });
        expect([clientReport.greeting, clientReport.isAuthorized, clientReport.protocol]).toStrictEqual([
          '',
          false,
          maxVersion,
        ]);
        expect(clientReport.spki).toBe(spkiOf(new X509Certificate(challengePair.cert).publicKey));
      }
      await expect(connectTls(endpoint.port, { ...challengeOptions, servername: 'bob.pda.example' })).rejects.toThrow(
        /./u,
      );
      await expect(connectTls(endpoint.port, { ...challengeOptions, servername: '' })).rejects.toThrow(/./u);
      expect(connectionCount).toBe(0);
    },
  );

  it.each([{}, { maxVersion: 'TLSv1.2' as const }])(
    'accepts no connection while it has only a challenge certificate: %o',
    async (versions) => {
      let connectionCount = 0;
      const endpoint = await openTlsEndpoint({
        certificates: certificatesOf(undefined, true),
        onConnection: () => (connectionCount += 1),
      });
      await expect(connectTls(endpoint.port, versions)).rejects.toThrow(/./u);
      const clientReport = await connectTls(endpoint.port, { protocols: [], ...versions });
      expect([clientReport.greeting, connectionCount]).toStrictEqual(['', 0]);
    },
  );

  it.each([{}, { maxVersion: 'TLSv1.2' as const }])('serves clients without ALPN: %o', async (versions) => {
    const endpoint = await openTlsEndpoint({ certificates: certificatesOf(pageContext, true) });
    const clientReport = await connectTls(endpoint.port, { trust: signer.root, protocols: [], ...versions });
    expect(clientReport).toMatchObject({ isAuthorized: true, greeting: 'hello from the PDA', spki: spkiOf(publicKey) });
  });

  it('passes on the underlying connection, even if bytes were already read from it', async () => {
    const connections: [TLSSocket, Socket][] = [];
    const endpoint = await openTlsEndpoint({
      certificates: certificatesOf(pageContext),
      onConnection: (socket, raw) => {
        connections.push([socket, raw]);
        socket.end('yes');
      },
    });
    const rawSockets: Socket[] = [];
    endpoint.server.removeAllListeners('connection');
    endpoint.server.on('connection', (socket) => {
      rawSockets.push(socket);
      socket.once('data', (chunk: Buffer) => {
        socket.pause();
        socket.unshift(chunk);
        endpoint.terminator.accept(socket, '127.0.0.1');
      });
    });
    expect((await connectTls(endpoint.port)).greeting).toBe('yes');
    expect(connections[0]?.[1]).toBe(rawSockets[0]);
    expect(connections[0]?.[0]).not.toBe(rawSockets[0]);
  });

  it('resumes a session until its key is discarded', async () => {
    const lastingKeys = await openTlsEndpoint({ certificates: certificatesOf(pageContext) });
    const expiringKeys = await openTlsEndpoint({ certificates: certificatesOf(pageContext), ticketKeysMs: 0 });
    const isResumed = async (port: number): Promise<boolean> => {
      let session: Buffer | undefined;
      await connectTls(port, { onSocket: (socket) => socket.on('session', (newSession) => (session = newSession)) });
      expect(session).toBeDefined();
      return (await connectTls(port, { session })).isResumed;
    };
    expect([await isResumed(lastingKeys.port), await isResumed(expiringKeys.port)]).toStrictEqual([true, false]);
  });

  it.each([false, true])(
    'aborts slow handshakes, and rejects those above the maximum number (challenge in progress: %s)',
    async (hasChallenge) => {
      // In this process, only the deadline of a handshake uses a timer.
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const endpoint = await openTlsEndpoint({
        certificates: certificatesOf(pageContext, hasChallenge),
        handshakeMs: LONG_HANDSHAKE_MS,
        maxHandshakes: 3,
      });
      const hello = await helloOf(['http/1.1']);
      const silentClients = [
        sendBytes(endpoint.port),
        sendBytes(endpoint.port, hello.subarray(0, 1)),
        sendBytes(endpoint.port, hello.subarray(0, 100)),
      ];
      await expect.poll(() => endpoint.terminator.handshakeCount(), { interval: 5 }).toBe(3);
      await expect(connectTls(endpoint.port)).rejects.toThrow(/./u);
      vi.advanceTimersByTime(LONG_HANDSHAKE_MS - 1);
      expect(endpoint.terminator.handshakeCount()).toBe(3);
      vi.advanceTimersByTime(1);
      await Promise.all(silentClients);
      await expect.poll(() => endpoint.terminator.handshakeCount(), { interval: 5 }).toBe(0);
      expect((await connectTls(endpoint.port)).greeting).toBe('hello from the PDA');
    },
  );

  it('evicts unfinished handshakes of a flooding client when another client connects', async () => {
    const endpoint = await openTlsEndpoint({
      certificates: certificatesOf(pageContext),
      handshakeMs: LONG_HANDSHAKE_MS,
      maxHandshakes: 3,
    });
    const hello = await helloOf(['http/1.1']);
    const silentClients = [1, 2, 3].map(() => connect(endpoint.port, '127.0.0.1').on('error', () => undefined));
    for (const socket of silentClients) socket.write(hello.subarray(0, 100));
    await expect.poll(() => endpoint.terminator.handshakeCount(), { interval: 5 }).toBe(3);
    expect((await connectTls(endpoint.port, { localAddress: '127.0.0.9' })).greeting).toBe('hello from the PDA');
    await expect(connectTls(endpoint.port)).resolves.toMatchObject({ greeting: 'hello from the PDA' });
    for (const socket of silentClients) socket.destroy();
    await expect.poll(() => endpoint.terminator.handshakeCount(), { interval: 5 }).toBe(0);
  });

  it('does not renegotiate', async () => {
    const endpoint = await openTlsEndpoint({
      certificates: certificatesOf(pageContext),
      onConnection: (socket) => void socket.on('error', () => undefined),
    });
    const wasRefused = await new Promise<boolean>((resolve) => {
      const onSocket = (socket: TLSSocket): void => {
        socket.once('secureConnect', () => socket.renegotiate({}, (error) => resolve(error !== null)));
        socket.on('error', () => resolve(true));
      };
      connectTls(endpoint.port, { maxVersion: 'TLSv1.2', onSocket }).catch(() => resolve(true));
    });
    expect(wasRefused).toBe(true);
  });
});

const parse = (bytes: Buffer) => parseClientHello(bytes, 20_000);

describe('a ClientHello', () => {
  it('is parsed once it is complete, even if it is split into records of a few bytes', async () => {
    const hello = await helloOf(['acme-tls/1']);
    const expected = { kind: 'hello', serverName: HOST };
    expect(parse(hello)).toStrictEqual(expected);
    for (let length = 0; length < hello.length; length += 1)
      expect(parse(hello.subarray(0, length))).toMatchObject({ kind: 'more' });
    // Splits the message into records of a few bytes each.
    const records: Buffer[] = [];
    for (let offset = 5; offset < hello.length; offset += 7) {
      const chunk = hello.subarray(offset, offset + 7);
      records.push(Buffer.from([22, 3, 1, 0, chunk.length]), chunk);
    }
    expect(parse(Buffer.concat(records))).toStrictEqual(expected);
    const endpoint = await openTlsEndpoint({ certificates: certificatesOf(pageContext, true) });
    const response = await sendBytes(endpoint.port, ...records, Buffer.from([21, 3, 3, 0, 2, 2, 40]));
    // The server responds with a handshake record.
    expect(response[0]).toBe(22);
  });

  it('is rejected if it is not TLS, and causes no exception if it is corrupt', async () => {
    const hello = await helloOf(['acme-tls/1', 'http/1.1']);
    expect(parse(Buffer.from('GET / HTTP/1.1\r\n'))).toStrictEqual({ kind: 'bad' });
    expect(parse(Buffer.alloc(30_000, 22))).toStrictEqual({ kind: 'bad' });
    for (let offset = 0; offset < hello.length; offset += 1) {
      const corruptedHello = Buffer.from(hello);
      corruptedHello[offset] = (corruptedHello[offset] ?? 0) ^ 0xff;
      expect(['hello', 'more', 'bad']).toContain(parse(corruptedHello).kind);
    }
  });
});
