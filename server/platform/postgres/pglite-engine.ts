import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { PGliteDialect } from 'kysely';
import { Failure } from '../failure.ts';
import { lockFolder } from '../io/folder-lock.ts';
import type { Log } from '../log.ts';
import { NUMBER_TYPES, type Engine } from './engine.ts';
import { createConnectionMonitor } from './errors.ts';

/** Database address for a database in memory, which is lost when the process ends. */
const IN_MEMORY = ':memory:';

const dataDirOf = (folder: string): string => join(folder, 'pglite');

export const hasFolderDatabase = (database: string): boolean =>
  database !== IN_MEMORY && existsSync(dataDirOf(resolve(database)));

/** Locks the folder, because two processes would corrupt its database. @throws Failure wrong_state */
const acquireLock = (folder: string): { close(): void } => {
  const lock = lockFolder(folder, 'database.lock');
  if (lock !== undefined) return lock;
  throw new Failure(
    'wrong_state',
    `Another process is using ${folder}. Stop it first, or use a PostgreSQL server for several processes.`,
  );
};

/**
 * Creates the engine for PGlite: PostgreSQL in this process, in a folder or in memory, for trial use. It has one
 * connection; a running statement blocks all others and cannot be cancelled.
 * @throws Failure wrong_state if another process uses the folder
 */
export const createPgliteEngine = async (database: string, log: Log): Promise<Engine> => {
  const monitor = createConnectionMonitor(log);
  const folder = database === IN_MEMORY ? undefined : resolve(database);
  if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = folder === undefined ? undefined : acquireLock(folder);
  const parsers = Object.fromEntries(Object.values(NUMBER_TYPES).map((oid) => [oid, Number]));
  let pglite: PGlite;
  try {
    pglite = new PGlite({ parsers, ...(folder === undefined ? {} : { dataDir: dataDirOf(folder) }) });
    await pglite.waitReady;
  } catch (error) {
    lock?.close();
    throw error;
  }
  return {
    kind: 'pglite',
    dialect: new PGliteDialect({ pglite }),
    withSession: (work) =>
      pglite.transaction((tx) =>
        work({
          query: async (sql, values = []) => (await tx.query<Record<string, unknown>>(sql, [...values])).rows,
          runScript: async (sql) => void (await tx.exec(sql)),
        }),
      ),
    // PGlite has no network connection, so the database is unavailable only after it has been closed.
    translateError: (error) => (pglite.closed ? monitor.translate(error) : error),
    async close() {
      await pglite.close();
      lock?.close();
    },
  };
};
