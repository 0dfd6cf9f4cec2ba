import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  requestRelay,
  claimName,
  holdTunnel,
  LOCAL_DOMAIN,
  LONG_LIMITS,
  openConnection,
  REMOTE_DOMAIN,
  removeRelayFolders,
  sessionOf,
  startRelay,
  type TestRelay,
  type RelayTarget,
} from './support/relay.ts';
import { createSelfSigned } from './support/self-signed.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Tests that the relay forwards client connections to a PDA byte for byte in both directions, without decryption.

const ALERT = /alert number 112|unrecognized name/iu;

const credentials = await createSelfSigned(`alice.${REMOTE_DOMAIN}`);

/**
 * Creates the TLS server of the PDA. The relay does not have its private key.
 * @returns a function that hands a forwarded connection to the server
 */
const createTlsEndpoint = (onClient: (socket: TLSSocket) => void) => {
  const server = createTlsServer({ ...credentials, minVersion: 'TLSv1.3' }, (socket) => {
    // The underlying connection stays half-open, so it is ended explicitly.
    socket.on('end', () => socket.end()).on('error', () => undefined);
    onClient(socket);
  });
  server.on('tlsClientError', () => undefined);
  return (socket: Socket): void => void server.emit('connection', socket);
};

const dialTls = async ({ port }: RelayTarget, name = 'alice', address = '127.0.0.1'): Promise<TLSSocket> => {
  // Node supports `localAddress` for TLS connections, although its types do not declare this option.
  const options = {
    port,
    host: '127.0.0.1',
    localAddress: address,
    servername: `${name}.${REMOTE_DOMAIN}`,
    ca: credentials.cert,
  };
  const socket = connectTls(options);
  await once(socket, 'secureConnect');
  return socket;
};

let relay: TestRelay;
beforeAll(async () => {
  relay = await startRelay({ domain: REMOTE_DOMAIN, limits: { ...LONG_LIMITS, newNameBurst: 100 } });
});
afterAll(async () => {
  await relay.close();
  removeRelayFolders();
});

describe('a TLS client', () => {
  it('receives the certificate of the PDA; the relay’s sockets carry no plain text', async () => {
    const canary = `canary-${randomBytes(12).toString('hex')}`;
    // Contains every byte that the relay reads from or writes to a socket of its port.
    const capturedChunks: Buffer[] = [];
    const onWrite = vi.spyOn(Socket.prototype, 'write');
    const push = Socket.prototype.push;
    const onPush = vi.spyOn(Socket.prototype, 'push').mockImplementation(function capture(
      this: Socket,
      chunk,
      encoding,
    ) {
      if (Buffer.isBuffer(chunk) && this.localPort === relay.port) capturedChunks.push(Buffer.from(chunk));
      return push.call(this, chunk, encoding);
    });
    try {
      const tunnel = await holdTunnel(
        relay,
        'alice',
        createTlsEndpoint((socket) => socket.on('data', (chunk: Buffer) => socket.end(`echo ${chunk.toString()}`))),
      );
      const client = await dialTls(relay);
      expect(client.getPeerCertificate().subject.CN).toBe(`alice.${REMOTE_DOMAIN}`);
      client.write(canary);
      expect(await text(client)).toBe(`echo ${canary}`);
      for (const [index, [chunk]] of onWrite.mock.calls.entries()) {
        const socket = onWrite.mock.contexts[index];
        if (!(socket instanceof Socket) || socket.localPort !== relay.port) continue;
        capturedChunks.push(Buffer.from(chunk));
      }
      const relayedText = Buffer.concat(capturedChunks).toString('latin1');
      expect(relayedText).toContain(`alice.${REMOTE_DOMAIN}`);
      expect(relayedText).toContain('pda-tunnel 1 ');
      expect(relayedText).not.toContain(canary);
      expect(relayedText).not.toContain(canary.slice(7, 19));
      tunnel.close();
    } finally {
      onWrite.mockRestore();
      onPush.mockRestore();
    }
  });

  it('exchanges 20 MB unchanged in both directions at the same time', async () => {
    const upload = randomBytes(20_000_000);
    const download = randomBytes(20_000_000);
    const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
    const uploadedChunks: Buffer[] = [];
    let onUploaded: (hash: string) => void = () => undefined;
    const uploadHash = new Promise<string>((resolve) => {
      onUploaded = resolve;
    });
    const tunnel = await holdTunnel(
      relay,
      'alice',
      createTlsEndpoint((socket) => {
        socket.end(download);
        socket.on('data', (chunk: Buffer) => uploadedChunks.push(chunk));
        socket.on('end', () => onUploaded(hashOf(Buffer.concat(uploadedChunks))));
      }),
    );
    const client = await dialTls(relay);
    client.end(upload);
    const downloadedChunks: Buffer[] = [];
    // `for await` would destroy the socket after the download, while the upload is still in progress.
    client.on('data', (chunk: Buffer) => downloadedChunks.push(chunk));
    await once(client, 'end');
    expect(hashOf(Buffer.concat(downloadedChunks))).toBe(hashOf(download));
    expect(await uploadHash).toBe(hashOf(upload));
    tunnel.close();
  });

  it('receives the alert unrecognized_name for an unknown PDA or one without connections', async () => {
    await expect(dialTls(relay, 'unknown')).rejects.toThrow(ALERT);
    const impatientRelay = await startRelay({ domain: REMOTE_DOMAIN, limits: { ...LONG_LIMITS, clientWaitMs: 1000 } });
    try {
      const { session } = sessionOf(await claimName(impatientRelay, 'without-connections'));
      expect(session).toHaveLength(22);
      const start = performance.now();
      await expect(dialTls(impatientRelay, 'without-connections')).rejects.toThrow(ALERT);
      expect(performance.now() - start).toBeGreaterThan(900);
    } finally {
      await impatientRelay.close();
    }
  });
});

describe('the client address', () => {
  it('is taken from the TCP connection, regardless of client headers', async () => {
    const tunnel = await holdTunnel(
      relay,
      'alice',
      createTlsEndpoint((socket) => socket.end('done')),
    );
    const client = await dialTls(relay, 'alice', '127.0.0.77');
    const port = client.localPort;
    client.write('visit 8.8.8.8 53 x\r\nx-forwarded-for: 8.8.8.8\r\n');
    await text(client);
    expect(tunnel.peers).toStrictEqual([{ address: '127.0.0.77', port }]);
    tunnel.close();
  });
});

/** Connects a client to a PDA over the local domain, without TLS, to observe how the relay closes sockets. */
const connectPair = async (target: RelayTarget): Promise<{ client: Socket; pda: Socket; close(): void }> => {
  let onForwarded: (socket: Socket) => void = () => undefined;
  const forwardedSocket = new Promise<Socket>((resolve) => {
    onForwarded = resolve;
  });
  const tunnel = await holdTunnel(target, 'ends', (socket) => onForwarded(socket), { idleConnections: 1 });
  const client = connect({ port: target.port, host: '127.0.0.1', allowHalfOpen: true });
  client.on('error', () => undefined);
  client.write(`GET / HTTP/1.1\r\nhost: ends.${LOCAL_DOMAIN}:${target.port}\r\n\r\n`);
  const pda = await forwardedSocket;
  const [head] = (await once(pda.resume(), 'data')) as [Buffer];
  expect(head.toString()).toMatch(/^GET \/ HTTP\/1\.1\r\nhost: ends\./u);
  return { client, pda, close: () => tunnel.close() };
};

describe('closing a forwarded connection', () => {
  let localRelay: TestRelay;
  beforeAll(async () => {
    localRelay = await startRelay({ limits: { ...LONG_LIMITS, newNameBurst: 100 } });
  });
  afterAll(() => localRelay.close());

  it('forwards a half-close and keeps the other direction open', async () => {
    const { client, pda, close } = await connectPair(localRelay);
    const pdaEnd = once(pda, 'end');
    client.end('final request');
    const receivedChunks: Buffer[] = [];
    pda.on('data', (chunk: Buffer) => receivedChunks.push(chunk));
    await pdaEnd;
    expect(Buffer.concat(receivedChunks).toString()).toBe('final request');
    pda.write('late ');
    pda.end('response');
    expect(await text(client)).toBe('late response');
    await expect.poll(() => localRelay.relay.sessions.clientCount()).toBe(0);
    close();
  });

  it('forwards a reset, so that a truncated response is not taken for a complete one', async () => {
    for (const side of ['client', 'pda'] as const) {
      const sockets = await connectPair(localRelay);
      const otherSide = sockets[side === 'pda' ? 'client' : 'pda'];
      const closed = once(otherSide.resume(), 'close');
      sockets[side].resetAndDestroy();
      await expect(closed).rejects.toThrow('ECONNRESET');
      sockets.close();
    }
  });

  it('resets both sides after the idle timeout', async () => {
    const quickRelay = await startRelay({ limits: { ...LONG_LIMITS, clientIdleMs: 600 } });
    try {
      const { client, pda, close } = await connectPair(quickRelay);
      for (const closed of [once(client.resume(), 'close'), once(pda, 'close')])
        await expect(closed).rejects.toThrow('ECONNRESET');
      close();
    } finally {
      await quickRelay.close();
    }
  });
});

describe('handover to the PDA', () => {
  let quickRelay: TestRelay;
  beforeAll(async () => {
    quickRelay = await startRelay({ domain: REMOTE_DOMAIN, limits: { ...LONG_LIMITS, handoverTimeoutMs: 300 } });
  });
  afterAll(() => quickRelay.close());

  it('tries the next connection with the same bytes when one does not respond', async () => {
    const session = sessionOf(await claimName(quickRelay, 'alice'));
    // On a slow machine, some of these connections respond too late.
    for (let counter = 1; counter <= 10; counter += 1) {
      const responsiveConnection = openConnection(quickRelay, session, counter);
      await responsiveConnection.ready;
      void responsiveConnection.forwarded.then(({ socket }) =>
        createTlsEndpoint((client) => client.end('hello'))(socket),
      );
    }
    // The relay tries the newest connection first: the closing one, then the unresponsive one.
    const unresponsiveConnection = openConnection(quickRelay, session, 11, { acceptClients: false });
    await unresponsiveConnection.ready;
    const closingConnection = openConnection(quickRelay, session, 12, { acceptClients: false });
    await closingConnection.ready;
    closingConnection.socket.once('data', () => closingConnection.socket.destroy());
    const client = await dialTls(quickRelay);
    expect(await text(client)).toBe('hello');
    await unresponsiveConnection.closed;
  });

  it('waits for the next connection of a PDA that has none', async () => {
    const session = sessionOf(await claimName(relay, 'alice'));
    const pendingClient = dialTls(relay);
    await expect.poll(() => relay.relay.sessions.clientCount()).toBe(1);
    const connection = openConnection(relay, session, 1);
    void connection.forwarded.then(({ socket }) => createTlsEndpoint((client) => client.end('hello'))(socket));
    expect(await text(await pendingClient)).toBe('hello');
  });

  it.skipIf(!IS_THOROUGH_RUN)('fails with an alert when no connection responds', async () => {
    const limits = { ...LONG_LIMITS, handoverTimeoutMs: 300, clientWaitMs: 1000 };
    const impatientRelay = await startRelay({ domain: REMOTE_DOMAIN, limits });
    try {
      const session = sessionOf(await claimName(impatientRelay, 'alice'));
      const connections = [1, 2, 3, 4, 5, 6].map((counter) =>
        openConnection(impatientRelay, session, counter, { acceptClients: false }),
      );
      await Promise.all(connections.map(({ ready }) => ready));
      await expect(dialTls(impatientRelay)).rejects.toThrow(ALERT);
      expect(impatientRelay.relay.sessions.clientCount()).toBe(0);
    } finally {
      await impatientRelay.close();
    }
  });
});

describe('client limits', () => {
  it('bound clients per name and per network, and free the slots of closed connections', async () => {
    const limits = { ...LONG_LIMITS, clientsPerName: 3, clientsPerNetwork: 2 };
    const smallRelay = await startRelay({ domain: REMOTE_DOMAIN, limits });
    try {
      const tunnel = await holdTunnel(
        smallRelay,
        'alice',
        createTlsEndpoint((socket) => socket.resume()),
      );
      const firstClient = await dialTls(smallRelay);
      const secondClient = await dialTls(smallRelay);
      await expect(dialTls(smallRelay)).rejects.toThrow();
      const thirdClient = await dialTls(smallRelay, 'alice', '127.0.0.9');
      await expect(dialTls(smallRelay, 'alice', '127.0.0.9')).rejects.toThrow();
      firstClient.destroy();
      secondClient.destroy();
      await expect.poll(() => smallRelay.relay.sessions.clientCount()).toBe(1);
      (await dialTls(smallRelay)).destroy();
      thirdClient.destroy();
      tunnel.close();
    } finally {
      await smallRelay.close();
    }
  });

  it('bound requests to the relay’s own pages per network with 429', async () => {
    const smallRelay = await startRelay({ limits: { apiBurst: 2, apiIntervalMs: 600_000 } });
    try {
      expect((await requestRelay(smallRelay, { name: 'alice' })).status).toBe(503);
      expect((await requestRelay(smallRelay, { name: 'alice' })).status).toBe(503);
      const limitedReply = await requestRelay(smallRelay, { name: 'alice' });
      expect([limitedReply.status, limitedReply.json['error']]).toStrictEqual([429, 'rate_limited']);
      expect((await requestRelay({ ...smallRelay, localAddress: '127.0.0.9' }, { name: 'alice' })).status).toBe(503);
    } finally {
      await smallRelay.close();
    }
  });
});
