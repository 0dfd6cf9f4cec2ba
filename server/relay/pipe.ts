import type { Socket } from 'node:net';

/** Passes a broken line on as one: the other end must not take what it has for the whole. */
const breakOff = (socket: Socket): void => {
  if (!socket.destroyed) socket.resetAndDestroy();
};

const endedInOrder = (socket: Socket): boolean => socket.readableEnded && socket.writableFinished;

/**
 * Joins two lines: bytes, ends and breaks of each go to the other, at the pace of the slower one. `first` is what the visitor said already, `rest` what the PDA did.
 * Both are ours from here on; the one that is over takes the other along. Calls `done` once when both are.
 */
export const joinSockets = (
  visitor: Socket,
  tunnel: Socket,
  options: { first: Buffer; rest: Buffer; idleMs: number; done: () => void },
): void => {
  const { first, rest, idleMs, done } = options;
  let open = 2;
  const passOn = (from: Socket, to: Socket): void => {
    const over = (): void => {
      if (!endedInOrder(from)) breakOff(to);
      // Whoever is left alone is given the same time: what they were told last they may never read.
      else to.setTimeout(idleMs, () => breakOff(to));
      open -= 1;
      if (open === 0) done();
    };
    if (from.closed) over();
    else from.once('close', over);
  };
  passOn(visitor, tunnel);
  passOn(tunnel, visitor);
  // Bytes of either direction touch both lines, so one of them tells that nothing moves any more.
  visitor.setTimeout(idleMs, () => {
    breakOff(visitor);
    breakOff(tunnel);
  });
  tunnel.write(first);
  if (rest.length > 0) visitor.write(rest);
  visitor.pipe(tunnel);
  tunnel.pipe(visitor);
};
