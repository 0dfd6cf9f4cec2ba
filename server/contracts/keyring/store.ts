import { sql } from 'kysely';
import type { Db } from '../storage/index.ts';

/** Names of one page, written as they stand in the answer, between the quotes of the first and the last. */
export type NamesPage = { names: string; count: number; last: string };

/**
 * The next names of the PDAs that joined, in order, put together by the database: a row per name would cost more here than all the rest of the answer.
 * Names are letters, digits and hyphens: none needs an escape.
 */
export const namesAfter = async (
  db: Db,
  page: { contract: string; after: string | undefined; skip: number; take: number },
): Promise<NamesPage | undefined> => {
  let query = db.selectFrom('members').select('pda_name').where('contract_id', '=', page.contract);
  if (page.after !== undefined) query = query.where('pda_name', '>', page.after);
  const names = query.orderBy('pda_name').limit(page.take).offset(page.skip).as('page');
  const row = await db
    .selectFrom(names)
    .select([
      sql<string | null>`string_agg(pda_name, '","')`.as('names'),
      sql<number>`count(*)`.as('count'),
      sql<string | null>`max(pda_name)`.as('last'),
    ])
    .executeTakeFirstOrThrow();
  if (row.names === null || row.last === null) return undefined;
  return { names: row.names, count: row.count, last: row.last };
};
