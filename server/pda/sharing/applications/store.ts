import type { Application } from '../../../wire/applications.ts';
import type { Database, Transaction } from '../../storage/index.ts';
import { keyOf } from './rules.ts';

/** Stored approval of an application that was set up at least once. */
export type Approval = {
  /** Id in the spelling of the first set-up. */
  id: string;
  enabled: boolean;
  version: string;
  /** Definition as the owner approved it. It determines the rights. */
  definition: Application;
  /** Time of the approval in Unix milliseconds. */
  approved: number;
  /** Source from which the application was set up: the URL of an exchange, or empty for config.json. */
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
  const selectAll = db.prepare<[], Row>(`SELECT ${COLUMNS} FROM applications ORDER BY id`);
  const byId = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM applications WHERE id = ?`);
  const approve = db.prepare(
    `INSERT INTO applications (${COLUMNS})
     VALUES (:id, 1, :version, :definition, :approved, :origin)
     ON CONFLICT (id) DO UPDATE SET
       enabled = 1, version = excluded.version, definition = excluded.definition, approved = excluded.approved,
       origin = excluded.origin`,
  );
  const disable = db.prepare('UPDATE applications SET enabled = 0 WHERE id = ?');

  /** Cache of committed approvals by lower-case id, because each request of an application reads them. */
  let cache: ReadonlyMap<string, Approval> | undefined;
  const invalidate = (tx: Transaction): void =>
    tx.afterCommit(() => {
      cache = undefined;
    });
  const approvals = (): ReadonlyMap<string, Approval> =>
    (cache ??= new Map(selectAll.all().map((row) => [keyOf(row.id), fromRow(row)])));

  return {
    /** Returns the committed approvals, without the changes of a running transaction. */
    list: (): Approval[] => [...approvals().values()],
    /** Returns a committed approval, without the changes of a running transaction. */
    find: (id: string): Approval | undefined => approvals().get(keyOf(id)),
    /** Returns an approval, including changes of the transaction. */
    findWithin(tx: Transaction, id: string): Approval | undefined {
      void tx;
      const row = byId.get(id);
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
