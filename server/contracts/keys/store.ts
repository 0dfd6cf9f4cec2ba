import type { Selectable } from 'kysely';
import type { Db } from '../storage/index.ts';
import type { Tables } from '../storage/tables.ts';

export type KeyRow = Selectable<Tables['signing_keys']>;

/** Oldest first. */
export const listKeys = (db: Db): Promise<KeyRow[]> =>
  db.selectFrom('signing_keys').selectAll().orderBy('created').orderBy('kid').execute();

export const insertKey = async (db: Db, row: KeyRow): Promise<void> => {
  await db.insertInto('signing_keys').values(row).execute();
};

export const deleteKeys = async (db: Db, kids: readonly string[]): Promise<void> => {
  if (kids.length > 0) await db.deleteFrom('signing_keys').where('kid', 'in', kids).execute();
};
