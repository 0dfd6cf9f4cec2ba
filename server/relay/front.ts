import type { Socket } from 'node:net';
import { wideAddressGroup } from '../platform/address-group.ts';
import type { Clock } from '../platform/clock.ts';
import { createFairShare } from '../platform/fair-share.ts';
import { Failure } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';
import { createGate, type Gate } from '../platform/network-gate.ts';
import type { Visit } from '../platform/tunnel-protocol.ts';
import type { Addresses } from './addresses.ts';
import { readFirstBytes, type First } from './first-bytes.ts';
import { sayLast } from './last-word.ts';
import type { RelayLimits } from './limits.ts';
import type { OwnServers } from './own-servers.ts';
import type { Sessions } from './sessions.ts';

/** TLS alert `unrecognized_name`, fatal (RFC 6066, 3): all that a relay without keys can say. */
const UNRECOGNIZED_NAME = Buffer.from([21, 3, 3, 0, 2, 2, 112]);
/** Milliseconds of silence after which the system asks whether the other end is still there. */
const KEEP_ALIVE_MS = 30_000;

const MAPPED = /^::ffff:(?=\d+\.)/iu;

/** Who is at the other end, in the spelling of the protocol: IPv4 as such, and without the interface of a link-local address. */
export const visitOf = (socket: Socket): Visit | undefined => {
  const { remoteAddress, remotePort } = socket;
  if (remoteAddress === undefined || remotePort === undefined) return undefined;
  return { address: remoteAddress.replace(MAPPED, '').replace(/%.*$/u, ''), port: remotePort };
};

/** Takes every line of the public port, and finds out where it belongs. */
export const createFront = (parts: {
  addresses: Addresses;
  sessions: Pick<Sessions, 'find' | 'admit'>;
  own: Pick<OwnServers, 'plain' | 'secure'>;
  limits: RelayLimits;
  clock: Clock;
  log: Log;
}) => {
  const { addresses, sessions, own, limits, clock, log } = parts;
  const sockets = new Set<Socket>();
  /** Lines that have not said yet what they want: those of many strangers make room for who comes from elsewhere. */
  const opening = createFairShare<Socket>({ most: limits.opening, drop: (socket) => socket.destroy() });
  const openers = createGate({ atOnce: limits.openingPerNetwork });
  const lines = createGate({ atOnce: limits.linesPerNetwork });
  const visitors = createGate({
    atOnce: limits.visitorsPerNetwork,
    rate: { burst: limits.visitorBurst, intervalMs: limits.visitorIntervalMs, clock },
  });
  const callers = createGate({
    atOnce: limits.apiPerNetwork,
    rate: { burst: limits.apiBurst, intervalMs: limits.apiIntervalMs, clock },
  });

  /** Lets somebody in for as long as the line lives. */
  const enter = (gate: Gate, socket: Socket, address: string): boolean => {
    const leave = gate.enter(address);
    if (leave === undefined) return false;
    socket.once('close', leave);
    // Gone in the same moment: nobody would hear it close any more.
    if (socket.closed) leave();
    return true;
  };

  /** @returns false when there is no PDA that took them */
  const visit = async (socket: Socket, name: string, bytes: Buffer): Promise<boolean> => {
    const who = visitOf(socket);
    return who !== undefined && (await sessions.find(name)?.receive(socket, bytes, who)) === true;
  };

  const routeTls = async (
    socket: Socket,
    address: string,
    serverName: string | undefined,
    bytes: Buffer,
  ): Promise<void> => {
    if (serverName !== undefined && !addresses.local && addresses.isOwnName(serverName)) {
      if (!enter(callers, socket, address) || !own.secure(socket, bytes)) socket.destroy();
      return;
    }
    const name = serverName === undefined ? undefined : addresses.nameOf(serverName);
    if (name === undefined || sessions.find(name) === undefined) {
      sayLast(socket, UNRECOGNIZED_NAME);
    } else if (!enter(visitors, socket, address)) {
      socket.destroy();
    } else if (!(await visit(socket, name, bytes)) && !socket.destroyed) {
      sayLast(socket, UNRECOGNIZED_NAME);
    }
  };

  const routeHttp = async (socket: Socket, address: string, host: string, bytes: Buffer): Promise<void> => {
    const name = addresses.nameOf(host);
    const raw = addresses.local && name !== undefined && sessions.find(name) !== undefined;
    if (!enter(raw ? visitors : callers, socket, address)) {
      const refusal = new Failure('rate_limited', 'Too many connections from this network. Wait a moment.', {
        headers: { 'retry-after': '2' },
      });
      own.plain(socket, bytes, refusal);
      return;
    }
    if (raw && (await visit(socket, name, bytes))) return;
    if (!socket.destroyed) own.plain(socket, bytes);
  };

  const route = async (socket: Socket, address: string, first: First): Promise<void> => {
    if (first.kind === 'tls') await routeTls(socket, address, first.serverName, first.bytes);
    else if (first.kind === 'http') await routeHttp(socket, address, first.host, first.bytes);
    else if (first.kind === 'nothing' || !sessions.admit(socket, first.line, first.rest)) socket.destroy();
  };

  return {
    accept(socket: Socket): void {
      // Without a listener a broken line would end the whole relay; what it means, its `close` tells whoever has the line.
      socket.on('error', (error) => log.debug({ err: error }, 'a line broke'));
      const who = visitOf(socket);
      if (who === undefined) {
        socket.destroy();
        return;
      }
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      const { address } = who;
      const begun = openers.enter(address);
      if (begun === undefined || !enter(lines, socket, address) || !opening.enter(wideAddressGroup(address), socket)) {
        begun?.();
        socket.destroy();
        return;
      }
      socket.setKeepAlive(true, KEEP_ALIVE_MS);
      readFirstBytes(socket, { maxBytes: limits.firstBytes, timeMs: limits.openingMs }, (first) => {
        begun();
        opening.leave(socket);
        route(socket, address, first).catch((error: unknown) => {
          log.error({ err: error }, 'a line could not be routed');
          socket.destroy();
        });
      });
    },
    opening: opening.size,
    /** Ends whatever is left. */
    close(): void {
      for (const socket of sockets) socket.destroy();
    },
  };
};
