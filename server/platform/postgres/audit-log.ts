import { sql, type Insertable, type QueryExecutorProvider } from 'kysely';
import type { AuditEntry } from '../../wire/audit.ts';
import type { Clock } from '../clock.ts';
import { uuidV7 } from './uuid-v7.ts';

/** What was done in a service, and by whom. The same table and the same lines in each of them. */

export type AuditTables = { audit: AuditEntry };

/** Text of a migration in every service: released, so never changed. */
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
  /** Name of an account, address of a PDA, id of a contract, or `command line`. */
  who: string;
  /** Stable name of what was done, `offer.approved`. */
  what: string;
  /** What it was done to. */
  subject: string;
  detail?: string;
};

/** `On` is what lines are written with: an open transaction, or in a service where reading is a deed too any connection. */
export type AuditLog<On> = {
  /** Writes down what is done, in the transaction that does it: neither is there without the other. */
  note(on: On, note: AuditNote): Promise<void>;
  /** The newest first; `before` is the id of the last one that is known already. */
  list(page: { before?: string; take: number }): Promise<AuditEntry[]>;
};

const MAX_CHARS = 1000;

// In words of SQL and not by the builder, which is made for the tables of one service.
const insertEntry = (on: QueryExecutorProvider, row: Insertable<AuditTables['audit']>) =>
  sql`INSERT INTO audit (id, time, who, what, subject, detail)
    VALUES (${row.id}, ${row.time}, ${row.who}, ${row.what}, ${row.subject}, ${row.detail})`.execute(on);

/** Ids are in the order of time. */
const listEntries = (on: QueryExecutorProvider, { before, take }: { before?: string; take: number }) =>
  sql<AuditEntry>`SELECT id, time, who, what, subject, detail FROM audit
    ${before === undefined ? sql`` : sql`WHERE id < ${before}`} ORDER BY id DESC LIMIT ${take}`.execute(on);

export const createAuditLog = <On extends QueryExecutorProvider>(parts: {
  database: { read<R>(work: (db: QueryExecutorProvider) => Promise<R>): Promise<R> };
  clock: Clock;
}): AuditLog<On> => {
  const { database, clock } = parts;
  return {
    async note(on, { who, what, subject, detail = '' }) {
      const time = clock.now();
      await insertEntry(on, {
        id: uuidV7(time),
        time,
        who,
        what,
        subject: subject.slice(0, MAX_CHARS),
        detail: detail.slice(0, MAX_CHARS),
      });
    },
    list: async (page) => (await database.read((db) => listEntries(db, page))).rows,
  };
};
