import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LINGERING_CLOSE_TIMEOUT_MS, MAX_HEADER_BYTES } from '../../wire/limits.ts';
import { Failure } from '../failure.ts';
import { enableLingeringClose } from './response/lingering-close.ts';
import { createLines } from '../limits/connection-limit.ts';
import { nextRequestId } from './request/id.ts';
import { API_HEADERS } from './response/security-headers.ts';

/**
 * Where a connection was accepted: on the server's own port, on the port that serves the public address, or by the tunnel client. A forwarder may add no
 * header, so only the listener can tell visitors from the owner: nothing but a connection on the own port can be local.
 */
export type ConnectionOrigin = 'own' | 'public' | 'tunnel';

export type PublicPortOptions = {
  port: number;
  host: string;
  /**
   * The forwarder opens connections before there is a visitor, as localtunnel does. A connection counts from its first byte on: Node answers a connection
   * without a request after HEADERS_TIMEOUT_MS, and the next visitor would receive that answer.
   */
  preconnected?: boolean;
};

/** Accepts the connections on which requests arrive. */
export type Listener = {
  listen(options: { port: number; host: string }): Promise<AddressInfo>;
  /** Opens the port that serves the public address. An open one is closed first. @throws the system's error, e.g. EADDRINUSE */
  listenPublic(options: PublicPortOptions): Promise<AddressInfo>;
  /** Frees the public port and closes its connections. */
  closePublic(): Promise<void>;
  /** Takes over a connection that the tunnel client accepted for a visitor at this address. */
  take(socket: Socket, address: string): void;
  origin(socket: Socket): ConnectionOrigin;
  /** The visitor's address as the relay reports it; undefined for connections that did not come through the tunnel. */
  cameFrom(socket: Socket): string | undefined;
  /** Number of open connections from outside. */
  outside(): number;
  /** Closes all connections from outside at once, without waiting for their responses. */
  cutOutside(): void;
  /** For an answer without an end of its own: fires when the caller has gone or the server stops. */
  signal(request: IncomingMessage): AbortSignal;
  /** Lets running requests end, then closes what is idle. */
  close(): Promise<void>;
};

/** Milliseconds. Headers that arrive slower than this are an attack or a dead line. */
const HEADERS_TIMEOUT_MS = 15_000;
/** Looks for such in that time. */
const HEADERS_LOOKS = 5;
/** Milliseconds without a byte in either direction after which a line is given up. */
const IDLE_MS = 120_000;
/** Milliseconds for which a line is kept for the next request. Longer than callers and proxies keep it, so that none is closed under a request. */
const KEPT_OPEN_MS = 75_000;
/** Milliseconds between looks, at a stop, for lines that have become idle. */
const SWEEP_MS = 20;
/** Milliseconds that running requests get at a stop. */
const DRAIN_MS = 3000;

/** The headers of all our answers, as lines: what is no HTTP is answered without Node's help. */
const FIXED = Array.from(
  { length: API_HEADERS.length / 2 },
  (_, index) => `${API_HEADERS[2 * index]}: ${API_HEADERS[2 * index + 1]}\r\n`,
).join('');

/**
 * @param options `isCounted`: false where every line comes from a balancer, which bounds its own; `headersMs`: milliseconds in which the headers of a
 *   request have to be here
 */
export const createListener = (
  answer: RequestListener,
  options: { isCounted?: boolean; headersMs?: number } = {},
): Listener => {
  const { isCounted = true, headersMs = HEADERS_TIMEOUT_MS } = options;
  /** Answers without an end of their own: a stop ends them, or it would wait for them in vain. */
  const endless = new Set<AbortController>();
  const server: Server = createServer(
    // A missing Host is refused like a wrong one, by us and in our words.
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      requestTimeout: 0,
      requireHostHeader: false,
      connectionsCheckingInterval: headersMs / HEADERS_LOOKS,
    },
    answer,
  );
  enableLingeringClose(server);
  const lines = createLines();
  // Asked before Node makes a parser for it: a line too many costs next to nothing.
  const serve = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const visitor = outside.get(socket);
    if (isCounted && !lines.enter(socket, visitor?.address ?? socket.remoteAddress ?? '', visitor?.origin)) {
      socket.destroy();
      return;
    }
    for (const each of serve) each.call(server, socket);
  });
  const outside = new Map<Duplex, { origin: ConnectionOrigin; address: string | undefined }>();
  const accept = (socket: Socket, origin: ConnectionOrigin, address: string | undefined): void => {
    outside.set(socket, { origin, address });
    socket.once('close', () => outside.delete(socket));
    server.emit('connection', socket);
  };
  let publicServer: TcpServer | undefined;
  /** Connections of a forwarder that have carried no byte yet. */
  const idle = new Set<Socket>();
  const acceptAtFirstByte = (socket: Socket): void => {
    const drop = (): void => {
      socket.destroy();
    };
    idle.add(socket);
    socket.once('close', () => idle.delete(socket));
    socket.once('end', drop).once('error', drop);
    socket.once('data', (first) => {
      idle.delete(socket);
      socket.off('end', drop).off('error', drop).pause();
      socket.unshift(first);
      accept(socket, 'public', undefined);
      socket.resume();
    });
  };
  const closePublic = async (): Promise<void> => {
    const closing = publicServer;
    publicServer = undefined;
    if (closing === undefined) return;
    const closed = new Promise((resolve) => closing.close(resolve));
    for (const socket of idle) socket.destroy();
    for (const [socket, { origin }] of outside) if (origin === 'public') socket.destroy();
    await closed;
  };
  server.headersTimeout = headersMs;
  server.timeout = IDLE_MS;
  server.keepAliveTimeout = KEPT_OPEN_MS;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable) return;
    const failure =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? new Failure('too_large', `Headers are limited to ${MAX_HEADER_BYTES} bytes.`)
        : new Failure(
            'invalid_input',
            error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
              ? 'The headers did not come in time.'
              : 'This is not an HTTP request.',
          );
    const body = JSON.stringify(failure.toBody(nextRequestId()));
    socket.end(
      `HTTP/1.1 ${failure.status} ${failure.toBody('').message}\r\ncontent-type: application/json; charset=utf-8\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n${FIXED}\r\n${body}`,
    );
    // The client can read the response while it is still sending, but does not hold the connection for longer.
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
      // Half-open as node:http has its own connections: a client may end its side before the response.
      const opened = createTcpServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
        if (preconnected) acceptAtFirstByte(socket);
        else accept(socket, 'public', undefined);
      });
      await new Promise<void>((resolve, reject) => {
        opened.once('error', reject);
        opened.listen(port, host, resolve);
      });
      publicServer = opened;
      return opened.address() as AddressInfo;
    },
    closePublic,
    take: (socket, address) => accept(socket, 'tunnel', address),
    origin: (socket) => outside.get(socket)?.origin ?? 'own',
    cameFrom: (socket) => outside.get(socket)?.address,
    outside: () => outside.size,
    cutOutside() {
      for (const socket of outside.keys()) socket.destroy();
    },
    signal(request) {
      const controller = new AbortController();
      endless.add(controller);
      request.socket.once('close', () => {
        endless.delete(controller);
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
          // One that has not come as far as a request is none of its own.
          for (const socket of outside.keys()) socket.destroy();
        }, DRAIN_MS);
        let isClosed = false;
        // A line whose answer ends now was promised to be kept for the next request: nobody else would close it.
        const sweep = setInterval(() => {
          server.closeIdleConnections();
          // The server waits for lines of its own only.
          if (!isClosed || outside.size > 0) return;
          clearTimeout(timer);
          clearInterval(sweep);
          resolve();
        }, SWEEP_MS);
        server.close(() => {
          isClosed = true;
          if (outside.size > 0) return;
          clearTimeout(timer);
          clearInterval(sweep);
          resolve();
        });
        // Takes no new connections; those that are open get the time that all others get.
        publicServer?.close();
        for (const controller of endless) controller.abort();
      }),
  };
};
