import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { DOWNLOAD_TICKET_MS } from '../../wire/limits.ts';
import type { Clock } from '../clock.ts';
import { Failure } from '../failure.ts';

/** Whose sessions they are. `onSessionChange` answers how to listen no more. */
type Sessions = { isSessionAlive(id: string): boolean; onSessionChange(listener: () => void): () => void };

/** Downloads that a browser starts by itself, without a header of ours. None outlasts the session that asked for it. */
export type Downloads<What> = {
  /** A one-time word for one of them, good for a minute. */
  ticket(what: What, sessionId: string): string;
  /**
   * What the word is for; it is used up by this. `bind` ends a stream with the session, also while nobody reads on.
   * @throws Failure not_found for a word that is unknown, used or over
   */
  redeem(ticket: string): { what: What; bind: (stream: Readable) => void };
};

/** @param most words that are kept at once; the oldest goes first */
export const createDownloads = <What>(parts: { sessions: Sessions; clock: Clock; most: number }): Downloads<What> => {
  const { sessions, clock, most } = parts;
  const tickets = new Map<string, { what: What; sessionId: string; until: number }>();
  return {
    ticket(what, sessionId) {
      const now = clock.now();
      for (const [key, { until }] of tickets) if (until < now || tickets.size >= most) tickets.delete(key);
      const ticket = randomBytes(24).toString('base64url');
      tickets.set(ticket, { what, sessionId, until: now + DOWNLOAD_TICKET_MS });
      return ticket;
    },
    redeem(ticket) {
      const known = tickets.get(ticket);
      tickets.delete(ticket);
      if (known === undefined || known.until < clock.now() || !sessions.isSessionAlive(known.sessionId))
        throw new Failure('not_found', 'This download address is over. Start the export again.');
      const { what, sessionId } = known;
      const bind = (stream: Readable): void => {
        const deaf = sessions.onSessionChange(() => {
          if (!sessions.isSessionAlive(sessionId)) stream.destroy(new Error('the session has ended'));
        });
        stream.once('close', deaf);
      };
      return { what, bind };
    },
  };
};
