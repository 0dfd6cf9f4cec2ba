import type { Clock } from '../../platform/clock.ts';
import { uuidV7 } from '../../platform/postgres/uuid-v7.ts';
import type { Database, Tx } from '../storage/index.ts';
import { insertEntry, listEntries, type AuditRow } from './store.ts';

export type AuditNote = {
  /** Name of an account, address of a PDA, or `command line`. */
  who: string;
  /** Stable name of what was done, `offer.approved`. */
  what: string;
  /** What it was done to. */
  subject: string;
  detail?: string;
};

export type AuditService = {
  /** Writes down what is done, in the transaction that does it: neither is there without the other. */
  note(tx: Tx, note: AuditNote): Promise<void>;
  list(page: { before?: string; take: number }): Promise<AuditRow[]>;
};

const MAX_CHARS = 1000;

export const createAuditService = (parts: { database: Database; clock: Clock }): AuditService => {
  const { database, clock } = parts;
  return {
    async note(tx, { who, what, subject, detail = '' }) {
      const time = clock.now();
      await insertEntry(tx, {
        id: uuidV7(time),
        time,
        who,
        what,
        subject: subject.slice(0, MAX_CHARS),
        detail: detail.slice(0, MAX_CHARS),
      });
    },
    list: (page) => database.read((db) => listEntries(db, page)),
  };
};
