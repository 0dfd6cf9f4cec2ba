import type { Socket } from 'node:net';
import { wideAddressGroup } from '../../platform/limits/address-group.ts';
import type { Clock } from '../../platform/clock.ts';
import { createFairAdmission } from '../../platform/limits/fair-admission.ts';
import { Failure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import {
  createNetworkConcurrencyLimit,
  type NetworkConcurrencyLimit,
} from '../../platform/limits/network-rate-limit.ts';
import type { Peer } from '../../platform/tunnel/protocol.ts';
import type { RelayAddresses } from '../addresses.ts';
import { detectProtocol, type DetectedProtocol } from './protocol-detection.ts';
import { sendFinal } from '../tunnel/sockets.ts';
import type { RelayLimits } from '../limits.ts';
import type { RelayServers } from '../http/servers.ts';
import type { SessionRegistry } from '../tunnel/session-registry.ts';

/** Fatal TLS alert `unrecognized_name` (RFC 6066, section 3). Sending it requires no key for the name. */
const UNRECOGNIZED_NAME = Buffer.from([21, 3, 3, 0, 2, 2, 112]);
const KEEP_ALIVE_MS = 30_000;

const IPV4_MAPPED_PREFIX = /^::ffff:(?=\d+\.)/iu;

/**
 * Returns the peer's address and port in the format of the tunnel protocol: plain IPv4, or IPv6 without a zone ID.
 * Returns undefined if the socket is not connected.
 */
const peerOf = (socket: Socket): Peer | undefined => {
  const { remoteAddress, remotePort } = socket;
  if (remoteAddress === undefined || remotePort === undefined) return undefined;
  return { address: remoteAddress.replace(IPV4_MAPPED_PREFIX, '').replace(/%.*$/u, ''), port: remotePort };
};

export const createIngress = (parts: {
  addresses: RelayAddresses;
  sessions: Pick<SessionRegistry, 'find' | 'admit'>;
  servers: Pick<RelayServers, 'acceptPlain' | 'acceptTls'>;
  limits: RelayLimits;
  clock: Clock;
  log: Log;
}) => {
  const { addresses, sessions, servers, limits, clock, log } = parts;
  const sockets = new Set<Socket>();
  /** Connections whose protocol is not yet known. A full pool evicts connections of the largest network. */
  const openingPool = createFairAdmission<Socket>({
    max: limits.openingConnections,
    onEvict: (socket) => socket.destroy(),
  });
  const openingLimit = createNetworkConcurrencyLimit({ maxConcurrent: limits.openingPerNetwork });
  const connectionLimit = createNetworkConcurrencyLimit({ maxConcurrent: limits.connectionsPerNetwork });
  const clientLimit = createNetworkConcurrencyLimit({
    maxConcurrent: limits.clientsPerNetwork,
    rate: { burst: limits.clientBurst, intervalMs: limits.clientIntervalMs, clock },
  });
  const apiLimit = createNetworkConcurrencyLimit({
    maxConcurrent: limits.apiPerNetwork,
    rate: { burst: limits.apiBurst, intervalMs: limits.apiIntervalMs, clock },
  });

  /** Occupies a slot until the socket closes. @returns false if no slot is free or the rate limit is exceeded */
  const admit = (limit: NetworkConcurrencyLimit, socket: Socket, address: string): boolean => {
    const release = limit.admit(address);
    if (release === undefined) return false;
    socket.once('close', release);
    // A socket that has already closed emits no further `close` event.
    if (socket.closed) release();
    return true;
  };

  /** @returns false if no PDA accepted the client */
  const forward = async (socket: Socket, name: string, bytes: Buffer): Promise<boolean> => {
    const peer = peerOf(socket);
    return peer !== undefined && (await sessions.find(name)?.forward(socket, bytes, peer)) === true;
  };

  const routeTls = async (
    socket: Socket,
    address: string,
    serverName: string | undefined,
    bytes: Buffer,
  ): Promise<void> => {
    if (serverName !== undefined && !addresses.isLocal && addresses.isOwnName(serverName)) {
      if (!admit(apiLimit, socket, address) || !servers.acceptTls(socket, bytes)) socket.destroy();
      return;
    }
    const name = serverName === undefined ? undefined : addresses.nameOf(serverName);
    if (name === undefined || sessions.find(name) === undefined) {
      sendFinal(socket, UNRECOGNIZED_NAME);
    } else if (!admit(clientLimit, socket, address)) {
      socket.destroy();
    } else if (!(await forward(socket, name, bytes)) && !socket.destroyed) {
      sendFinal(socket, UNRECOGNIZED_NAME);
    }
  };

  const routeHttp = async (socket: Socket, address: string, host: string, bytes: Buffer): Promise<void> => {
    const name = addresses.nameOf(host);
    // PDAs receive plain HTTP only on local domains.
    const isForPda = addresses.isLocal && name !== undefined && sessions.find(name) !== undefined;
    if (!admit(isForPda ? clientLimit : apiLimit, socket, address)) {
      const refusal = new Failure('rate_limited', 'Too many connections from this network. Try again in 2 s.', {
        headers: { 'retry-after': '2' },
      });
      servers.acceptPlain(socket, bytes, refusal);
      return;
    }
    if (isForPda && (await forward(socket, name, bytes))) return;
    if (!socket.destroyed) servers.acceptPlain(socket, bytes);
  };

  const route = async (socket: Socket, address: string, protocol: DetectedProtocol): Promise<void> => {
    if (protocol.kind === 'tls') await routeTls(socket, address, protocol.serverName, protocol.bytes);
    else if (protocol.kind === 'http') await routeHttp(socket, address, protocol.host, protocol.bytes);
    else if (protocol.kind === 'none' || !sessions.admit(socket, protocol.line, protocol.rest)) socket.destroy();
  };

  return {
    accept(socket: Socket): void {
      // An unhandled socket error would end the process. The `close` event that follows frees the resources.
      socket.on('error', (error) => log.debug({ err: error }, 'connection failed'));
      const peer = peerOf(socket);
      if (peer === undefined) {
        socket.destroy();
        return;
      }
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      const { address } = peer;
      const releaseOpening = openingLimit.admit(address);
      if (
        releaseOpening === undefined ||
        !admit(connectionLimit, socket, address) ||
        !openingPool.admit(wideAddressGroup(address), socket)
      ) {
        releaseOpening?.();
        socket.destroy();
        return;
      }
      socket.setKeepAlive(true, KEEP_ALIVE_MS);
      const bounds = { maxBytes: limits.maxFirstBytes, timeoutMs: limits.openingTimeoutMs };
      detectProtocol(socket, bounds, (protocol) => {
        releaseOpening();
        openingPool.release(socket);
        route(socket, address, protocol).catch((error: unknown) => {
          log.error({ err: error }, 'could not route a connection');
          socket.destroy();
        });
      });
    },
    openingConnectionCount: openingPool.size,
    close(): void {
      for (const socket of sockets) socket.destroy();
    },
  };
};
