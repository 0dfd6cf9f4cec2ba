import type { Application } from '../../../wire/applications.ts';
import type { Database, Transaction } from '../../storage/index.ts';
import { keyOf } from './rules.ts';

/** An application that was set up once. */
export type Approval = {
  /** As it was written when it was set up. */
  id: string;
  enabled: boolean;
  version: string;
  /** The whole of it as the owner approved it: its rights are those in here. */
  definition: Application;
  /** Unix milliseconds. */
  approved: number;
  /** Where the list was from that it was set up from: the address of an exchange; empty: config.json. */
  origin: string;
};

type Row = { id: string; enabled: number; version: string; definition: string; approved: number; origin: string };

const COLUMNS = 'id, enabled, version, definition, approved, origin';

export type ApplicationStore = ReturnType<typeof createApplicationStore>;

const fromRow = (row: Row): Approval => ({
  ...row,
  enabled: row.enabled === 1,
  // Written only after schema validation.
  definition: JSON.parse(row.definition) as Application,
});

export const createApplicationStore = (db: Database) => {
  const all = db.prepare<[], Row>(`SELECT ${COLUMNS} FROM applications ORDER BY id`);
  const one = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM applications WHERE id = ?`);
  const approve = db.prepare(
    `INSERT INTO applications (${COLUMNS})
     VALUES (:id, 1, :version, :definition, :approved, :origin)
     ON CONFLICT (id) DO UPDATE SET
       enabled = 1, version = excluded.version, definition = excluded.definition, approved = excluded.approved,
       origin = excluded.origin`,
  );
  const disable = db.prepare('UPDATE applications SET enabled = 0 WHERE id = ?');

  /** What is committed, by id in lower case: asked for at each call of an application. */
  let known: ReadonlyMap<string, Approval> | undefined;
  const forget = (tx: Transaction): void =>
    tx.afterCommit(() => {
      known = undefined;
    });
  const approvals = (): ReadonlyMap<string, Approval> =>
    (known ??= new Map(all.all().map((row) => [keyOf(row.id), fromRow(row)])));

  return {
    /** Those that are on the disk. Not for use within a transaction: it may hold changes that are not. */
    list: (): Approval[] => [...approvals().values()],
    find: (id: string): Approval | undefined => approvals().get(keyOf(id)),
    /** Within a transaction, its own changes included. */
    findWithin(tx: Transaction, id: string): Approval | undefined {
      void tx;
      const row = one.get(id);
      return row === undefined ? undefined : fromRow(row);
    },
    approve(tx: Transaction, row: Omit<Approval, 'enabled'>): void {
      approve.run({ ...row, definition: JSON.stringify(row.definition) });
      forget(tx);
    },
    disable(tx: Transaction, id: string): void {
      disable.run(id);
      forget(tx);
    },
  };
};
