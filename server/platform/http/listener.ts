import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LINGERING_CLOSE_TIMEOUT_MS, MAX_HEADER_BYTES } from '../../wire/limits.ts';
import { Failure } from '../failure.ts';
import { enableLingeringClose } from './response/lingering-close.ts';
import { createConnectionLimit } from '../limits/connection-limit.ts';
import { nextRequestId } from './request/id.ts';
import { API_HEADERS } from './response/security-headers.ts';

/**
 * Port or tunnel client that accepted a connection. Only connections to the server's own port can be local. Headers
 * prove nothing: a forwarder need not add any.
 */
export type ConnectionOrigin = 'own' | 'public' | 'tunnel';

export type PublicPortOptions = {
  port: number;
  host: string;
  /**
   * True for forwarders that open connections in advance: such a connection is passed to Node at its first byte.
   * Otherwise Node would send a timeout response on the idle connection, and the next client would receive it.
   */
  preconnected?: boolean;
};

export type Listener = {
  listen(options: { port: number; host: string }): Promise<AddressInfo>;
  /** Opens the public port; closes the previous one first. @throws the error of the system, e.g. EADDRINUSE */
  listenPublic(options: PublicPortOptions): Promise<AddressInfo>;
  closePublic(): Promise<void>;
  /** Accepts a connection from the tunnel. @param address address of the remote client, as the relay reports it */
  acceptConnection(socket: Socket, address: string): void;
  originOf(socket: Socket): ConnectionOrigin;
  /** Returns the client address that the relay reported; undefined if the connection did not come from the tunnel. */
  relayedAddressOf(socket: Socket): string | undefined;
  remoteConnectionCount(): number;
  closeRemoteConnections(): void;
  /** Returns a signal for endless responses. It fires when the client disconnects or the server stops. */
  signal(request: IncomingMessage): AbortSignal;
  /** Waits for running requests, at most for DRAIN_MS, and closes all connections. */
  close(): Promise<void>;
};

/** Time limit for the headers of a request. Slower clients are attackers or have disconnected. */
const HEADERS_TIMEOUT_MS = 15_000;
const CHECKS_PER_HEADERS_TIMEOUT = 5;
const IDLE_MS = 120_000;
/** Longer than common idle timeouts of clients and proxies, whose requests could otherwise meet a closed connection. */
const KEEP_ALIVE_MS = 75_000;
const IDLE_SWEEP_MS = 20;
const DRAIN_MS = 3000;

/** Headers of the responses to malformed requests. These responses bypass Node's response object. */
const FIXED_HEADERS = Array.from(API_HEADERS, ([name, value]) => `${name}: ${value}\r\n`).join('');

/** @param options.isCounted false if every connection comes from a proxy that limits the number of connections */
export const createListener = (
  handleRequest: RequestListener,
  options: { isCounted?: boolean; headersMs?: number } = {},
): Listener => {
  const { isCounted = true, headersMs = HEADERS_TIMEOUT_MS } = options;
  /** Aborted when the server stops, because it would otherwise wait for these responses. */
  const endlessResponses = new Set<AbortController>();
  const server: Server = createServer(
    // `hostCheck` rejects a missing Host with our own error body.
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      requestTimeout: 0,
      requireHostHeader: false,
      connectionsCheckingInterval: headersMs / CHECKS_PER_HEADERS_TIMEOUT,
    },
    handleRequest,
  );
  enableLingeringClose(server);
  const connectionLimit = createConnectionLimit();
  // Checked before Node creates a parser, so that rejecting a connection is cheap.
  const httpListeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const remote = remotes.get(socket);
    if (isCounted && !connectionLimit.admit(socket, remote?.address ?? socket.remoteAddress ?? '', remote?.origin)) {
      socket.destroy();
      return;
    }
    for (const listener of httpListeners) listener.call(server, socket);
  });
  const remotes = new Map<Duplex, { origin: ConnectionOrigin; address: string | undefined }>();
  const accept = (socket: Socket, origin: ConnectionOrigin, address: string | undefined): void => {
    remotes.set(socket, { origin, address });
    socket.once('close', () => remotes.delete(socket));
    server.emit('connection', socket);
  };
  let publicServer: TcpServer | undefined;
  const idleSockets = new Set<Socket>();
  const acceptAtFirstByte = (socket: Socket): void => {
    const drop = (): void => void socket.destroy();
    idleSockets.add(socket);
    socket.once('close', () => idleSockets.delete(socket));
    socket.once('end', drop).once('error', drop);
    socket.once('data', (firstChunk) => {
      idleSockets.delete(socket);
      socket.off('end', drop).off('error', drop).pause();
      socket.unshift(firstChunk);
      accept(socket, 'public', undefined);
      socket.resume();
    });
  };
  const closePublic = async (): Promise<void> => {
    const closingServer = publicServer;
    publicServer = undefined;
    if (closingServer === undefined) return;
    const whenClosed = new Promise((resolve) => closingServer.close(resolve));
    for (const socket of idleSockets) socket.destroy();
    for (const [socket, { origin }] of remotes) if (origin === 'public') socket.destroy();
    await whenClosed;
  };
  server.headersTimeout = headersMs;
  server.timeout = IDLE_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable) return;
    const failure =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? new Failure('too_large', `Headers are limited to ${MAX_HEADER_BYTES} bytes.`)
        : new Failure(
            'invalid_input',
            error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
              ? 'The headers did not arrive in time.'
              : 'This is not a valid HTTP request.',
          );
    const body = JSON.stringify(failure.toBody(nextRequestId()));
    socket.end(
      `HTTP/1.1 ${failure.status} ${failure.toBody('').message}\r\ncontent-type: application/json; charset=utf-8\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n${FIXED_HEADERS}\r\n${body}`,
    );
    // A client that is still sending has this time to read the response. Then the connection is closed.
    const timer = setTimeout(() => socket.destroy(), LINGERING_CLOSE_TIMEOUT_MS);
    socket.once('close', () => clearTimeout(timer));
  });

  return {
    listen: ({ port, host }) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve(server.address() as AddressInfo);
        });
      }),
    async listenPublic({ port, host, preconnected = false }) {
      await closePublic();
      // Half-open like node:http: a client may end its side before the response.
      const tcpServer = createTcpServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
        if (preconnected) acceptAtFirstByte(socket);
        else accept(socket, 'public', undefined);
      });
      await new Promise<void>((resolve, reject) => {
        tcpServer.once('error', reject);
        tcpServer.listen(port, host, resolve);
      });
      publicServer = tcpServer;
      return tcpServer.address() as AddressInfo;
    },
    closePublic,
    acceptConnection: (socket, address) => accept(socket, 'tunnel', address),
    originOf: (socket) => remotes.get(socket)?.origin ?? 'own',
    relayedAddressOf: (socket) => remotes.get(socket)?.address,
    remoteConnectionCount: () => remotes.size,
    closeRemoteConnections() {
      for (const socket of remotes.keys()) socket.destroy();
    },
    signal(request) {
      const controller = new AbortController();
      if (request.socket.destroyed) {
        controller.abort();
        return controller.signal;
      }
      endlessResponses.add(controller);
      request.socket.once('close', () => {
        endlessResponses.delete(controller);
        controller.abort();
      });
      return controller.signal;
    },
    close: () =>
      new Promise((resolve) => {
        if (!server.listening) {
          resolve();
          return;
        }
        const drainTimer = setTimeout(() => {
          server.closeAllConnections();
          // The HTTP server does not know about connections without a request.
          for (const socket of remotes.keys()) socket.destroy();
        }, DRAIN_MS);
        let isClosed = false;
        const resolveWhenClosed = (): void => {
          // `close` waits only for connections that the server accepted itself.
          if (!isClosed || remotes.size > 0) return;
          clearTimeout(drainTimer);
          clearInterval(sweepTimer);
          resolve();
        };
        // Node keeps a connection open after its response.
        const sweepTimer = setInterval(() => {
          server.closeIdleConnections();
          resolveWhenClosed();
        }, IDLE_SWEEP_MS);
        server.close(() => {
          isClosed = true;
          resolveWhenClosed();
        });
        publicServer?.close();
        for (const socket of idleSockets) socket.destroy();
        for (const controller of endlessResponses) controller.abort();
      }),
  };
};
