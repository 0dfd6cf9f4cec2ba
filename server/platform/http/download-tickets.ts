import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { DOWNLOAD_TICKET_MS } from '../../wire/limits.ts';
import type { Clock } from '../clock.ts';
import { Failure } from '../failure.ts';

/** The sessions that tickets are bound to. `onSessionChange` returns a function that unsubscribes. */
type Sessions = { isSessionAlive(id: string): boolean; onSessionChange(listener: () => void): () => void };

/**
 * One-time tickets for downloads that the browser starts without our headers. A ticket does not outlive the session
 * that requested it.
 */
export type DownloadTickets<What> = {
  /** Issues a one-time ticket that is valid for a minute. */
  issue(subject: What, sessionId: string): string;
  /**
   * Uses a ticket up and returns what it was issued for. `bind` destroys a stream when the session ends, even while
   * the client does not read.
   * @throws Failure not_found for an unknown, used or expired ticket
   */
  redeem(ticket: string): { subject: What; bind: (stream: Readable) => void };
};

/** Creates a ticket store. @param most maximum number of tickets; the oldest are dropped first */
export const createDownloadTickets = <What>(parts: {
  sessions: Sessions;
  clock: Clock;
  most: number;
}): DownloadTickets<What> => {
  const { sessions, clock, most } = parts;
  const tickets = new Map<string, { subject: What; sessionId: string; until: number }>();
  return {
    issue(subject, sessionId) {
      const now = clock.now();
      for (const [key, { until }] of tickets) if (until < now || tickets.size >= most) tickets.delete(key);
      const ticket = randomBytes(24).toString('base64url');
      tickets.set(ticket, { subject, sessionId, until: now + DOWNLOAD_TICKET_MS });
      return ticket;
    },
    redeem(ticket) {
      const entry = tickets.get(ticket);
      tickets.delete(ticket);
      if (entry === undefined || entry.until < clock.now() || !sessions.isSessionAlive(entry.sessionId))
        throw new Failure('not_found', 'This download address has expired. Start the export again.');
      const { subject, sessionId } = entry;
      const bind = (stream: Readable): void => {
        const unsubscribe = sessions.onSessionChange(() => {
          if (!sessions.isSessionAlive(sessionId)) stream.destroy(new Error('the session has ended'));
        });
        stream.once('close', unsubscribe);
      };
      return { subject, bind };
    },
  };
};
