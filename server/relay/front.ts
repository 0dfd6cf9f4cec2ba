import type { Socket } from 'node:net';
import { addressGroup } from '../platform/address-group.ts';
import type { Clock } from '../platform/clock.ts';
import { Failure } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';
import type { Visit } from '../platform/tunnel-protocol.ts';
import type { Addresses } from './addresses.ts';
import { UNRECOGNIZED_NAME } from './client-hello.ts';
import { readFirstBytes, type First } from './first-bytes.ts';
import { createGate } from './gate.ts';
import type { RelayLimits } from './limits.ts';
import type { OwnServers } from './own-servers.ts';
import type { Sessions } from './sessions.ts';

/** Milliseconds in which the other end can still read a last word. */
const LAST_WORD_MS = 2000;
/** Milliseconds of silence after which the system asks whether the other end is still there. */
const KEEP_ALIVE_MS = 30_000;

const MAPPED = /^::ffff:(?=\d+\.)/iu;

/** Who is at the other end, in the spelling of the protocol: IPv4 as such, and without the interface of a link-local address. */
export const visitOf = (socket: Socket): Visit | undefined => {
  const { remoteAddress, remotePort } = socket;
  if (remoteAddress === undefined || remotePort === undefined) return undefined;
  return { address: remoteAddress.replace(MAPPED, '').replace(/%.*$/u, ''), port: remotePort };
};

const sayLast = (socket: Socket, bytes: Buffer): void => {
  const timer = setTimeout(() => socket.destroy(), LAST_WORD_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end(bytes);
  // What still comes is thrown away: unread, it would turn our end into a break, and the last word would be lost.
  socket.once('end', () => socket.destroy()).resume();
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
  const openingOf = new Map<string, number>();
  let opening = 0;
  const visitors = createGate({
    atOnce: limits.visitorsPerNetwork,
    burst: limits.visitorBurst,
    intervalMs: limits.visitorIntervalMs,
    clock,
  });
  const callers = createGate({
    atOnce: limits.apiPerNetwork,
    burst: limits.apiBurst,
    intervalMs: limits.apiIntervalMs,
    clock,
  });

  /** @returns whether this network may have one more line that says nothing yet */
  const begin = (network: string): boolean => {
    const count = openingOf.get(network) ?? 0;
    if (opening >= limits.opening || count >= limits.openingPerNetwork) return false;
    openingOf.set(network, count + 1);
    opening += 1;
    return true;
  };
  const begun = (network: string): void => {
    opening -= 1;
    const count = (openingOf.get(network) ?? 1) - 1;
    if (count === 0) openingOf.delete(network);
    else openingOf.set(network, count);
  };

  /** Lets somebody in for as long as the line lives. */
  const enter = (gate: typeof visitors, socket: Socket, network: string): boolean => {
    const leave = gate.enter(network);
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
    network: string,
    serverName: string | undefined,
    bytes: Buffer,
  ): Promise<void> => {
    if (serverName !== undefined && !addresses.local && addresses.isOwnName(serverName)) {
      if (!enter(callers, socket, network) || !own.secure(socket, bytes)) socket.destroy();
      return;
    }
    const name = serverName === undefined ? undefined : addresses.nameOf(serverName);
    if (name === undefined || sessions.find(name) === undefined) {
      sayLast(socket, UNRECOGNIZED_NAME);
    } else if (!enter(visitors, socket, network)) {
      socket.destroy();
    } else if (!(await visit(socket, name, bytes)) && !socket.destroyed) {
      sayLast(socket, UNRECOGNIZED_NAME);
    }
  };

  const routeHttp = async (socket: Socket, network: string, host: string, bytes: Buffer): Promise<void> => {
    const name = addresses.nameOf(host);
    const raw = addresses.local && name !== undefined && sessions.find(name) !== undefined;
    if (!enter(raw ? visitors : callers, socket, network)) {
      const refusal = new Failure('rate_limited', 'Too many connections from this network. Wait a moment.', {
        headers: { 'retry-after': '2' },
      });
      own.plain(socket, bytes, refusal);
      return;
    }
    if (raw && (await visit(socket, name, bytes))) return;
    if (!socket.destroyed) own.plain(socket, bytes);
  };

  const route = async (socket: Socket, network: string, first: First): Promise<void> => {
    if (first.kind === 'tls') await routeTls(socket, network, first.serverName, first.bytes);
    else if (first.kind === 'http') await routeHttp(socket, network, first.host, first.bytes);
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
      const network = addressGroup(who.address);
      if (!begin(network)) {
        socket.destroy();
        return;
      }
      socket.setKeepAlive(true, KEEP_ALIVE_MS);
      readFirstBytes(socket, { maxBytes: limits.firstBytes, timeMs: limits.openingMs }, (first) => {
        begun(network);
        route(socket, network, first).catch((error: unknown) => {
          log.error({ err: error }, 'a line could not be routed');
          socket.destroy();
        });
      });
    },
    opening: () => opening,
    /** Ends whatever is left. */
    close(): void {
      for (const socket of sockets) socket.destroy();
    },
  };
};
