import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { wideAddressGroup } from '../../platform/limits/address-group.ts';
import { createFairAdmission } from '../../platform/limits/fair-admission.ts';
import type { Peer } from '../../platform/tunnel/protocol.ts';
import type { RelayLimits } from '../limits.ts';
import { pipeSockets } from './sockets.ts';
import { createTunnelConnection, type TunnelConnection } from './connection.ts';

export type Session = ReturnType<typeof createSession>;

type Waiter = (connection: TunnelConnection | undefined) => void;

/** Replay window of connection counters. Connections that open together arrive in any order. */
const COUNTER_WINDOW = 1024;

export const createSession = (name: string, limits: RelayLimits) => {
  const secret = randomBytes(32);
  const id = randomBytes(16).toString('base64url');
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  let idleConnections: TunnelConnection[] = [];
  const waiters: Waiter[] = [];
  const usedCounters = new Set<number>();
  let highestCounter = 0;
  /** Clients that wait for a connection or use one. A full pool evicts clients of the largest network. */
  const clientPool = createFairAdmission<Socket>({ max: limits.clientsPerName, onEvict: (client) => client.destroy() });
  let clientCount = 0;
  let emptySince = performance.now();
  let isEnded = false;

  /**
   * Takes the newest idle connection, because routers drop the NAT entries of connections that have been idle for a
   * long time. If there is none, waits for one until the deadline.
   */
  const takeIdle = (deadline: number): Promise<TunnelConnection | undefined> => {
    if (isEnded) return Promise.resolve(undefined);
    for (let next = idleConnections.pop(); next !== undefined; next = idleConnections.pop()) {
      if (!next.socket.destroyed) return Promise.resolve(next);
    }
    return new Promise((resolve) => {
      const finish: Waiter = (connection) => {
        clearTimeout(timer);
        resolve(connection);
      };
      const timer = setTimeout(
        () => {
          waiters.splice(waiters.indexOf(finish), 1);
          resolve(undefined);
        },
        Math.max(0, deadline - performance.now()),
      );
      waiters.push(finish);
    });
  };

  const addIdle = (connection: TunnelConnection): void => {
    const waiter = waiters.shift();
    if (waiter === undefined) idleConnections.push(connection);
    else waiter(connection);
  };

  return {
    name,
    id,
    secret,
    /** @returns false if the counter was used before or is older than the replay window */
    useCounter(counter: number): boolean {
      if (counter <= highestCounter - COUNTER_WINDOW || usedCounters.has(counter)) return false;
      usedCounters.add(counter);
      highestCounter = Math.max(highestCounter, counter);
      if (usedCounters.size > 2 * COUNTER_WINDOW) {
        for (const usedCounter of usedCounters)
          if (usedCounter <= highestCounter - COUNTER_WINDOW) usedCounters.delete(usedCounter);
      }
      return true;
    },

    /** @returns false if the session has ended or is full */
    addConnection(socket: Socket, { counter, rest }: { counter: number; rest: Buffer }): boolean {
      if (isEnded || sockets.size >= limits.connectionsPerName) return false;
      sockets.add(socket);
      socket.once('close', () => {
        sockets.delete(socket);
        if (sockets.size === 0) emptySince = performance.now();
      });
      addIdle(createTunnelConnection(socket, { secret, connectionId: { session: id, counter }, rest }));
      return true;
    },

    /** Forwards a client to the PDA. @returns false if that failed; the socket then belongs to the caller */
    async forward(client: Socket, firstBytes: Buffer, peer: Peer): Promise<boolean> {
      if (isEnded || !clientPool.admit(wideAddressGroup(peer.address), client)) return false;
      clientCount += 1;
      let isForwarded = false;
      const release = (): void => {
        clientCount -= 1;
        clientPool.release(client);
        clients.delete(client);
      };
      try {
        const deadline = performance.now() + limits.clientWaitMs;
        while (!isForwarded) {
          const connection = await takeIdle(deadline);
          if (connection === undefined) return false;
          if (client.destroyed) {
            addIdle(connection);
            return false;
          }
          const remainingMs = Math.max(1, deadline - performance.now());
          const rest = await connection.handOver(peer, Math.min(limits.handoverTimeoutMs, remainingMs));
          if (rest === undefined) continue;
          isForwarded = true;
          clients.add(client);
          pipeSockets(client, connection.socket, { firstBytes, rest, idleMs: limits.clientIdleMs, onClosed: release });
        }
        return true;
      } finally {
        if (!isForwarded) release();
      }
    },

    /**
     * Closes silent idle connections.
     * @returns true if the session has expired: it has had no connection for `sessionGraceMs`
     */
    sweep(now: number): boolean {
      idleConnections = idleConnections.filter((connection) => {
        if (connection.socket.destroyed) return false;
        if (now - connection.lastActivity() <= limits.silentMs) return true;
        connection.socket.destroy();
        return false;
      });
      return sockets.size === 0 && now - emptySince > limits.sessionGraceMs;
    },

    /**
     * Ends the session: closes its idle connections and keeps those in use.
     * @param isNameTaken true if the name was claimed again
     */
    drain(isNameTaken: boolean): void {
      isEnded = true;
      for (const connection of idleConnections.splice(0)) {
        if (isNameTaken && !connection.socket.destroyed) connection.closeAsTaken();
        else connection.socket.destroy();
      }
      for (const waiter of waiters.splice(0)) waiter(undefined);
    },

    destroy(): void {
      isEnded = true;
      for (const waiter of waiters.splice(0)) waiter(undefined);
      for (const socket of sockets) socket.destroy();
      for (const client of clients) client.destroy();
      idleConnections = [];
    },
    clientCount: () => clientCount,
    connectionCount: () => sockets.size,
  };
};
