import { nameKey } from '../../../wire/users.ts';
import type { Database, Transaction } from '../../storage/index.ts';

/** Times are in Unix milliseconds. */
export type UserRow = {
  id: string;
  name: string;
  email: string | null;
  password_hash: string;
  has_password: boolean;
  enabled: boolean;
  created: number;
  last_seen: number | null;
};

type StoredUserRow = Omit<UserRow, 'enabled' | 'has_password'> & { enabled: number; has_password: number };

export type UserStore = ReturnType<typeof createUserStore>;

const COLUMNS = 'id, name, email, password_hash, has_password, enabled, created, last_seen';

const toUserRow = (row: StoredUserRow): UserRow => ({
  ...row,
  enabled: row.enabled === 1,
  has_password: row.has_password === 1,
});

export const createUserStore = (db: Database) => {
  const selectAll = db.prepare<[], StoredUserRow>(`SELECT ${COLUMNS} FROM users ORDER BY name_key`);
  const selectById = db.prepare<[string], StoredUserRow>(`SELECT ${COLUMNS} FROM users WHERE id = ?`);
  const selectIdByKey = db.prepare<[string], string>('SELECT id FROM users WHERE name_key = ?').pluck();
  const insert = db.prepare(
    `INSERT INTO users (id, name, name_key, email, password_hash, has_password, enabled, created)
     VALUES (:id, :name, :name_key, :email, :password_hash, :has_password, :enabled, :created)`,
  );
  const update = db.prepare(
    `UPDATE users SET name = :name, name_key = :name_key, email = :email, password_hash = :password_hash,
       has_password = :has_password, enabled = :enabled
     WHERE id = :id`,
  );
  const setLastSeen = db.prepare('UPDATE users SET last_seen = ? WHERE id = ?');
  const remove = db.prepare('DELETE FROM users WHERE id = ?');

  /**
   * Committed users, cached because each request of a user needs them. Must not be read in a transaction that changes
   * users.
   */
  let cache: { byId: ReadonlyMap<string, UserRow>; byName: ReadonlyMap<string, UserRow> } | undefined;
  const getCache = () => {
    if (cache === undefined) {
      const rows = selectAll.all().map(toUserRow);
      cache = {
        byId: new Map(rows.map((row) => [row.id, row])),
        byName: new Map(rows.map((row) => [nameKey(row.name), row])),
      };
    }
    return cache;
  };
  const clearCache = (tx: Transaction): void =>
    tx.afterCommit(() => {
      cache = undefined;
    });

  const toParameters = (row: UserRow) => ({
    ...row,
    name_key: nameKey(row.name),
    enabled: row.enabled ? 1 : 0,
    has_password: row.has_password ? 1 : 0,
  });

  return {
    /** Returns the users sorted by name. */
    list: (): UserRow[] => [...getCache().byId.values()],
    find: (id: string): UserRow | undefined => getCache().byId.get(id),
    findByName: (name: string): UserRow | undefined => getCache().byName.get(nameKey(name)),
    findWithin(_tx: Transaction, id: string): UserRow | undefined {
      const row = selectById.get(id);
      return row === undefined ? undefined : toUserRow(row);
    },
    findIdByName: (_tx: Transaction, name: string): string | undefined => selectIdByKey.get(nameKey(name)),
    insert(tx: Transaction, row: UserRow): void {
      insert.run(toParameters(row));
      clearCache(tx);
    },
    update(tx: Transaction, row: UserRow): void {
      update.run(toParameters(row));
      clearCache(tx);
    },
    setLastSeen(tx: Transaction, id: string, time: number): void {
      setLastSeen.run(time, id);
      clearCache(tx);
    },
    remove(tx: Transaction, id: string): void {
      remove.run(id);
      clearCache(tx);
    },
  };
};
