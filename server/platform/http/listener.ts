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
 * Origin of a connection: on the server's own port, on the port that serves the public address, or through the tunnel
 * client. Only connections on the own port can be local. Headers prove nothing, since a forwarder need not add any.
 */
export type ConnectionOrigin = 'own' | 'public' | 'tunnel';

export type PublicPortOptions = {
  port: number;
  host: string;
  /**
   * The forwarder opens connections before a client arrives, as localtunnel does. A connection counts from its first
   * byte on: Node sends a response to a connection without a request after HEADERS_TIMEOUT_MS, and the next client
   * would receive that response.
   */
  preconnected?: boolean;
};

/** Accepts connections and passes their requests on. */
export type Listener = {
  listen(options: { port: number; host: string }): Promise<AddressInfo>;
  /**
   * Opens the port that serves the public address, after closing the previous one.
   * @throws the error of the system, e.g. EADDRINUSE
   */
  listenPublic(options: PublicPortOptions): Promise<AddressInfo>;
  /** Closes the public port and its connections. */
  closePublic(): Promise<void>;
  /** Takes over a connection that the tunnel client accepted for a client at this address. */
  take(socket: Socket, address: string): void;
  /** Returns the origin of a connection. */
  origin(socket: Socket): ConnectionOrigin;
  /** Returns the client address that the relay reports; undefined for connections outside the tunnel. */
  forwardedFor(socket: Socket): string | undefined;
  /** Returns the number of open remote connections. */
  remoteConnectionCount(): number;
  /** Closes all remote connections immediately, without waiting for their responses. */
  closeRemoteConnections(): void;
  /** Returns a signal for endless responses. It fires when the client disconnects or the server stops. */
  signal(request: IncomingMessage): AbortSignal;
  /** Waits for running requests, then closes idle connections. */
  close(): Promise<void>;
};

/** Milliseconds for the headers of a request. Slower clients are attackers or have disconnected. */
const HEADERS_TIMEOUT_MS = 15_000;
/** Number of checks for late headers during `HEADERS_TIMEOUT_MS`. */
const HEADERS_CHECKS = 5;
/** Milliseconds without traffic in either direction after which a connection is closed. */
const IDLE_MS = 120_000;
/**
 * Milliseconds for which an idle connection stays open. Longer than clients and proxies keep their end open, so that
 * the server does not close a connection on which a client is about to send a request.
 */
const KEEP_ALIVE_MS = 75_000;
/** During a stop: milliseconds between checks for idle connections. */
const IDLE_SWEEP_MS = 20;
/** During a stop: milliseconds for running requests. */
const DRAIN_MS = 3000;

/** The headers of every response as text. Responses to malformed requests bypass Node's response object. */
const FIXED_HEADERS = Array.from(API_HEADERS, ([name, value]) => `${name}: ${value}\r\n`).join('');

/**
 * Creates the listener of a server.
 * @param options.isCounted false if every connection comes from a proxy that limits them itself
 * @param options.headersMs milliseconds for the headers of a request
 */
export const createListener = (
  handleRequest: RequestListener,
  options: { isCounted?: boolean; headersMs?: number } = {},
): Listener => {
  const { isCounted = true, headersMs = HEADERS_TIMEOUT_MS } = options;
  /** Aborts endless responses when the server stops; otherwise the stop would wait for them. */
  const endlessResponses = new Set<AbortController>();
  const server: Server = createServer(
    // A missing Host is rejected by `hostCheck` with our own error body.
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      requestTimeout: 0,
      requireHostHeader: false,
      connectionsCheckingInterval: headersMs / HEADERS_CHECKS,
    },
    handleRequest,
  );
  enableLingeringClose(server);
  const connectionLimit = createConnectionLimit();
  // The limit is checked before Node creates a parser, so that rejecting a connection is cheap.
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
  /** Connections of a forwarder that have not carried a byte yet. */
  const idleSockets = new Set<Socket>();
  const acceptAtFirstByte = (socket: Socket): void => {
    const drop = (): void => {
      socket.destroy();
    };
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
    const closed = new Promise((resolve) => closingServer.close(resolve));
    for (const socket of idleSockets) socket.destroy();
    for (const [socket, { origin }] of remotes) if (origin === 'public') socket.destroy();
    await closed;
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
              : 'This is not an HTTP request.',
          );
    const body = JSON.stringify(failure.toBody(nextRequestId()));
    socket.end(
      `HTTP/1.1 ${failure.status} ${failure.toBody('').message}\r\ncontent-type: application/json; charset=utf-8\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n${FIXED_HEADERS}\r\n${body}`,
    );
    // The client can read the response while it is still sending, but cannot keep the connection open for longer.
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
      // Half-open, as node:http handles its own connections: a client may end its side before the response.
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
    take: (socket, address) => accept(socket, 'tunnel', address),
    origin: (socket) => remotes.get(socket)?.origin ?? 'own',
    forwardedFor: (socket) => remotes.get(socket)?.address,
    remoteConnectionCount: () => remotes.size,
    closeRemoteConnections() {
      for (const socket of remotes.keys()) socket.destroy();
    },
    signal(request) {
      const controller = new AbortController();
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
        const timer = setTimeout(() => {
          server.closeAllConnections();
          // Connections that have not sent a request yet are unknown to the HTTP server.
          for (const socket of remotes.keys()) socket.destroy();
        }, DRAIN_MS);
        let isClosed = false;
        // Node keeps a connection open after its response, for the next request. This timer closes it.
        const sweepTimer = setInterval(() => {
          server.closeIdleConnections();
          // The server waits only for connections that it accepted itself.
          if (!isClosed || remotes.size > 0) return;
          clearTimeout(timer);
          clearInterval(sweepTimer);
          resolve();
        }, IDLE_SWEEP_MS);
        server.close(() => {
          isClosed = true;
          if (remotes.size > 0) return;
          clearTimeout(timer);
          clearInterval(sweepTimer);
          resolve();
        });
        // Stop accepting; open connections get the same grace period as all others.
        publicServer?.close();
        for (const controller of endlessResponses) controller.abort();
      }),
  };
};
