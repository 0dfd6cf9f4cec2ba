import type { Db, Tx } from '../storage/index.ts';
import type { Tables } from '../storage/tables.ts';

export type PdaRow = Tables['pdas'];

export const findPda = (db: Db, id: string): Promise<PdaRow | undefined> =>
  db.selectFrom('pdas').selectAll().where('id', '=', id).executeTakeFirst();

export const findPdaAt = (db: Db, address: string): Promise<PdaRow | undefined> =>
  db.selectFrom('pdas').selectAll().where('address', '=', address).executeTakeFirst();

export const lockPdaAt = (tx: Tx, address: string): Promise<PdaRow | undefined> =>
  tx.selectFrom('pdas').selectAll().where('address', '=', address).forUpdate().executeTakeFirst();

export const lockPda = (tx: Tx, id: string): Promise<PdaRow | undefined> =>
  tx.selectFrom('pdas').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

/** `after`: id of the previous page's last PDA. */
export type PdaPage = { after?: string | undefined; address?: string | undefined; take: number };

/** In the order of registration. */
export const listPdas = (db: Db, page: PdaPage): Promise<PdaRow[]> => {
  let query = db.selectFrom('pdas').selectAll().orderBy('id').limit(page.take);
  if (page.after !== undefined) query = query.where('id', '>', page.after);
  if (page.address !== undefined) query = query.where('address', '=', page.address);
  return query.execute();
};

export const insertPda = async (tx: Tx, row: PdaRow): Promise<boolean> => {
  const insertedRows = await tx
    .insertInto('pdas')
    .values(row)
    .onConflict((conflict) => conflict.column('address').doNothing())
    .returning('id')
    .execute();
  return insertedRows.length > 0;
};

export const changePda = async (
  tx: Tx,
  id: string,
  change: Partial<Pick<PdaRow, 'public_key' | 'waiting_key' | 'refreshed'>>,
): Promise<void> => {
  await tx.updateTable('pdas').set(change).where('id', '=', id).execute();
};

export const updatePdaLastSeen = async (db: Db, id: string, now: number): Promise<void> => {
  await db.updateTable('pdas').set({ last_seen: now }).where('id', '=', id).execute();
};

export const deletePda = async (tx: Tx, id: string): Promise<void> => {
  await tx.deleteFrom('pdas').where('id', '=', id).execute();
};
