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

/** Limits open connections, except local ones to the server's own port. Each costs memory and a file descriptor. */
export type ConnectionLimit = {
  /** Counts a connection until it closes. @returns false if a limit is exceeded or the socket is destroyed */
  admit(socket: Socket, address: string, origin?: ConnectionOrigin): boolean;
};

const isLoopbackAddress = (address: string): boolean =>
  address === '127.0.0.1' || address === '::1' || address === '::ffff:127.0.0.1';

/** A monotonic clock, which cannot be set back. */
const clock = { now: () => performance.now() };

export const createConnectionLimit = (): ConnectionLimit => {
  const networkLimit = createNetworkConcurrencyLimit({
    maxConcurrent: MAX_CONNECTIONS_PER_NETWORK,
    rate: { burst: ANONYMOUS_BURST, intervalMs: ANONYMOUS_INTERVAL_MS, clock },
  });
  const admission = createFairAdmission<Socket>({ max: MAX_CONNECTIONS, onEvict: (socket) => socket.destroy() });
  return {
    admit(socket, address, origin = 'own') {
      const isLoopback = isLoopbackAddress(address);
      // Proxies on this machine limit their connections themselves.
      if (isLoopback && origin === 'own') return true;
      // A forwarder on this machine carries many networks on one address, so only the total limit applies.
      const releaseSlot = isLoopback ? () => undefined : networkLimit.admit(address);
      if (releaseSlot === undefined) return false;
      if (socket.destroyed || !admission.admit(wideAddressGroup(address), socket)) {
        releaseSlot();
        return false;
      }
      socket.once('close', () => {
        releaseSlot();
        admission.release(socket);
      });
      return true;
    },
  };
};
