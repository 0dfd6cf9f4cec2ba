import type { Socket } from 'node:net';
import {
  GO,
  MAX_LINE_BYTES,
  PING,
  formatReadyLine,
  formatTakenLine,
  formatVisitLine,
  type TunnelConnectionId,
  type Peer,
} from '../../platform/tunnel/protocol.ts';
import { sendFinal } from './sockets.ts';

export type TunnelConnection = {
  readonly socket: Socket;
  /** Time of the last received data, as in performance.now(). */
  lastActivity(): number;
  /**
   * Announces a client to the PDA and waits for its `go`. Closes the connection if no `go` arrives in time.
   * @returns the bytes after `go`; undefined if the connection closed
   */
  handOver(peer: Peer, timeoutMs: number): Promise<Buffer | undefined>;
  /** Reports that the same key has claimed the name again, and closes the connection. */
  closeAsTaken(): void;
};

const LINE_FEED = 10;
const PING_LINE = `${PING}\n`;
const MAX_UNSENT_BYTES = 4096;

/**
 * Runs the tunnel protocol on a connection until it is handed over. Closes the connection on protocol errors.
 * @param options.rest bytes received after the first line
 */
export const createTunnelConnection = (
  socket: Socket,
  options: { secret: Buffer; connectionId: TunnelConnectionId; rest: Buffer },
): TunnelConnection => {
  const { secret, connectionId } = options;
  let partialLine = '';
  let lastActivity = performance.now();
  let onGo: ((rest: Buffer | undefined) => void) | undefined;

  const release = (): void => {
    socket.off('data', onData).off('end', close).off('close', onClose).pause();
  };
  const close = (): void => {
    socket.destroy();
  };
  const onClose = (): void => onGo?.(undefined);
  const onLine = (text: string): 'continue' | 'go' | 'error' => {
    if (text === GO && onGo !== undefined) return 'go';
    if (text !== PING) return 'error';
    // After the announcement, all bytes to the PDA belong to the client, so pings are no longer answered.
    if (onGo === undefined) socket.write(PING_LINE);
    return socket.writableLength > MAX_UNSENT_BYTES ? 'error' : 'continue';
  };
  const onData = (chunk: Buffer): void => {
    lastActivity = performance.now();
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end === -1) break;
      const text = partialLine + chunk.toString('latin1', start, end);
      partialLine = '';
      start = end + 1;
      const outcome = onLine(text);
      if (outcome === 'error') {
        close();
        return;
      }
      if (outcome === 'go') {
        release();
        onGo?.(chunk.subarray(start));
        return;
      }
    }
    partialLine += chunk.toString('latin1', start);
    if (partialLine.length > MAX_LINE_BYTES) close();
  };

  socket.on('data', onData).once('end', close).once('close', onClose);
  socket.write(`${formatReadyLine(secret, connectionId)}\n`);
  socket.resume();
  if (options.rest.length > 0) onData(options.rest);

  return {
    socket,
    lastActivity: () => lastActivity,
    closeAsTaken() {
      release();
      sendFinal(socket, `${formatTakenLine(secret, connectionId)}\n`);
    },
    handOver: (peer, timeoutMs) =>
      new Promise((resolve) => {
        if (socket.destroyed) {
          resolve(undefined);
          return;
        }
        const timer = setTimeout(close, timeoutMs);
        onGo = (rest) => {
          clearTimeout(timer);
          resolve(rest);
        };
        socket.write(`${formatVisitLine(secret, connectionId, peer)}\n`);
      }),
  };
};
