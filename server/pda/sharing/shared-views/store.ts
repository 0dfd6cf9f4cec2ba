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
  const findById = db.prepare<[string], ViewGrantRow>(`SELECT ${COLUMNS} FROM view_grants WHERE id = ?`);
  const listByUser = db.prepare<[string], ViewGrantRow>(
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
  const removeEnded = db.prepare<[number]>('DELETE FROM view_grants WHERE ends <= ?');

  return {
    list: (): ViewGrantRow[] => list.all(),
    count: (): number => count.get() ?? 0,
    findById: (id: string): ViewGrantRow | undefined => findById.get(id),
    listByUser: (userId: string): ViewGrantRow[] => listByUser.all(userId),
    find: (row: Pick<ViewGrantRow, 'user_id' | 'endpoint' | 'kind' | 'name'>): ViewGrantRow | undefined =>
      find.get(row),
    save: (_tx: Transaction, row: ViewGrantRow) => void save.run(row),
    remove: (_tx: Transaction, id: string) => void remove.run(id),
    removeEnded: (_tx: Transaction, now: number) => void removeEnded.run(now),
  };
};
