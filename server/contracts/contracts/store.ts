import type { Insertable, Selectable } from 'kysely';
import type { Db, Tx } from '../storage/index.ts';
import type { Tables } from '../storage/tables.ts';

export type ContractRow = Omit<Selectable<Tables['contracts']>, 'id_key'>;

const COLUMNS = ['id', 'name', 'description', 'developer', 'namespaces', 'enabled', 'created'] as const;

export const insertContract = async (tx: Tx, row: ContractRow): Promise<boolean> => {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('contracts')
    .values({ ...row, id_key: row.id.toLowerCase() })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
};

/** The id is case-sensitive. */
export const findContract = (db: Db, id: string): Promise<ContractRow | undefined> =>
  db.selectFrom('contracts').select(COLUMNS).where('id', '=', id).executeTakeFirst();

/** Sorted by id, ignoring case. */
export const listContracts = (db: Db): Promise<ContractRow[]> =>
  db.selectFrom('contracts').select(COLUMNS).orderBy('id_key').execute();

export const setEnabled = async (tx: Tx, id: string, enabled: boolean): Promise<boolean> => {
  const { numUpdatedRows } = await tx
    .updateTable('contracts')
    .set({ enabled })
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
};

export const insertToken = async (tx: Tx, row: Omit<Insertable<Tables['contract_tokens']>, 'ends'>): Promise<void> => {
  await tx
    .insertInto('contract_tokens')
    .values({ ...row, ends: null })
    .execute();
};

/** Returns the contract of a token, unless the token is unknown or has expired. @param now Unix milliseconds */
export const findByToken = (db: Db, hash: string, now: number): Promise<ContractRow | undefined> =>
  db
    .selectFrom('contract_tokens')
    .innerJoin('contracts', 'contracts.id', 'contract_tokens.contract_id')
    .select(COLUMNS.map((column) => `contracts.${column}` as const))
    .where('contract_tokens.hash', '=', hash)
    .where((eb) => eb.or([eb('contract_tokens.ends', 'is', null), eb('contract_tokens.ends', '>', now)]))
    .executeTakeFirst();

/** Makes valid tokens expire at `ends`, unless they expire earlier. Resolves with the number of changed tokens. */
export const endTokens = async (tx: Tx, contract: string, now: number, ends: number): Promise<number> => {
  const { numUpdatedRows } = await tx
    .updateTable('contract_tokens')
    .set({ ends })
    .where('contract_id', '=', contract)
    .where((eb) => eb.or([eb('ends', 'is', null), eb.and([eb('ends', '>', now), eb('ends', '>', ends)])]))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
};

/** Oldest first. Times are Unix milliseconds. */
export const listTokens = (db: Db, contract: string): Promise<{ created: number; ends: number | null }[]> =>
  db
    .selectFrom('contract_tokens')
    .select(['created', 'ends'])
    .where('contract_id', '=', contract)
    .orderBy('created')
    .execute();
