import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { endsWithin } from '../../platform/async/deadline.ts';
import { NON_OWNER_READ_MS, OWNER_READ_MS } from '../../wire/limits.ts';
import { MAINTENANCE_CALL_MAX_MS } from '../../wire/work-limits.ts';
import { messageOf } from '../../wire/values.ts';
import { startCheckpoints } from './wal-checkpoints.ts';
import { inspectDatabase, openDatabase, type RegisterFunctions } from './database.ts';
import type { Home } from './home/folder.ts';
import { removeOldMigrationCopies } from './migration-copies.ts';
import { SCHEMA_VERSION } from './migrations/migrator.ts';
import { damagedDatabase, isCorruptionCode } from './storage-problem.ts';
import { createDatabaseThread, ThreadError } from './threads/client.ts';
import { createWriter } from './writer.ts';

export type Storage = Awaited<ReturnType<typeof openStorage>>;

/** Time that a start waits for the database check. The check of a large database continues while the server runs. */
const STARTUP_CHECK_WAIT_MS = 1500;
const DAY_MS = 86_400_000;

/**
 * Checks the database over a read-only connection, so that a damaged file is not modified.
 * @param waitMs milliseconds after which the check continues in the background; undefined: wait until it is complete
 * @throws StorageProblem damaged, before anything is opened for writing
 */
const checkAtStart = async (home: Home, log: Log, functionsModule: string, waitMs: number | undefined) => {
  log.warn('the last run did not stop cleanly: checking the database');
  const thread = createDatabaseThread({ file: home.database, role: 'reader', functionsModule });
  let damage: string | undefined;
  const runCheck = async (): Promise<void> => {
    try {
      const [first] = await thread.all<{ quick_check: string }>('PRAGMA quick_check(1)');
      if (first?.quick_check !== 'ok') damage = first?.quick_check ?? 'the check returned no result';
    } catch (error) {
      const text = messageOf(error);
      if (error instanceof ThreadError && isCorruptionCode(error.code)) damage = text;
      // Without a complete check, the home is not marked as sound and the next start checks again.
      else log.warn({ err: error }, 'the database check failed');
      if (damage === undefined) return;
    }
    if (damage === undefined) home.markDatabaseSound();
    else log.error({ damage }, 'the database is damaged');
  };
  const completion = runCheck().then(() => thread.close());
  await (waitMs === undefined ? completion : endsWithin(waitMs, completion));
  if (damage !== undefined) throw damagedDatabase(home.database, damage);
  return { damage: (): string | undefined => damage, close: () => thread.close() };
};

/**
 * Opens the database of a home: creates or migrates it where needed, creates its threads and starts its checkpoints.
 * @param options.functionsModule URL of the `FunctionsModule` of the threads (threads/worker.ts)
 * @param options.checkWaitMs milliseconds to wait for the check after an unclean stop before it continues in the
 *   background
 * @throws StorageProblem damaged | newer | not_a_pda | unusable
 */
export const openStorage = async (options: {
  home: Home;
  log: Log;
  clock: Clock;
  registerFunctions: RegisterFunctions;
  functionsModule: string;
  checkWaitMs?: number;
}) => {
  const { home, log, clock, functionsModule, registerFunctions, checkWaitMs = STARTUP_CHECK_WAIT_MS } = options;
  const file = home.database;
  const existing = inspectDatabase(file);
  if (existing === undefined) home.markDatabaseSound();
  // A migration waits for the complete check, because it needs an undamaged database and exclusive access.
  const waitMs = existing !== undefined && existing.version < SCHEMA_VERSION ? undefined : checkWaitMs;
  const check =
    home.hadUncleanStop && existing !== undefined ? await checkAtStart(home, log, functionsModule, waitMs) : undefined;
  const db = openDatabase(file, { backups: home.backups, registerFunctions, inspection: { existing }, clock });
  const reader = createDatabaseThread({ file, role: 'reader', functionsModule, deadlineMs: OWNER_READ_MS });
  const nonOwnerThread = createDatabaseThread({ file, role: 'reader', functionsModule, deadlineMs: NON_OWNER_READ_MS });
  const maintenance = createDatabaseThread({
    file,
    role: 'maintenance',
    functionsModule,
    callMaxMs: MAINTENANCE_CALL_MAX_MS,
  });
  const writer = createWriter(db, (error) => log.error({ err: error }, 'an after-commit action or a rollback failed'));
  const checkpoints = startCheckpoints({ db, file, maintenance, writer, log });
  const removeOldCopies = (): void => {
    try {
      removeOldMigrationCopies(home.backups, clock.now());
    } catch (error) {
      log.warn({ err: error }, 'could not delete old copies of the database');
    }
  };
  removeOldCopies();
  const copiesTimer = setInterval(removeOldCopies, DAY_MS).unref();

  return {
    /** Connection of the main thread for quick reads. Writes go through `writer`. */
    db,
    writer,
    /** Thread for the owner's long reads. */
    reader,
    /** Thread for long reads of other principals, so that the owner's reads never wait for them. */
    nonOwnerThread,
    /** Thread for checkpoints and for work that needs the write lock, for which the writer must be paused first. */
    maintenance,
    /** Returns the damage that a check found after the start; undefined if none. */
    damage: (): string | undefined => check?.damage(),
    /** Runs SQLite's integrity check. Returns the problems that it finds. */
    async verify(): Promise<string[]> {
      // The check uses a new connection. A connection that has searched caches the full-text index, and SQLite would
      // report an outdated cache as damage.
      const thread = createDatabaseThread({ file, role: 'reader', functionsModule });
      try {
        const rows = await thread.all<{ integrity_check: string }>('PRAGMA integrity_check');
        return rows.map((row) => row.integrity_check).filter((text) => text !== 'ok');
      } finally {
        await thread.close();
      }
    },
    async close(): Promise<void> {
      clearInterval(copiesTimer);
      await writer.close();
      await checkpoints.close();
      await Promise.all([reader.close(), nonOwnerThread.close(), maintenance.close(), check?.close()]);
      db.close();
    },
  };
};
