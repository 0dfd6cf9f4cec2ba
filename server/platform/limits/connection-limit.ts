import type { Socket } from 'node:net';
import {
  MAX_CONNECTIONS,
  MAX_CONNECTIONS_PER_NETWORK,
  ANONYMOUS_BURST,
  ANONYMOUS_INTERVAL_MS,
} from '../../wire/limits.ts';
import { wideAddressGroup } from './address-group.ts';
import { createFairAdmission } from './fair-admission.ts';
import type { ConnectionOrigin } from '../http/listener.ts';
import { createNetworkConcurrencyLimit } from './network-rate-limit.ts';

/**
 * Lines that are open from outside. Each costs memory and a place among the system's own bound, whether anything is ever asked on it: of one network
 * there are so many at most, and where many networks fill the room, the one with the most makes way.
 */
export type ConnectionLimit = {
  /**
   * @param origin where the connection was accepted; undefined: on the server's own port
   * @returns false when this connection is one too many
   */
  admit(socket: Socket, address: string, origin?: ConnectionOrigin): boolean;
};

/** This machine itself, and a proxy on it, which bounds its own. */
const isLoopbackAddress = (address: string): boolean =>
  address === '127.0.0.1' || address === '::1' || address === '::ffff:127.0.0.1';

const clock = { now: () => performance.now() };

export const createConnectionLimit = (): ConnectionLimit => {
  const gate = createNetworkConcurrencyLimit({
    maxConcurrent: MAX_CONNECTIONS_PER_NETWORK,
    rate: { burst: ANONYMOUS_BURST, intervalMs: ANONYMOUS_INTERVAL_MS, clock },
  });
  const share = createFairAdmission<Socket>({ max: MAX_CONNECTIONS, onEvict: (socket) => socket.destroy() });
  return {
    admit(socket, address, origin = 'own') {
      const isForwarder = isLoopbackAddress(address);
      if (isForwarder && origin === 'own') return true;
      // A forwarder on this machine brings many networks by one address: only the limit of all connections applies to it.
      const leave = isForwarder ? () => undefined : gate.admit(address);
      if (leave === undefined) return false;
      if (socket.destroyed || !share.admit(wideAddressGroup(address), socket)) {
        leave();
        return false;
      }
      socket.once('close', () => {
        leave();
        share.release(socket);
      });
      return true;
    },
  };
};
