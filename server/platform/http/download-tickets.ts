import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { DOWNLOAD_TICKET_MS } from '../../wire/limits.ts';
import { ownerSessionOf, type Principal } from '../auth/principal.ts';
import type { Clock } from '../clock.ts';
import { Failure } from '../failure.ts';

type Sessions = { isSessionAlive(id: string): boolean; onSessionChange(listener: () => void): () => void };

/** One-time tickets for downloads that a browser starts itself, without the token header. */
export type DownloadTickets<Subject> = {
  /**
   * Issues a ticket that is valid for DOWNLOAD_TICKET_MS, but at most until the session ends. Drops the oldest tickets
   * if there are `maxTickets`.
   */
  issue(subject: Subject, principal: Principal): string;
  /**
   * Returns the subject. `bind` destroys a stream when the session ends.
   * @throws Failure not_found for an invalid, used or expired ticket, or if its session has ended
   */
  redeem(ticket: string): { subject: Subject; bind: (stream: Readable) => void };
};

export const createDownloadTickets = <Subject>(parts: {
  sessions: Sessions;
  clock: Clock;
  maxTickets: number;
}): DownloadTickets<Subject> => {
  const { sessions, clock, maxTickets } = parts;
  const tickets = new Map<string, { subject: Subject; sessionId: string; expiresAt: number }>();
  return {
    issue(subject, principal) {
      const now = clock.now();
      for (const [key, { expiresAt }] of tickets)
        if (expiresAt < now || tickets.size >= maxTickets) tickets.delete(key);
      const ticket = randomBytes(24).toString('base64url');
      const sessionId = ownerSessionOf(principal) ?? '';
      tickets.set(ticket, { subject, sessionId, expiresAt: now + DOWNLOAD_TICKET_MS });
      return ticket;
    },
    redeem(ticket) {
      const entry = tickets.get(ticket);
      tickets.delete(ticket);
      if (entry === undefined || entry.expiresAt < clock.now() || !sessions.isSessionAlive(entry.sessionId))
        throw new Failure('not_found', 'This download address has expired. Start the download again.');
      const { subject, sessionId } = entry;
      const bind = (stream: Readable): void => {
        const unsubscribe = sessions.onSessionChange(() => {
          if (!sessions.isSessionAlive(sessionId)) stream.destroy(new Error('the session has ended'));
        });
        stream.once('close', unsubscribe);
        // The stream may fail before anything else listens for errors.
        stream.on('error', () => undefined);
      };
      return { subject, bind };
    },
  };
};
