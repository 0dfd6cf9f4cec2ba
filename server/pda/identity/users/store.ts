import { nameKey } from '../../../wire/users.ts';
import type { Database, Transaction } from '../../storage/index.ts';

/** A user who signs in beside the owner. Times are Unix milliseconds. */
export type UserRow = {
  id: string;
  name: string;
  email: string | null;
  password_hash: string;
  enabled: boolean;
  created: number;
  last_seen: number | null;
};

type Stored = Omit<UserRow, 'enabled'> & { enabled: number };

export type UserStore = ReturnType<typeof createUserStore>;

const COLUMNS = 'id, name, email, password_hash, enabled, created, last_seen';

const fromStored = (row: Stored): UserRow => ({ ...row, enabled: row.enabled === 1 });

export const createUserStore = (db: Database) => {
  const all = db.prepare<[], Stored>(`SELECT ${COLUMNS} FROM users ORDER BY name_key`);
  const byId = db.prepare<[string], Stored>(`SELECT ${COLUMNS} FROM users WHERE id = ?`);
  const byKey = db.prepare<[string], string>('SELECT id FROM users WHERE name_key = ?').pluck();
  const insert = db.prepare(
    `INSERT INTO users (id, name, name_key, email, password_hash, enabled, created)
     VALUES (:id, :name, :name_key, :email, :password_hash, :enabled, :created)`,
  );
  const update = db.prepare(
    `UPDATE users SET name = :name, name_key = :name_key, email = :email, password_hash = :password_hash, enabled = :enabled
     WHERE id = :id`,
  );
  const seen = db.prepare('UPDATE users SET last_seen = ? WHERE id = ?');
  const remove = db.prepare('DELETE FROM users WHERE id = ?');

  /** What is committed, by id and by name: asked for at each call of a user. */
  let known: { byId: ReadonlyMap<string, UserRow>; byName: ReadonlyMap<string, UserRow> } | undefined;
  const remembered = () => {
    if (known === undefined) {
      const rows = all.all().map(fromStored);
      known = {
        byId: new Map(rows.map((row) => [row.id, row])),
        byName: new Map(rows.map((row) => [nameKey(row.name), row])),
      };
    }
    return known;
  };
  const forget = (tx: Transaction): void =>
    tx.afterCommit(() => {
      known = undefined;
    });

  const values = (row: UserRow) => ({ ...row, name_key: nameKey(row.name), enabled: row.enabled ? 1 : 0 });

  return {
    /** Those that are on the disk, by name. Not for use within a transaction: it may hold changes that are not. */
    list: (): UserRow[] => [...remembered().byId.values()],
    find: (id: string): UserRow | undefined => remembered().byId.get(id),
    findByName: (name: string): UserRow | undefined => remembered().byName.get(nameKey(name)),
    /** Within a transaction, its own changes included. */
    findWithin(tx: Transaction, id: string): UserRow | undefined {
      void tx;
      const row = byId.get(id);
      return row === undefined ? undefined : fromStored(row);
    },
    /** Who has this name within a transaction. */
    holderOfName(tx: Transaction, name: string): string | undefined {
      void tx;
      return byKey.get(nameKey(name));
    },
    insert(tx: Transaction, row: UserRow): void {
      insert.run(values(row));
      forget(tx);
    },
    /** Everything but when they were here. */
    update(tx: Transaction, row: UserRow): void {
      update.run(values(row));
      forget(tx);
    },
    seen(tx: Transaction, id: string, time: number): void {
      seen.run(time, id);
      forget(tx);
    },
    remove(tx: Transaction, id: string): void {
      remove.run(id);
      forget(tx);
    },
  };
};
