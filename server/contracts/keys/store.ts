import type { Db } from '../storage/index.ts';

export type KeyRow = { kid: string; private_pem: string; public_pem: string; created: number };

/** All SQL of the keys. */
export const listKeys = (db: Db): Promise<KeyRow[]> =>
  db
    .selectFrom('signing_keys')
    .select(['kid', 'private_pem', 'public_pem', 'created'])
    .orderBy('created')
    .orderBy('kid')
    .execute();

export const insertKey = async (db: Db, row: KeyRow): Promise<void> => {
  await db.insertInto('signing_keys').values(row).execute();
};

export const deleteKeys = async (db: Db, kids: readonly string[]): Promise<void> => {
  if (kids.length > 0) await db.deleteFrom('signing_keys').where('kid', 'in', kids).execute();
};
