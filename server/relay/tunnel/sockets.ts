import type { Socket } from 'node:net';

/** Time for which a peer may keep its side open after the final message. A sleeping laptop would never close it. */
const CLOSE_TIMEOUT_MS = 2000;

/** Sends a final message, and destroys the socket when the peer closes its side or after a timeout. */
export const sendFinal = (socket: Socket, message: Buffer | string): void => {
  const timer = setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end(message);
  // Further input is discarded. Unread input would turn the close into a reset, and the peer would lose the message.
  socket.once('end', () => socket.destroy()).resume();
};

/** Resets a connection, so that the peer does not take a truncated message for a complete one. */
const reset = (socket: Socket): void => {
  if (!socket.destroyed) socket.resetAndDestroy();
};

const hasEndedCleanly = (socket: Socket): boolean => socket.readableEnded && socket.writableFinished;

/**
 * Pipes two sockets into each other and takes ownership of both. Forwards half-closes and resets, and resets both after
 * `idleMs` without traffic.
 * @param options.firstBytes bytes already received from the client
 * @param options.rest bytes already received from the tunnel
 */
export const pipeSockets = (
  client: Socket,
  tunnel: Socket,
  options: { firstBytes: Buffer; rest: Buffer; idleMs: number; onClosed: () => void },
): void => {
  const { firstBytes, rest, idleMs, onClosed } = options;
  let openSockets = 2;
  const forwardClose = (source: Socket, target: Socket): void => {
    const onClose = (): void => {
      if (!hasEndedCleanly(source)) reset(target);
      // The remaining peer may never read its last data, so it needs a separate timeout.
      else target.setTimeout(idleMs, () => reset(target));
      openSockets -= 1;
      if (openSockets === 0) onClosed();
    };
    if (source.closed) onClose();
    else source.once('close', onClose);
  };
  forwardClose(client, tunnel);
  forwardClose(tunnel, client);
  // Traffic in either direction resets the timers of both sockets, so one timeout suffices.
  client.setTimeout(idleMs, () => {
    reset(client);
    reset(tunnel);
  });
  tunnel.write(firstBytes);
  if (rest.length > 0) client.write(rest);
  client.pipe(tunnel);
  tunnel.pipe(client);
};
