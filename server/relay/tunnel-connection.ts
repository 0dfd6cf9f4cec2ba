import type { Socket } from 'node:net';
import {
  GO,
  MAX_LINE_BYTES,
  PING,
  readyLine,
  takenLine,
  visitLine,
  type Line,
  type Visit,
} from '../platform/tunnel-protocol.ts';
import { sayLast } from './last-word.ts';

export type TunnelConnection = {
  readonly socket: Socket;
  /** Milliseconds (performance.now) at which it last said something. */
  lastSign(): number;
  /** Hands a visitor over. @returns what the PDA said right behind its `go`; undefined when the line is gone, or no `go` came in time: it is closed then. */
  hand(visit: Visit, withinMs: number): Promise<Buffer | undefined>;
  /** Says that somebody else with the same key has the name now, and closes. */
  tellTaken(): void;
};

const LINE_FEED = 10;
const PING_LINE = `${PING}\n`;
/** Bytes of answers that a PDA may leave unread. */
const MAX_UNREAD = 4096;

/**
 * One line that a PDA opened and proved, until a visitor has it. Whatever is not in the protocol ends it. `rest` is what came behind its first
 * line.
 */
export const createTunnelConnection = (
  socket: Socket,
  options: { secret: Buffer; line: Line; rest: Buffer },
): TunnelConnection => {
  const { secret, line } = options;
  let partial = '';
  let lastSign = performance.now();
  let onGo: ((rest: Buffer | undefined) => void) | undefined;

  const release = (): void => {
    socket.off('data', onData).off('end', onEnd).off('close', onClose).pause();
  };
  const drop = (): void => {
    socket.destroy();
  };
  const onEnd = drop;
  const onClose = (): void => onGo?.(undefined);
  const onWord = (word: string): 'on' | 'go' | 'wrong' => {
    if (word === GO && onGo !== undefined) return 'go';
    if (word !== PING) return 'wrong';
    // Once the visitor was named, every byte to the PDA is theirs.
    if (onGo === undefined) socket.write(PING_LINE);
    return socket.writableLength > MAX_UNREAD ? 'wrong' : 'on';
  };
  const onData = (chunk: Buffer): void => {
    lastSign = performance.now();
    let at = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, at);
      if (end === -1) break;
      const word = partial + chunk.toString('latin1', at, end);
      partial = '';
      at = end + 1;
      const next = onWord(word);
      if (next === 'wrong') {
        drop();
        return;
      }
      if (next === 'go') {
        release();
        onGo?.(chunk.subarray(at));
        return;
      }
    }
    partial += chunk.toString('latin1', at);
    if (partial.length > MAX_LINE_BYTES) drop();
  };

  socket.on('data', onData).once('end', onEnd).once('close', onClose);
  socket.write(`${readyLine(secret, line)}\n`);
  socket.resume();
  if (options.rest.length > 0) onData(options.rest);

  return {
    socket,
    lastSign: () => lastSign,
    tellTaken() {
      release();
      sayLast(socket, `${takenLine(secret, line)}\n`);
    },
    hand: (visit, withinMs) =>
      new Promise((resolve) => {
        if (socket.destroyed) {
          resolve(undefined);
          return;
        }
        const timer = setTimeout(drop, withinMs);
        onGo = (rest) => {
          clearTimeout(timer);
          resolve(rest);
        };
        socket.write(`${visitLine(secret, line, visit)}\n`);
      }),
  };
};
