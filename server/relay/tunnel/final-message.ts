import type { Socket } from 'node:net';

/** Time after which the socket is destroyed. A sleeping laptop, for example, never closes its side. */
const CLOSE_TIMEOUT_MS = 2000;

/** Sends a final message and closes the socket once the peer had time to read it. */
export const sendFinal = (socket: Socket, message: Buffer | string): void => {
  const timer = setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end(message);
  // Discard further input. Unread input would turn the close into a reset, and the peer would lose the message.
  socket.once('end', () => socket.destroy()).resume();
};
