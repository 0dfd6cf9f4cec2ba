import type { Db, Tx } from '../storage/index.ts';
import type { Tables } from '../storage/tables.ts';
import type { StoredKey } from '../../platform/auth/signing-keys.ts';

export type AccountRow = Tables['accounts'];
type SessionHolder = { account_id: string; name: string; roles: string; enabled: boolean };

export const findAccount = (db: Db, id: string): Promise<AccountRow | undefined> =>
  db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();

export const lockAccount = (tx: Tx, id: string): Promise<AccountRow | undefined> =>
  tx.selectFrom('accounts').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

export const findAccountByName = (db: Db, nameKey: string): Promise<AccountRow | undefined> =>
  db.selectFrom('accounts').selectAll().where('name_key', '=', nameKey).executeTakeFirst();

export const listAccounts = (db: Db): Promise<AccountRow[]> =>
  db.selectFrom('accounts').selectAll().orderBy('name_key').execute();

export const insertAccount = async (tx: Tx, row: AccountRow): Promise<boolean> => {
  const insertedRows = await tx
    .insertInto('accounts')
    .values(row)
    .onConflict((conflict) => conflict.column('name_key').doNothing())
    .returning('id')
    .execute();
  return insertedRows.length > 0;
};

export const changeAccount = async (
  tx: Tx,
  id: string,
  change: Partial<Pick<AccountRow, 'roles' | 'enabled' | 'password_hash'>>,
): Promise<void> => {
  await tx.updateTable('accounts').set(change).where('id', '=', id).execute();
};

export const updateLastSeen = async (db: Db, id: string, now: number): Promise<void> => {
  await db.updateTable('accounts').set({ last_seen: now }).where('id', '=', id).execute();
};

export const findSessionHolder = (db: Db, session: string): Promise<SessionHolder | undefined> =>
  db
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select(['sessions.account_id', 'accounts.name', 'accounts.roles', 'accounts.enabled'])
    .where('sessions.id', '=', session)
    .executeTakeFirst();

export const insertSession = async (
  tx: Tx,
  row: { id: string; account_id: string; created: number },
): Promise<void> => {
  await tx.insertInto('sessions').values(row).execute();
};

export const endSession = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.deleteFrom('sessions').where('id', '=', id).returning('id').execute()).length > 0;

export const endSessionsOf = async (tx: Tx, accountId: string): Promise<void> => {
  await tx.deleteFrom('sessions').where('account_id', '=', accountId).execute();
};

export const deleteSessionsBefore = async (tx: Tx, accountId: string, before: number): Promise<void> => {
  await tx.deleteFrom('sessions').where('account_id', '=', accountId).where('created', '<', before).execute();
};

export const listKeys = (db: Db): Promise<StoredKey[]> =>
  db
    .selectFrom('signing_keys')
    .select(['kid', 'private_pem', 'public_pem', 'created', 'retired'])
    .orderBy('created', 'desc')
    .orderBy('kid')
    .execute();

/** Inserts an active signing key, unless there already is one. */
export const insertSigningKey = async (db: Db, key: Omit<StoredKey, 'retired'>): Promise<void> => {
  await db
    .insertInto('signing_keys')
    .values({ ...key, retired: null, signs: 1 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};

export const retireSigningKey = async (tx: Tx, now: number): Promise<void> => {
  await tx.updateTable('signing_keys').set({ signs: null, retired: now }).where('signs', '=', 1).execute();
};

export const deleteKeysRetiredBefore = async (tx: Tx, time: number): Promise<void> => {
  await tx.deleteFrom('signing_keys').where('retired', '<', time).execute();
};
