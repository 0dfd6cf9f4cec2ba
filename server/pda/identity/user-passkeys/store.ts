import { passkeyUseSql, type PasskeyRow } from '../../../platform/auth/passkeys/rows.ts';
import type { Database, Transaction } from '../../storage/index.ts';

export type UserPasskeyRow = PasskeyRow & { user_id: string };

export type UserPasskeyStore = ReturnType<typeof createUserPasskeyStore>;

/** Passkeys are deleted with their user. */
export const createUserPasskeyStore = (db: Database) => {
  const listByUser = db.prepare<[string], UserPasskeyRow>(
    'SELECT * FROM user_passkeys WHERE user_id = ? ORDER BY created, id',
  );
  const findByCredential = db.prepare<[string, string], UserPasskeyRow>(
    'SELECT * FROM user_passkeys WHERE rp_id = ? AND credential = ?',
  );
  const insert = db.prepare<[Omit<UserPasskeyRow, 'last_used'>]>(
    `INSERT INTO user_passkeys (id, user_id, credential, rp_id, public_key, counter, name, created)
     VALUES (:id, :user_id, :credential, :rp_id, :public_key, :counter, :name, :created)`,
  );
  const use = db.prepare<{ id: string; counter: number; now: number }>(passkeyUseSql('user_passkeys'));
  const remove = db.prepare<[string]>('DELETE FROM user_passkeys WHERE id = ?');

  return {
    listByUser: (userId: string): UserPasskeyRow[] => listByUser.all(userId),
    findByCredential: (rpId: string, credential: string): UserPasskeyRow | undefined =>
      findByCredential.get(rpId, credential),
    insert: (_tx: Transaction, row: Omit<UserPasskeyRow, 'last_used'>): void => void insert.run(row),
    /** Records a use. Returns false if the passkey was removed, or if it has a counter that has not increased. */
    use: (_tx: Transaction, id: string, counter: number, now: number): boolean =>
      use.run({ id, counter, now }).changes === 1,
    remove: (_tx: Transaction, id: string): void => void remove.run(id),
  };
};
