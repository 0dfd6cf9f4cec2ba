import type { Clock } from '../../platform/clock.ts';
import { uuidV7 } from '../../platform/postgres/uuid-v7.ts';
import type { Database, Db } from '../storage/index.ts';
import { insertEntry, listEntries, type AuditRow } from './store.ts';

export type AuditNote = {
  /** Address of a PDA, id of a contract, or `command line`. */
  who: string;
  /** Stable name of what was done, `contract.joined`. */
  what: string;
  /** What it was done to. */
  subject: string;
  detail?: string;
};

export type AuditService = {
  /** Writes down what is done, where it can in the transaction that does it: neither is there without the other. */
  note(db: Db, note: AuditNote): Promise<void>;
  /** The newest first. */
  list(take: number): Promise<AuditRow[]>;
};

const MAX_CHARS = 1000;

export const createAuditService = (parts: { database: Database; clock: Clock }): AuditService => {
  const { database, clock } = parts;
  return {
    async note(db, { who, what, subject, detail = '' }) {
      const time = clock.now();
      await insertEntry(db, {
        id: uuidV7(time),
        time,
        who,
        what,
        subject: subject.slice(0, MAX_CHARS),
        detail: detail.slice(0, MAX_CHARS),
      });
    },
    list: (take) => database.read((db) => listEntries(db, take)),
  };
};
