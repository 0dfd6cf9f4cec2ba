import type { Database, Transaction } from '../../storage/index.ts';

/** A table or chart that is shared with a user. Times are Unix milliseconds. */
export type ViewGrantRow = {
  id: string;
  user_id: string;
  endpoint: number;
  kind: 'table' | 'chart';
  name: string;
  /** JSON of a `SharedDefinition`. */
  definition: string;
  created: number;
  ends: number | null;
};

const COLUMNS = 'id, user_id, endpoint, kind, name, definition, created, ends';

export type ViewGrantStore = ReturnType<typeof createViewGrantStore>;

export const createViewGrantStore = (db: Database) => {
  const list = db.prepare<[], ViewGrantRow>(`SELECT ${COLUMNS} FROM view_grants ORDER BY name, user_id`);
  const count = db.prepare<[], number>('SELECT count(*) FROM view_grants').pluck();
  const byId = db.prepare<[string], ViewGrantRow>(`SELECT ${COLUMNS} FROM view_grants WHERE id = ?`);
  const ofUser = db.prepare<[string], ViewGrantRow>(
    `SELECT ${COLUMNS} FROM view_grants WHERE user_id = ? ORDER BY name, id`,
  );
  const find = db.prepare<[Pick<ViewGrantRow, 'user_id' | 'endpoint' | 'kind' | 'name'>], ViewGrantRow>(
    `SELECT ${COLUMNS} FROM view_grants
     WHERE user_id = :user_id AND endpoint = :endpoint AND kind = :kind AND name = :name`,
  );
  const save = db.prepare<[ViewGrantRow]>(
    `INSERT INTO view_grants (${COLUMNS})
     VALUES (:id, :user_id, :endpoint, :kind, :name, :definition, :created, :ends)
     ON CONFLICT (id) DO UPDATE SET definition = :definition, created = :created, ends = :ends`,
  );
  const remove = db.prepare<[string]>('DELETE FROM view_grants WHERE id = ?');

  return {
    list: (): ViewGrantRow[] => list.all(),
    count: (): number => count.get() ?? 0,
    byId: (id: string): ViewGrantRow | undefined => byId.get(id),
    ofUser: (userId: string): ViewGrantRow[] => ofUser.all(userId),
    /** Returns the grant that is replaced when the same table or chart is shared again. */
    find: (row: Pick<ViewGrantRow, 'user_id' | 'endpoint' | 'kind' | 'name'>): ViewGrantRow | undefined =>
      find.get({ user_id: row.user_id, endpoint: row.endpoint, kind: row.kind, name: row.name }),
    /** Inserts a grant, or replaces the definition and the times of an existing grant. */
    save: (_tx: Transaction, row: ViewGrantRow) => void save.run(row),
    remove: (_tx: Transaction, id: string) => void remove.run(id),
  };
};
