import type { Db } from '../storage/index.ts';

export type AuditRow = { id: string; time: number; who: string; what: string; subject: string; detail: string };

/** All SQL of the audit. */
export const insertEntry = async (db: Db, row: AuditRow): Promise<void> => {
  await db.insertInto('audit').values(row).execute();
};

/** The newest first: ids are in the order of time. */
export const listEntries = (db: Db, take: number): Promise<AuditRow[]> =>
  db
    .selectFrom('audit')
    .select(['id', 'time', 'who', 'what', 'subject', 'detail'])
    .orderBy('id', 'desc')
    .limit(take)
    .execute();
