import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { MAX_HEADER_BYTES } from '../wire/limits.ts';
import { Failure } from './failure.ts';
import { createLines } from './lines.ts';
import { nextRequestId } from './request-id.ts';
import { API_HEADERS } from './security-headers.ts';

// An `import` of this module by name touches all of its exports, and with them Node's own fetch and WebSocket: a tenth of a start.
const { createServer } = process.getBuiltinModule('node:http');

/** The lines that requests come in on. */
export type Listener = {
  listen(options: { port: number; host: string }): Promise<AddressInfo>;
  /** A line that came in elsewhere, from this address: requests on it are answered as if it had come in here. */
  take(socket: Socket, address: string): void;
  /** Where a line that was handed in comes from; undefined for those that came in here. */
  cameFrom(socket: Socket): string | undefined;
  /** Counts a line that came in here among those from outside. */
  fromOutside(socket: Socket): void;
  /** How many lines from outside there are. */
  outside(): number;
  /** Ends all of them at once, whatever is on its way on them. */
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
  const lines = createLines();
  // Asked before Node makes a parser for it: a line too many costs next to nothing.
  const serve = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (isCounted && !lines.enter(socket, taken.get(socket) ?? socket.remoteAddress ?? '')) {
      socket.destroy();
      return;
    }
    for (const each of serve) each.call(server, socket);
  });
  /** Lines that were handed in, and where each comes from. */
  const taken = new Map<Duplex, string>();
  /** Others that are from outside: what is in front of this server brought them here. */
  const brought = new Set<Duplex>();
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
    take(socket, address) {
      taken.set(socket, address);
      socket.once('close', () => taken.delete(socket));
      server.emit('connection', socket);
    },
    cameFrom: (socket) => taken.get(socket),
    fromOutside(socket) {
      if (taken.has(socket) || brought.has(socket)) return;
      brought.add(socket);
      socket.once('close', () => brought.delete(socket));
    },
    outside: () => taken.size + brought.size,
    cutOutside() {
      for (const socket of [...taken.keys(), ...brought]) socket.destroy();
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
          for (const socket of taken.keys()) socket.destroy();
        }, DRAIN_MS);
        let isClosed = false;
        // A line whose answer ends now was promised to be kept for the next request: nobody else would close it.
        const sweep = setInterval(() => {
          server.closeIdleConnections();
          // The server waits for lines of its own only.
          if (!isClosed || taken.size > 0) return;
          clearTimeout(timer);
          clearInterval(sweep);
          resolve();
        }, SWEEP_MS);
        server.close(() => {
          isClosed = true;
          if (taken.size > 0) return;
          clearTimeout(timer);
          clearInterval(sweep);
          resolve();
        });
        for (const controller of endless) controller.abort();
      }),
  };
};
