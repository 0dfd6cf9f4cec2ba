import type { Database, Transaction } from '../../storage/index.ts';

/** What a session can review: `debit:<key>` or `application:<id>`. */
export type Subject = `debit:${string}` | `application:${string}`;
export type Review = { subject: Subject; version: string };

export type ReviewStore = ReturnType<typeof createReviewStore>;

export const createReviewStore = (db: Database) => {
  const find = db
    .prepare<[string, string], string>('SELECT version FROM reviews WHERE session = ? AND subject = ?')
    .pluck();
  // A session can end between the read and its record: then there is nothing to record.
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
    save(tx: Transaction, session: string, reviews: readonly Review[]): void {
      void tx;
      for (const review of reviews) save.run({ session, ...review });
    },
    /** Changes a review that exists; a session without one stays without. */
    update(tx: Transaction, session: string, review: Review): void {
      void tx;
      update.run({ session, ...review });
    },
    /** Removes all reviews of a subject that is erased. */
    remove(tx: Transaction, subject: Subject): void {
      void tx;
      remove.run(subject);
    },
  };
};
