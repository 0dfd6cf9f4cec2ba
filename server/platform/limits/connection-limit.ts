import type { Socket } from 'node:net';
import { MAX_LINES, MAX_LINES_PER_NETWORK, STRANGER_BURST, STRANGER_INTERVAL_MS } from '../../wire/limits.ts';
import { wideAddressGroup } from './address-group.ts';
import { createFairShare } from './fair-admission.ts';
import type { ConnectionOrigin } from '../http/listener.ts';
import { createGate } from './network-rate-limit.ts';

/**
 * Lines that are open from outside. Each costs memory and a place among the system's own bound, whether anything is ever asked on it: of one network
 * there are so many at most, and where many networks fill the room, the one with the most makes way.
 */
export type Lines = {
  /**
   * @param origin where the connection was accepted; undefined: on the server's own port
   * @returns false when this connection is one too many
   */
  enter(socket: Socket, address: string, origin?: ConnectionOrigin): boolean;
};

/** This machine itself, and a proxy on it, which bounds its own. */
const isHere = (address: string): boolean =>
  address === '127.0.0.1' || address === '::1' || address === '::ffff:127.0.0.1';

const clock = { now: () => performance.now() };

export const createLines = (): Lines => {
  const gate = createGate({
    atOnce: MAX_LINES_PER_NETWORK,
    rate: { burst: STRANGER_BURST, intervalMs: STRANGER_INTERVAL_MS, clock },
  });
  const share = createFairShare<Socket>({ most: MAX_LINES, drop: (socket) => socket.destroy() });
  return {
    enter(socket, address, origin = 'own') {
      const isForwarder = isHere(address);
      if (isForwarder && origin === 'own') return true;
      // A forwarder on this machine brings many networks by one address: only the limit of all connections applies to it.
      const leave = isForwarder ? () => undefined : gate.enter(address);
      if (leave === undefined) return false;
      if (socket.destroyed || !share.enter(wideAddressGroup(address), socket)) {
        leave();
        return false;
      }
      socket.once('close', () => {
        leave();
        share.leave(socket);
      });
      return true;
    },
  };
};
