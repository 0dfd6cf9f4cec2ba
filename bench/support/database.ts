import Sqlite from 'better-sqlite3';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const INDEX_WITHIN_MS = 60_000;

/** Waits until `count` indexes are built in a home. */
export const waitForIndexes = async (home: string, count: number): Promise<void> => {
  const db = new Sqlite(join(home, 'pda.sqlite'), { readonly: true });
  try {
    const ready = db.prepare<[], number>('SELECT count(*) FROM earned_indexes WHERE ready = 1').pluck();
    const until = Date.now() + INDEX_WITHIN_MS;
    while ((ready.get() ?? 0) < count) {
      if (Date.now() > until) throw new Error(`not all of ${count} indexes were built in time`);
      await sleep(50);
    }
  } finally {
    db.close();
  }
};

/** Copies the database, so that a handwritten index does not change the account server's own file. */
export const copyDatabase = (home: string, copy: string): string => {
  const db = new Sqlite(join(home, 'pda.sqlite'), { readonly: true });
  db.prepare('VACUUM INTO ?').run(copy);
  db.close();
  return copy;
};
