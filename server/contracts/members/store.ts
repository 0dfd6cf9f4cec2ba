import type { Insertable, Selectable } from 'kysely';
import type { Db, Tx } from '../storage/index.ts';
import type { Tables } from '../storage/tables.ts';

export type PdaRow = Selectable<Tables['pdas']>;

export const findPda = (db: Db, name: string): Promise<PdaRow | undefined> =>
  db.selectFrom('pdas').selectAll().where('name', '=', name).executeTakeFirst();

/** Inserts the PDA if its name is free. Resolves with the PDA that has the name, locked until the transaction ends. */
export const lockOrInsertPda = (tx: Tx, row: PdaRow): Promise<PdaRow> =>
  tx
    .insertInto('pdas')
    .values(row)
    // On conflict, a no-op update locks the existing row and makes RETURNING yield it.
    .onConflict((conflict) => conflict.column('name').doUpdateSet((eb) => ({ name: eb.ref('excluded.name') })))
    .returningAll()
    .executeTakeFirstOrThrow();

export const lockPda = (tx: Tx, name: string): Promise<PdaRow | undefined> =>
  tx.selectFrom('pdas').selectAll().where('name', '=', name).forUpdate().executeTakeFirst();

export const deletePda = async (tx: Tx, name: string): Promise<void> => {
  await tx.deleteFrom('pdas').where('name', '=', name).execute();
};

export const insertMember = async (tx: Tx, row: Insertable<Tables['members']>): Promise<boolean> => {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('members')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
};

/** Returns when the PDA joined, in Unix milliseconds; undefined if it is not a member. */
export const findJoinTime = async (db: Db, contract: string, name: string): Promise<number | undefined> => {
  const row = await db
    .selectFrom('members')
    .select('since')
    .where('contract_id', '=', contract)
    .where('pda_name', '=', name)
    .executeTakeFirst();
  return row?.since;
};

export const deleteMember = async (tx: Tx, contract: string, name: string): Promise<boolean> => {
  const { numDeletedRows } = await tx
    .deleteFrom('members')
    .where('contract_id', '=', contract)
    .where('pda_name', '=', name)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
};

export const listJoinedContracts = async (db: Db, name: string): Promise<string[]> => {
  const rows = await db
    .selectFrom('members')
    .select('contract_id')
    .where('pda_name', '=', name)
    .orderBy('contract_id')
    .execute();
  return rows.map((row) => row.contract_id);
};

export const deleteMembersOf = async (tx: Tx, name: string): Promise<void> => {
  await tx.deleteFrom('members').where('pda_name', '=', name).execute();
};

export const countMembers = async (db: Db, contract: string): Promise<number> => {
  const row = await db
    .selectFrom('members')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('contract_id', '=', contract)
    .executeTakeFirstOrThrow();
  return row.count;
};

/** Marks a token as used. Resolves with false if it was used before. Deletes the PDA's expired tokens. */
export const useToken = async (tx: Tx, token: Insertable<Tables['used_tokens']>, now: number): Promise<boolean> => {
  await tx.deleteFrom('used_tokens').where('pda_name', '=', token.pda_name).where('ends', '<=', now).execute();
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('used_tokens')
    .values(token)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
};
