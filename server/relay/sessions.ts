import type { Socket } from 'node:net';
import type { Log } from '../platform/log.ts';
import { isOpen, readOpen } from '../platform/tunnel-protocol.ts';
import type { RelayLimits } from './limits.ts';
import { createSession, type Session } from './session.ts';

export type Sessions = ReturnType<typeof createSessions>;

/** The PDAs that are there, by name. */
export const createSessions = (parts: { limits: RelayLimits; log: Log }) => {
  const { limits, log } = parts;
  const byName = new Map<string, Session>();
  const byId = new Map<string, Session>();
  /** Sessions that are over, with visits that their PDAs have still to end. */
  const leaving = new Set<Session>();
  let closing = false;

  const end = (session: Session, why: string, isTaken = false): void => {
    byId.delete(session.id);
    if (byName.get(session.name) === session) byName.delete(session.name);
    session.stopWaiting(isTaken);
    leaving.add(session);
    log.info({ name: session.name, why }, 'a tunnel is over');
  };

  const sweep = setInterval(() => {
    const now = performance.now();
    for (const session of byId.values()) if (session.sweep(now)) end(session, 'no connection');
    for (const session of leaving) if (session.visiting() === 0) leaving.delete(session);
  }, limits.sweepMs);

  const endNamed = (name: string, why: string): boolean => {
    const session = byName.get(name);
    if (session !== undefined) end(session, why);
    return session !== undefined;
  };

  return {
    find: (name: string): Session | undefined => byName.get(name),

    /** A new session for a name; the one before is over. */
    start(name: string): Session {
      const before = byName.get(name);
      if (before !== undefined) end(before, 'claimed anew', true);
      const session = createSession(name, limits);
      byName.set(name, session);
      byId.set(session.id, session);
      log.info({ name }, 'a tunnel is claimed');
      return session;
    },
    /** Ends a session: nobody is let in any more. Who is in stays until the PDA ends it. @returns whether there was one */
    end: endNamed,

    /** Ends everything of a name at once, visits and all. */
    cut(name: string, why: string): void {
      endNamed(name, why);
      for (const session of leaving) if (session.name === name) session.end();
    },

    /** Lets a line in whose first words prove that it is of a session. @returns false when it is not: the caller ends it. */
    admit(socket: Socket, words: string, rest: Buffer): boolean {
      const line = readOpen(words);
      const session = line === undefined || closing ? undefined : byId.get(line.session);
      if (line === undefined || session === undefined || !isOpen(session.secret, line)) return false;
      // Only what is proven uses a number up: nobody else can take one away.
      return session.useCounter(line.counter) && session.add(socket, { counter: line.counter, rest });
    },

    size: () => byId.size,
    connections: () => byId.values().reduce((sum, session) => sum + session.connections(), 0),
    visiting: () => [...byId.values(), ...leaving].reduce((sum, session) => sum + session.visiting(), 0),

    /** PDAs are told at once, so that they look for the relay again; visits have a moment to end. */
    async close(): Promise<void> {
      closing = true;
      clearInterval(sweep);
      for (const session of byId.values()) end(session, 'the relay stops');
      const until = performance.now() + limits.drainMs;
      while (performance.now() < until && leaving.values().some((session) => session.visiting() > 0)) {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      for (const session of leaving) session.end();
      leaving.clear();
    },
  };
};
