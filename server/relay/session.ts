import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { wideAddressGroup } from '../platform/address-group.ts';
import { createFairShare } from '../platform/fair-share.ts';
import type { Visit } from '../platform/tunnel-protocol.ts';
import type { RelayLimits } from './limits.ts';
import { joinSockets } from './pipe.ts';
import { createTunnelConnection, type TunnelConnection } from './tunnel-connection.ts';

export type Session = ReturnType<typeof createSession>;

type Waiter = (connection: TunnelConnection | undefined) => void;

/** How far back numbers of connections are told apart: lines that were opened together come in any order. */
const COUNTERS = 1024;

/** What a PDA holds of its relay after a claim: lines that wait, and visitors who have one. */
export const createSession = (name: string, limits: RelayLimits) => {
  const secret = randomBytes(32);
  const id = randomBytes(16).toString('base64url');
  const sockets = new Set<Socket>();
  const visitors = new Set<Socket>();
  let waiting: TunnelConnection[] = [];
  const waiters: Waiter[] = [];
  const counters = new Set<number>();
  let highest = 0;
  /** Visitors who wait for a line, or have one. Who makes room loses theirs. */
  const share = createFairShare<Socket>({ most: limits.visitorsPerName, drop: (visitor) => visitor.destroy() });
  let visiting = 0;
  let emptySince = performance.now();
  let ended = false;

  /** The newest first: the longer one lies idle, the likelier a router on the way has forgotten it. */
  const take = (until: number): Promise<TunnelConnection | undefined> => {
    if (ended) return Promise.resolve(undefined);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
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
        Math.max(0, until - performance.now()),
      );
      waiters.push(finish);
    });
  };

  const offer = (connection: TunnelConnection): void => {
    const waiter = waiters.shift();
    if (waiter === undefined) waiting.push(connection);
    else waiter(connection);
  };

  return {
    name,
    id,
    secret,
    /** Whether a connection of this number may still come. Takes it. */
    useCounter(counter: number): boolean {
      if (counter <= highest - COUNTERS || counters.has(counter)) return false;
      counters.add(counter);
      highest = Math.max(highest, counter);
      if (counters.size > 2 * COUNTERS) {
        for (const old of counters) if (old <= highest - COUNTERS) counters.delete(old);
      }
      return true;
    },

    /** Takes a proven line in. @returns false when there are as many as may be */
    add(socket: Socket, line: { counter: number; rest: Buffer }): boolean {
      if (ended || sockets.size >= limits.connectionsPerName) return false;
      sockets.add(socket);
      socket.once('close', () => {
        sockets.delete(socket);
        if (sockets.size === 0) emptySince = performance.now();
      });
      const { counter, rest } = line;
      offer(createTunnelConnection(socket, { secret, line: { session: id, counter }, rest }));
      return true;
    },

    /**
     * Hands a visitor over to the PDA, with the bytes that they said already. @returns false when it took nobody over in time: the visitor's line is as
     * it was, and the caller's.
     */
    async receive(visitor: Socket, first: Buffer, visit: Visit): Promise<boolean> {
      if (ended || !share.enter(wideAddressGroup(visit.address), visitor)) return false;
      visiting += 1;
      let joined = false;
      const over = (): void => {
        visiting -= 1;
        share.leave(visitor);
        visitors.delete(visitor);
      };
      try {
        const until = performance.now() + limits.visitorWaitMs;
        while (!joined) {
          const connection = await take(until);
          if (connection === undefined) return false;
          if (visitor.destroyed) {
            offer(connection);
            return false;
          }
          const left = Math.max(1, until - performance.now());
          const rest = await connection.hand(visit, Math.min(limits.goMs, left));
          if (rest === undefined) continue;
          joined = true;
          visitors.add(visitor);
          joinSockets(visitor, connection.socket, { first, rest, idleMs: limits.visitIdleMs, done: over });
        }
        return true;
      } finally {
        if (!joined) over();
      }
    },

    /** Ends waiting lines that have been silent for too long. @returns whether the session is over: it has had no line for a while. */
    sweep(now: number): boolean {
      waiting = waiting.filter((connection) => {
        if (connection.socket.destroyed) return false;
        if (now - connection.lastSign() <= limits.silentMs) return true;
        connection.socket.destroy();
        return false;
      });
      return sockets.size === 0 && now - emptySince > limits.emptyMs;
    },

    /** Ends what waits; visitors keep their lines. `isTaken`: by another claim of the name. */
    stopWaiting(isTaken: boolean): void {
      ended = true;
      for (const connection of waiting.splice(0)) {
        if (isTaken && !connection.socket.destroyed) connection.tellTaken();
        else connection.socket.destroy();
      }
      for (const waiter of waiters.splice(0)) waiter(undefined);
    },

    /** Ends everything at once. */
    end(): void {
      ended = true;
      for (const waiter of waiters.splice(0)) waiter(undefined);
      for (const socket of sockets) socket.destroy();
      for (const visitor of visitors) visitor.destroy();
      waiting = [];
    },
    visiting: () => visiting,
    connections: () => sockets.size,
  };
};
