import type { Db, Tx } from '../storage/index.ts';
import type { Tables } from '../storage/tables.ts';

export type PlugRow = Tables['plugs'];

export const listPlugs = (db: Db): Promise<PlugRow[]> =>
  db.selectFrom('plugs').selectAll().orderBy('name_key').execute();

export const lockPlug = (tx: Tx, id: string): Promise<PlugRow | undefined> =>
  tx.selectFrom('plugs').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();

export const insertPlug = async (tx: Tx, row: PlugRow): Promise<boolean> => {
  const result = await tx
    .insertInto('plugs')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
};

export const changePlug = async (tx: Tx, id: string, change: Partial<PlugRow>): Promise<void> => {
  await tx.updateTable('plugs').set(change).where('id', '=', id).execute();
};
