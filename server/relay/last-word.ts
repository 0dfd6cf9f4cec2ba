import type { Socket } from 'node:net';

/** Milliseconds in which the other end can still read it: a laptop that sleeps closes nothing. */
const LAST_WORD_MS = 2000;

/** Says something, and ends the line once it can have been read. */
export const sayLast = (socket: Socket, words: Buffer | string): void => {
  const timer = setTimeout(() => socket.destroy(), LAST_WORD_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end(words);
  // What still comes is thrown away: unread, it would turn our end into a break, and the last word would be lost.
  socket.once('end', () => socket.destroy()).resume();
};
