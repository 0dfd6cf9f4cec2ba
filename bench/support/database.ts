import Sqlite from 'better-sqlite3';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const INDEX_TIMEOUT_MS = 60_000;

export const waitForIndexes = async (home: string, count: number): Promise<void> => {
  const db = new Sqlite(join(home, 'pda.sqlite'), { readonly: true });
  try {
    const selectReadyCount = db.prepare<[], number>('SELECT count(*) FROM query_indexes WHERE ready = 1').pluck();
    const deadline = Date.now() + INDEX_TIMEOUT_MS;
    while ((selectReadyCount.get() ?? 0) < count) {
      if (Date.now() > deadline) throw new Error(`fewer than ${count} indexes were built in time`);
      await sleep(50);
    }
  } finally {
    db.close();
  }
};

/** Copies the database, so that a handwritten index does not change the account server's own file. */
export const copyHomeDatabase = (home: string, copy: string): string => {
  const db = new Sqlite(join(home, 'pda.sqlite'), { readonly: true });
  db.prepare('VACUUM INTO ?').run(copy);
  db.close();
  return copy;
};
