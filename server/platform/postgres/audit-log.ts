import { sql, type Insertable, type QueryExecutorProvider } from 'kysely';
import type { AuditEntry } from '../../wire/audit.ts';
import type { Clock } from '../clock.ts';
import { uuidV7 } from './uuid-v7.ts';

export type AuditTables = { audit: AuditEntry };

/** SQL of released migrations: never change it. */
export const AUDIT_TABLE = `
    -- Rows are added, and never changed or taken away.
    CREATE TABLE audit (
      id uuid PRIMARY KEY,
      time bigint NOT NULL,
      who text NOT NULL,
      what text NOT NULL,
      subject text NOT NULL,
      detail text NOT NULL
    );
  `;

export type AuditNote = {
  /** Name of an account, address of a PDA, ID of a contract, or `command line`. */
  actor: string;
  /** Stable name of the action, e.g. `offer.approved`. */
  action: string;
  subject: string;
  detail?: string;
};

/** `Handle`: a transaction or, in a service that also logs reads, any connection. */
export type AuditLog<Handle> = {
  /**
   * Writes an entry. An entry about a change is written in the transaction of the change, so that both or neither are
   * committed.
   */
  note(db: Handle, note: AuditNote): Promise<void>;
  /** Returns the newest entries first. @param page.before ID of the last entry of the previous page */
  list(page: { before?: string | undefined; take: number }): Promise<AuditEntry[]>;
};

const MAX_TEXT_CHARS = 1000;

// Raw SQL, because the query builder is typed for the tables of one service.
const insertEntry = (db: QueryExecutorProvider, row: Insertable<AuditTables['audit']>) =>
  sql`INSERT INTO audit (id, time, who, what, subject, detail)
    VALUES (${row.id}, ${row.time}, ${row.who}, ${row.what}, ${row.subject}, ${row.detail})`.execute(db);

const listEntries = (db: QueryExecutorProvider, { before, take }: { before?: string | undefined; take: number }) =>
  sql<AuditEntry>`SELECT id, time, who, what, subject, detail FROM audit
    ${before === undefined ? sql`` : sql`WHERE id < ${before}`} ORDER BY id DESC LIMIT ${take}`.execute(db);

export const createAuditLog = <Handle extends QueryExecutorProvider>(parts: {
  database: { run<R>(work: (db: QueryExecutorProvider) => Promise<R>): Promise<R> };
  clock: Clock;
}): AuditLog<Handle> => {
  const { database, clock } = parts;
  return {
    async note(db, { actor, action, subject, detail = '' }) {
      const time = clock.now();
      await insertEntry(db, {
        id: uuidV7(time),
        time,
        who: actor,
        what: action,
        subject: subject.slice(0, MAX_TEXT_CHARS),
        detail: detail.slice(0, MAX_TEXT_CHARS),
      });
    },
    list: async (page) => (await database.run((db) => listEntries(db, page))).rows,
  };
};
