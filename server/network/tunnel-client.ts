import type { KeyObject } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { systemClock } from '../platform/clock.ts';
import { silentLog } from '../platform/log.ts';
import { createLookup } from '../platform/outbound/dns-lookup.ts';
import { createRelayClient } from '../platform/tunnel/client.ts';
import { systemTimers } from '../platform/tunnel/timers.ts';

/**
 * Tunnel that this process opens for a server that opens none itself, so that all servers can be reached through the
 * relay's port.
 */
export type ServiceTunnel = {
  readonly name: string;
  /** Resolves with true, as `Service.stop` does after a clean stop. */
  stop(): Promise<boolean>;
};

export type TunnelKey = { privateKey: KeyObject; publicKey: KeyObject };

const RELEASE_TIMEOUT_MS = 500;

/** Opens a tunnel. Resolves when it is up. @throws Error if the relay cannot be reached or refuses the name */
export const openServiceTunnel = async (options: {
  relay: URL;
  name: string;
  key: TunnelKey;
  targetPort: number;
}): Promise<ServiceTunnel> => {
  const { relay, name, key, targetPort } = options;
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.setNoDelay(true).once('close', () => sockets.delete(socket));
  };
  const ready = Promise.withResolvers<void>();
  const relayClient = createRelayClient({
    relay,
    name,
    address: `${name}.${relay.host}`,
    keys: () => [{ ...key, kid: name, retired: false }],
    lookup: createLookup(),
    trustedCertificates: undefined,
    onClient(clientSocket) {
      const targetSocket = track(connect({ host: '127.0.0.1', port: targetPort, allowHalfOpen: true }));
      // If one end fails, the other is destroyed, because a truncated response must not look complete.
      pipeline(track(clientSocket), targetSocket, clientSocket, () => undefined);
    },
    onChange() {
      const { phase, problem } = relayClient.view();
      if (phase === 'up') ready.resolve();
      else if (problem !== null) ready.reject(new Error(`The tunnel of ${name} did not open: ${problem}`));
    },
    timers: systemTimers,
    clock: systemClock,
    log: silentLog(),
    random: Math.random,
  });
  const stop = async (): Promise<boolean> => {
    await relayClient.close(RELEASE_TIMEOUT_MS);
    const closePromises = [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of sockets) socket.destroy();
    await Promise.all(closePromises);
    return true;
  };
  relayClient.start();
  try {
    await ready.promise;
  } catch (error) {
    await stop();
    throw error;
  }
  return { name, stop };
};
