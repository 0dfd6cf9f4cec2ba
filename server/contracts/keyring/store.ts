import { sql } from 'kysely';
import type { Db } from '../storage/index.ts';

/** A page of names, joined by `","` without the outer quotes, as part of a JSON array. */
export type NamesPage = { names: string; count: number; last: string };

/**
 * Reads the next names of PDAs that joined, in order; undefined if there are none. The database concatenates the names,
 * because one row per name would cost more than the rest of the response. Names consist of letters, digits and hyphens,
 * so JSON needs no escapes.
 */
export const readNamesPage = async (
  db: Db,
  page: { contract: string; after: string | undefined; skip: number; take: number },
): Promise<NamesPage | undefined> => {
  let query = db.selectFrom('members').select('pda_name').where('contract_id', '=', page.contract);
  if (page.after !== undefined) query = query.where('pda_name', '>', page.after);
  const names = query.orderBy('pda_name').limit(page.take).offset(page.skip).as('page');
  const row = await db
    .selectFrom(names)
    .select([
      sql<string | null>`string_agg(pda_name, '","' ORDER BY pda_name)`.as('names'),
      sql<number>`count(*)`.as('count'),
      sql<string | null>`max(pda_name)`.as('last'),
    ])
    .executeTakeFirstOrThrow();
  if (row.names === null || row.last === null) return undefined;
  return { names: row.names, count: row.count, last: row.last };
};
