import type { Database, Transaction } from '../../storage/index.ts';

export type Subject = `debit:${string}` | `application:${string}`;
export type Review = { subject: Subject; version: string };

export type ReviewStore = ReturnType<typeof createReviewStore>;

export const createReviewStore = (db: Database) => {
  const find = db
    .prepare<[string, string], string>('SELECT version FROM reviews WHERE session = ? AND subject = ?')
    .pluck();
  // Records nothing if the session has been deleted since the read.
  const save = db.prepare<[{ session: string } & Review]>(
    `INSERT INTO reviews (session, subject, version)
     SELECT :session, :subject, :version WHERE EXISTS (SELECT 1 FROM sessions WHERE jti = :session)
     ON CONFLICT (session, subject) DO UPDATE SET version = excluded.version`,
  );
  const update = db.prepare<[{ session: string } & Review]>(
    'UPDATE reviews SET version = :version WHERE session = :session AND subject = :subject',
  );
  const remove = db.prepare<[string]>('DELETE FROM reviews WHERE subject = ?');

  return {
    find: (session: string, subject: Subject): string | undefined => find.get(session, subject),
    save(_tx: Transaction, session: string, reviews: readonly Review[]): void {
      for (const review of reviews) save.run({ session, ...review });
    },
    update: (_tx: Transaction, session: string, review: Review) => void update.run({ session, ...review }),
    remove: (_tx: Transaction, subject: Subject) => void remove.run(subject),
  };
};
