import type { Application } from '../../../wire/applications.ts';
import type { Database, Transaction } from '../../storage/index.ts';
import { keyOf } from './rules.ts';

export type Approval = {
  /** Id in the spelling of the first set-up. */
  id: string;
  enabled: boolean;
  version: string;
  /** The approved definition, which determines the rights. */
  definition: Application;
  /** Unix milliseconds. */
  approved: number;
  /** URL of the exchange that published the definition; empty for config.json. */
  origin: string;
};

type Row = { id: string; enabled: number; version: string; definition: string; approved: number; origin: string };

const COLUMNS = 'id, enabled, version, definition, approved, origin';

export type ApplicationStore = ReturnType<typeof createApplicationStore>;

const fromRow = (row: Row): Approval => ({
  ...row,
  enabled: row.enabled === 1,
  definition: JSON.parse(row.definition) as Application,
});

export const createApplicationStore = (db: Database) => {
  const selectAll = db.prepare<[], Row>(`SELECT ${COLUMNS} FROM applications ORDER BY id`);
  const findById = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM applications WHERE id = ?`);
  const approve = db.prepare(
    `INSERT INTO applications (${COLUMNS})
     VALUES (:id, 1, :version, :definition, :approved, :origin)
     ON CONFLICT (id) DO UPDATE SET
       enabled = 1, version = excluded.version, definition = excluded.definition, approved = excluded.approved,
       origin = excluded.origin`,
  );
  const disable = db.prepare('UPDATE applications SET enabled = 0 WHERE id = ?');

  /** Cached committed approvals by lower-case id. Each request of an application reads an approval. */
  let cache: ReadonlyMap<string, Approval> | undefined;
  const invalidate = (tx: Transaction): void =>
    tx.afterCommit(() => {
      cache = undefined;
    });
  const approvals = (): ReadonlyMap<string, Approval> => {
    const rows = cache ?? new Map(selectAll.all().map((row) => [keyOf(row.id), fromRow(row)]));
    // A running transaction may be rolled back.
    if (!db.inTransaction) cache = rows;
    return rows;
  };

  return {
    /** Can miss changes of a running transaction. */
    list: (): Approval[] => [...approvals().values()],
    /** Can miss changes of a running transaction, unlike `findWithin`. */
    find: (id: string): Approval | undefined => approvals().get(keyOf(id)),
    findWithin(_tx: Transaction, id: string): Approval | undefined {
      const row = findById.get(id);
      return row === undefined ? undefined : fromRow(row);
    },
    approve(tx: Transaction, row: Omit<Approval, 'enabled'>): void {
      approve.run({ ...row, definition: JSON.stringify(row.definition) });
      invalidate(tx);
    },
    disable(tx: Transaction, id: string): void {
      disable.run(id);
      invalidate(tx);
    },
  };
};
