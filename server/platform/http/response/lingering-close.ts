import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import {
  KEEP_ALIVE_DISCARD_MAX_BYTES,
  LINGERING_CLOSE_MAX_BYTES,
  LINGERING_CLOSE_TIMEOUT_MS,
} from '../../../wire/limits.ts';
import { mayExceed } from '../request/body.ts';

export type LingeringCloseLimits = { maxBytes: number; timeoutMs: number };

const DEFAULT_LIMITS: LingeringCloseLimits = {
  maxBytes: LINGERING_CLOSE_MAX_BYTES,
  timeoutMs: LINGERING_CLOSE_TIMEOUT_MS,
};

/**
 * Closes the connection after this response if the request body is incomplete and may be large or was announced with
 * `Expect: 100-continue`. Must be called before the headers are written.
 */
export const closeAfterUnreadBody = (request: IncomingMessage, response: ServerResponse): void => {
  const expectsContinue = request.headers.expect !== undefined;
  if (!request.complete && (expectsContinue || mayExceed(request, KEEP_ALIVE_DISCARD_MAX_BYTES)))
    response.shouldKeepAlive = false;
};

/**
 * Makes the server discard the rest of a request body after its response, within limits.
 *
 * By default Node destroys the socket after a response with `Connection: close`. If the client is still sending, the
 * kernel answers its bytes with a TCP reset, and most clients then report EPIPE or ECONNRESET instead of the response.
 * Therefore the server closes only its own direction, discards the bytes that arrive (RFC 9112, section 9.6), and
 * destroys the socket when the body ends or a limit is reached. Until then the connection counts against the connection
 * limit.
 */
export const enableLingeringClose = (server: Server, limits: LingeringCloseLimits = DEFAULT_LIMITS): void => {
  const discardBody = (request: IncomingMessage): void => {
    const { socket } = request;
    let discardedBytes = 0;
    const timer = setTimeout(() => socket.destroy(), limits.timeoutMs);
    const cancelTimer = (): void => clearTimeout(timer);
    socket.once('close', cancelTimer);
    // Without a read, Node marks the request as dumped when the response ends, and its bytes cannot be counted.
    request.read(0);
    request.on('data', (chunk: Buffer) => {
      discardedBytes += chunk.length;
      if (discardedBytes > limits.maxBytes) socket.destroy();
    });
    request.once('end', () => {
      cancelTimer();
      socket.off('close', cancelTimer);
      Reflect.deleteProperty(socket, 'destroySoon');
      if (!socket.writable) socket.destroy();
    });
    // Node calls destroySoon after a response that closes the connection.
    socket.destroySoon = () => void socket.end();
  };

  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    response.prependOnceListener('finish', () => {
      if (!request.complete && !request.socket.destroyed) discardBody(request);
    });
  });
  // Node would send 100 Continue before the request is checked. `sendContinue` sends it when the body is needed.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response),
  );
};

/** Asks a client that waits for permission (`Expect: 100-continue`) to send its body. */
export const sendContinue = (request: IncomingMessage, response: ServerResponse): void => {
  if (request.headers.expect !== undefined && !request.complete) response.writeContinue();
};
