import type { Socket } from 'node:net';
import type { Log } from '../../platform/log.ts';
import { verifyOpenLine, parseOpenLine } from '../../platform/tunnel/protocol.ts';
import type { RelayLimits } from '../limits.ts';
import { createSession, type Session } from './session.ts';

const DRAIN_POLL_MS = 20;

export type SessionRegistry = ReturnType<typeof createSessionRegistry>;

export const createSessionRegistry = (parts: { limits: RelayLimits; log: Log }) => {
  const { limits, log } = parts;
  const byName = new Map<string, Session>();
  const byId = new Map<string, Session>();
  /** Ended sessions whose clients may still be connected. */
  const drainingSessions = new Set<Session>();
  let isClosing = false;

  const endSession = (session: Session, reason: string, isNameTaken = false): void => {
    byId.delete(session.id);
    if (byName.get(session.name) === session) byName.delete(session.name);
    session.drain(isNameTaken);
    drainingSessions.add(session);
    log.info({ name: session.name, reason }, 'tunnel session ended');
  };

  const sweepTimer = setInterval(() => {
    const now = performance.now();
    for (const session of byId.values()) if (session.sweep(now)) endSession(session, 'no connection');
    for (const session of drainingSessions) if (session.clientCount() === 0) drainingSessions.delete(session);
  }, limits.sweepIntervalMs);

  const end = (name: string, reason: string): boolean => {
    const session = byName.get(name);
    if (session !== undefined) endSession(session, reason);
    return session !== undefined;
  };

  return {
    find: (name: string): Session | undefined => byName.get(name),

    start(name: string): Session {
      const previous = byName.get(name);
      if (previous !== undefined) endSession(previous, 'claimed again', true);
      const session = createSession(name, limits);
      byName.set(name, session);
      byId.set(session.id, session);
      log.info({ name }, 'tunnel session started');
      return session;
    },
    /** Ends a name's session, which keeps its clients but accepts no new ones. @returns true if there was a session */
    end,

    /** Ends all sessions of a name and disconnects their clients. */
    terminate(name: string, reason: string): void {
      end(name, reason);
      for (const session of drainingSessions) if (session.name === name) session.destroy();
    },

    /** Adds a connection to its session. @returns false if it is refused; the caller then closes the socket */
    admit(socket: Socket, firstLine: string, rest: Buffer): boolean {
      const connection = parseOpenLine(firstLine);
      const session = connection === undefined || isClosing ? undefined : byId.get(connection.session);
      if (connection === undefined || session === undefined || !verifyOpenLine(session.secret, connection))
        return false;
      // The counter is used only after verification, so that forged lines cannot block counters.
      const { counter } = connection;
      return session.useCounter(counter) && session.addConnection(socket, { counter, rest });
    },

    size: () => byId.size,
    connectionCount: () => byId.values().reduce((sum, session) => sum + session.connectionCount(), 0),
    clientCount: () => [...byId.values(), ...drainingSessions].reduce((sum, session) => sum + session.clientCount(), 0),

    /** Closes idle connections immediately, so that PDAs reconnect, and gives clients `drainMs` to finish. */
    async close(): Promise<void> {
      isClosing = true;
      clearInterval(sweepTimer);
      for (const session of byId.values()) endSession(session, 'relay is shutting down');
      const deadline = performance.now() + limits.drainMs;
      while (performance.now() < deadline && drainingSessions.values().some((session) => session.clientCount() > 0)) {
        await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
      }
      for (const session of drainingSessions) session.destroy();
      drainingSessions.clear();
    },
  };
};
