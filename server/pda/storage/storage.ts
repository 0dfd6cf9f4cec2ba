import type { Database } from 'better-sqlite3';
import type { Log } from '../../platform/log.ts';
import { startCheckpoints } from './checkpoints.ts';
import { openDatabase, type RegisterFunctions } from './database.ts';
import type { Home } from './home.ts';
import { StorageProblem } from './problems.ts';
import { createThread, type DatabaseThread } from './threads.ts';
import { createWriter, type Writer } from './writer.ts';

/** Everything that the rooms' stores work with. */
export type Storage = {
  /** For quick reads; writing goes through the writer. */
  db: Database;
  writer: Writer;
  /** For reads that may take long. */
  reader: DatabaseThread;
  /** For work that needs the write lock beside the writer: pause the writer first. */
  maintenance: DatabaseThread;
  /** Set when a check found the database damaged while running. */
  damage(): string | undefined;
  close(): Promise<void>;
};

/** Milliseconds that the start waits for the check after an unclean stop; a large database is checked on while it serves. */
const CHECK_AT_START_MS = 1500;

/**
 * @param options.functionsModule address of the module that exports `registerQueryFunctions`, for the threads
 * @throws StorageProblem damaged | newer | not_a_pda
 */
export const openStorage = async (options: {
  home: Home;
  log: Log;
  registerFunctions: RegisterFunctions;
  functionsModule: string;
}): Promise<Storage> => {
  const { home, log } = options;
  const file = home.database;
  const db = openDatabase(file, { backups: home.backups, registerFunctions: options.registerFunctions });
  const { functionsModule } = options;
  const reader = createThread({ file, role: 'reader', functionsModule });
  const maintenance = createThread({ file, role: 'maintenance', functionsModule });
  const writer = createWriter(db);
  const checkpoints = startCheckpoints({ db, file, maintenance, log });
  let damage: string | undefined;

  const close = async (): Promise<void> => {
    await writer.close();
    await checkpoints.close();
    await Promise.all([reader.close(), maintenance.close()]);
    db.close();
  };

  const check = async (): Promise<void> => {
    const [first] = await maintenance.all<{ quick_check: string }>('PRAGMA quick_check(1)');
    if (first?.quick_check === 'ok') return;
    damage = first?.quick_check ?? 'the check gave no answer';
    log.error({ damage }, 'the database is damaged');
  };

  if (home.uncleanStop) {
    log.warn('the last run did not end in order: checking the database');
    const checked = check().catch((error: unknown) => {
      damage = error instanceof Error ? error.message : String(error);
    });
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CHECK_AT_START_MS);
    });
    await Promise.race([checked, enough]);
    clearTimeout(timer);
    if (damage !== undefined) {
      await close();
      throw new StorageProblem(
        'damaged',
        `${file} is damaged (${damage}). It was left as it is. Restore a backup, or move the file away to start anew.`,
      );
    }
  }

  return { db, writer, reader, maintenance, damage: () => damage, close };
};
