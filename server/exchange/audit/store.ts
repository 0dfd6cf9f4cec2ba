import type { Db, Tx } from '../storage/index.ts';

export type AuditRow = { id: string; time: number; who: string; what: string; subject: string; detail: string };

/** All SQL of the audit. */
export const insertEntry = async (tx: Tx, row: AuditRow): Promise<void> => {
  await tx.insertInto('audit').values(row).execute();
};

/** The newest first; `before` is the id of the last one that is known already. Ids are in the order of time. */
export const listEntries = (db: Db, page: { before?: string; take: number }): Promise<AuditRow[]> => {
  let query = db
    .selectFrom('audit')
    .select(['id', 'time', 'who', 'what', 'subject', 'detail'])
    .orderBy('id', 'desc')
    .limit(page.take);
  if (page.before !== undefined) query = query.where('id', '<', page.before);
  return query.execute();
};
