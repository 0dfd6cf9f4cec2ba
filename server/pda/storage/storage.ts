import type { Database } from 'better-sqlite3';
import type { Log } from '../../platform/log.ts';
import { endsWithin } from '../../platform/async/deadline.ts';
import { GUEST_READ_MS, OWNER_READ_MS } from '../../wire/limits.ts';
import { messageOf } from '../../wire/values.ts';
import { startCheckpoints } from './wal-checkpoints.ts';
import { inspect, openDatabase, type RegisterFunctions } from './database.ts';
import type { Home } from './home/folder.ts';
import { SCHEMA_VERSION } from './migrations/migrator.ts';
import { damaged, isDamage } from './storage-problem.ts';
import { createThread, ThreadError, type DatabaseThread } from './threads/client.ts';
import { createWriter, type Writer } from './writer.ts';

/** Everything that the rooms' stores work with. */
export type Storage = {
  /** For quick reads; writing goes through the writer. */
  db: Database;
  writer: Writer;
  /** For the owner's reads that may take long. */
  reader: DatabaseThread;
  /** For everybody else's: the owner's wait for none of them. */
  guestReader: DatabaseThread;
  /** For work that needs the write lock beside the writer: pause the writer first. */
  maintenance: DatabaseThread;
  /** Set when a check found the database damaged while running. */
  damage(): string | undefined;
  close(): Promise<void>;
};

/** Milliseconds that the start waits for the check after an unclean stop; a large database is checked on while it serves. */
const CHECK_AT_START_MS = 1500;

type Check = { ended: Promise<void>; damage(): string | undefined; close(): Promise<void> };

/** Looks through the whole database with a connection that cannot write, so that a damaged one stays as it is. */
const startCheck = (home: Home, log: Log, functionsModule: string): Check => {
  const thread = createThread({ file: home.database, role: 'reader', functionsModule });
  let damage: string | undefined;
  const look = async (): Promise<void> => {
    try {
      const [first] = await thread.all<{ quick_check: string }>('PRAGMA quick_check(1)');
      if (first?.quick_check !== 'ok') damage = first?.quick_check ?? 'the check gave no answer';
    } catch (error) {
      const text = messageOf(error);
      if (error instanceof ThreadError && isDamage(error.code)) damage = text;
      // Not looked through to the end, and nothing found: the next start looks again.
      else log.warn({ err: error }, 'the database could not be checked');
      if (damage === undefined) return;
    }
    if (damage === undefined) home.foundSound();
    else log.error({ damage }, 'the database is damaged');
  };
  const ended = look().then(() => thread.close());
  return { ended, damage: () => damage, close: () => thread.close() };
};

/**
 * Checks the database after an unclean stop.
 * @param waitMs milliseconds until a check without a result goes on in the background; undefined: waits for the end of the check
 * @throws StorageProblem damaged, before anything was opened for writing
 */
const checkAtStart = async (
  home: Home,
  log: Log,
  functionsModule: string,
  waitMs: number | undefined,
): Promise<Check> => {
  log.warn('the last run did not end in order: checking the database');
  const check = startCheck(home, log, functionsModule);
  await (waitMs === undefined ? check.ended : endsWithin(waitMs, check.ended));
  const damage = check.damage();
  if (damage !== undefined) {
    throw damaged(home.database, damage);
  }
  return check;
};

/**
 * @param options.functionsModule address of the module that exports `registerQueryFunctions`, for the threads
 * @param options.checkWaitMs milliseconds that opening waits for the check after an unclean stop; a longer check goes on in the background
 * @throws StorageProblem damaged | newer | not_a_pda | unusable
 */
export const openStorage = async (options: {
  home: Home;
  log: Log;
  registerFunctions: RegisterFunctions;
  functionsModule: string;
  checkWaitMs?: number;
}): Promise<Storage> => {
  const { home, log, functionsModule, registerFunctions, checkWaitMs = CHECK_AT_START_MS } = options;
  const file = home.database;
  const found = inspect(file);
  if (found === undefined) home.foundSound();
  // A migration needs the whole database to itself, and a sound one.
  const waitMs = found !== undefined && found.version < SCHEMA_VERSION ? undefined : checkWaitMs;
  const check =
    home.uncleanStop && found !== undefined ? await checkAtStart(home, log, functionsModule, waitMs) : undefined;
  const db = openDatabase(file, { backups: home.backups, registerFunctions, looked: { found } });
  const reader = createThread({ file, role: 'reader', functionsModule, deadlineMs: OWNER_READ_MS });
  const guestReader = createThread({ file, role: 'reader', functionsModule, deadlineMs: GUEST_READ_MS });
  const maintenance = createThread({ file, role: 'maintenance', functionsModule });
  const writer = createWriter(db, (error) => log.error({ err: error }, 'what follows a write failed'));
  const checkpoints = startCheckpoints({ db, file, maintenance, writer, log });

  return {
    db,
    writer,
    reader,
    guestReader,
    maintenance,
    damage: () => check?.damage(),
    async close() {
      await writer.close();
      await checkpoints.close();
      await Promise.all([reader.close(), guestReader.close(), maintenance.close(), check?.close()]);
      db.close();
    },
  };
};
