import type { Database, Transaction } from '../../storage/index.ts';

export type TargetGrantRow = {
  id: string;
  user_id: string;
  /** Path of the folder below files/, without a trailing slash, or id of the collection. */
  target: string;
  /** Unix milliseconds. */
  created: number;
};

export type GrantStore = ReturnType<typeof createGrantStore>;

export const createGrantStore = (
  db: Database,
  table: 'folder_grants' | 'collection_grants',
  column: 'folder' | 'collection',
) => {
  const select = `SELECT g.id, g.user_id, g.${column} AS target, g.created FROM ${table} g`;
  const list = db.prepare<[], TargetGrantRow>(`${select} ORDER BY g.${column}, g.user_id`);
  const count = db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck();
  const findById = db.prepare<[string], TargetGrantRow>(`${select} WHERE g.id = ?`);
  const find = db.prepare<[string, string], TargetGrantRow>(`${select} WHERE g.user_id = ? AND g.${column} = ?`);
  const listByUser = db.prepare<[string], TargetGrantRow>(`${select} WHERE g.user_id = ? ORDER BY g.${column}`);
  const listByTargets = db.prepare<[string], TargetGrantRow>(
    `${select} WHERE g.${column} IN (SELECT value FROM json_each(?)) ORDER BY g.${column}, g.user_id`,
  );
  const includes = db
    .prepare<[string, string], number>(
      `SELECT 1 FROM ${table} WHERE user_id = ? AND ${column} IN (SELECT value FROM json_each(?)) LIMIT 1`,
    )
    .pluck();
  const insert = db.prepare<[TargetGrantRow]>(
    `INSERT INTO ${table} (id, user_id, ${column}, created) VALUES (:id, :user_id, :target, :created)`,
  );
  const remove = db.prepare(`DELETE FROM ${table} WHERE id = ?`);
  const removeByUser = db.prepare(`DELETE FROM ${table} WHERE user_id = ?`);

  return {
    list: () => list.all(),
    count: () => count.get() ?? 0,
    findById: (id: string) => findById.get(id),
    find: (userId: string, target: string) => find.get(userId, target),
    listByUser: (userId: string) => listByUser.all(userId),
    listByTargets: (targets: readonly string[]) =>
      targets.length === 0 ? [] : listByTargets.all(JSON.stringify(targets)),
    includesAny: (userId: string, targets: readonly string[]) =>
      targets.length > 0 && includes.get(userId, JSON.stringify(targets)) !== undefined,
    insert: (_tx: Transaction, row: TargetGrantRow) => void insert.run(row),
    remove: (_tx: Transaction, id: string) => void remove.run(id),
    removeByUser: (_tx: Transaction, userId: string) => void removeByUser.run(userId),
  };
};
