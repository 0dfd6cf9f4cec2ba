import Sqlite, { type Database } from 'better-sqlite3';
import { closeSync, copyFileSync, openSync, readSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock, type Clock } from '../../platform/clock.ts';
import { createPrivateFile, syncFile, syncFolder } from '../../platform/io/file-system.ts';
import { messageOf, codeOf } from '../../wire/values.ts';
import { prepareAtFirstUse } from './lazy-statement.ts';
import { migrate, SCHEMA_VERSION, schemaVersion } from './migrations/migrator.ts';
import { damagedDatabase, isBusy, isCorruptionCode, StorageProblem, toCorruptionProblem } from './storage-problem.ts';

/** `PRAGMA application_id` of a PDA database: "PDA1". */
const APPLICATION_ID = 0x50444131;
const SQLITE_HEADER = Buffer.from('SQLite format 3\0', 'latin1');

export type { Database } from 'better-sqlite3';

/** SQLite needs exclusive access to recover the log after a crash, so opening waits for other programs. */
const OPENING_WAIT_MS = 5000;

/** Registers the SQL functions of the query language on a connection. */
export type RegisterFunctions = (db: Database) => void;

const databaseInUse = (file: string): StorageProblem =>
  new StorageProblem('unusable', `${file} cannot be used: another program has it open. Close that program first.`);

/** Maps an error to a StorageProblem. Does not report a full disk or a missing permission as damage. */
const toStorageProblem = (file: string, error: unknown): StorageProblem => {
  if (error instanceof StorageProblem) return error;
  const text = messageOf(error);
  const code = codeOf(error);
  if (isCorruptionCode(code)) return damagedDatabase(file, text);
  if (isBusy(error)) return databaseInUse(file);
  return new StorageProblem('unusable', `${file} cannot be used: ${text}`);
};

/** Page cache sizes. `PRAGMA cache_size` takes kilobytes as a negative number. */
const WRITER_CACHE_KB = 12_000;
const READER_CACHE_KB = 4000;
/** SQLite truncates a larger write-ahead log to this size after a checkpoint. */
const JOURNAL_MAX_BYTES = 64 * 1024 * 1024;
const PAGE_BYTES = 8192;
const READER_WAIT_MS = 1000;

export const SIDECAR_SUFFIXES = ['-wal', '-shm', '-journal'] as const;
const sizeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.size;

const readHeader = (file: string): Buffer => {
  const header = Buffer.alloc(SQLITE_HEADER.length);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, header, 0, header.length, 0);
  } finally {
    closeSync(descriptor);
  }
  return header;
};

/**
 * Reads the schema version through SQLite, so that the write-ahead log is included.
 * @throws StorageProblem not_a_pda | newer, or an SQLite error
 */
const readVersion = (file: string, supportedVersion: number): number => {
  const existingSidecars = new Set(SIDECAR_SUFFIXES.filter((suffix) => sizeOf(file + suffix) !== undefined));
  let db: Database | undefined;
  try {
    db = new Sqlite(file, { readonly: true, fileMustExist: true });
    const version = schemaVersion(db);
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    if (Number(db.pragma('application_id', { simple: true })) !== APPLICATION_ID) {
      throw new StorageProblem('not_a_pda', `${file} belongs to another program. It was not changed.`);
    }
    if (version > supportedVersion) {
      throw new StorageProblem(
        'newer',
        `${file} was written by a newer version of this program (format ${version}, this one supports ${supportedVersion}). It was not changed. Install the newer version.`,
      );
    }
    return version;
  } finally {
    db?.close();
    // Reading creates an empty log. It is removed, so that a refused folder stays unchanged.
    if (!existingSidecars.has('-wal') && (sizeOf(`${file}-wal`) ?? 0) === 0) {
      for (const suffix of ['-wal', '-shm'] as const)
        if (!existingSidecars.has(suffix)) rmSync(file + suffix, { force: true });
    }
  }
};

/**
 * Reads the schema version of a database file without changing the file. Returns undefined if the file does not exist.
 * @throws StorageProblem damaged | newer | not_a_pda | unusable
 */
export const inspectDatabase = (
  file: string,
  supportedVersion: number = SCHEMA_VERSION,
): { version: number } | undefined => {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats === undefined) {
      // SQLite would apply a leftover log or journal to the new database.
      const sidecar = [`${file}-wal`, `${file}-journal`].find((path) => (sizeOf(path) ?? 0) > 0);
      if (sidecar !== undefined)
        throw new StorageProblem(
          'damaged',
          `${file} is missing, but ${sidecar} exists. Nothing was changed. Restore a backup, or move ${sidecar} away to start with an empty account.`,
        );
      return undefined;
    }
    if (!stats.isFile()) throw new StorageProblem('unusable', `${file} is not a file. It was not changed.`);
    // A new database gets its name when it is complete, so an empty file has lost its content.
    if (stats.size === 0) throw damagedDatabase(file, 'it is empty');
    if (!readHeader(file).equals(SQLITE_HEADER)) throw damagedDatabase(file, 'it has no SQLite header');
    return { version: readVersion(file, supportedVersion) };
  } catch (error) {
    throw toStorageProblem(file, error);
  }
};

const setPragmas = (db: Database): void => {
  db.pragma('journal_mode = WAL');
  // Syncs the log at each commit and not only at a checkpoint, so that every acknowledged write is durable.
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  // Indexes of registered queries call application-defined functions.
  db.pragma('trusted_schema = ON');
  db.pragma('temp_store = MEMORY');
  db.pragma(`cache_size = -${WRITER_CACHE_KB}`);
  // Checkpoints run in the maintenance thread (wal-checkpoints.ts). Inside a commit, they would delay all requests.
  db.pragma('wal_autocheckpoint = 0');
  db.pragma(`journal_size_limit = ${JOURNAL_MAX_BYTES}`);
};

/** Replaces a database that has no open connection. */
export const replaceDatabase = (from: string, to: string): void => {
  for (const suffix of SIDECAR_SUFFIXES) rmSync(to + suffix, { force: true });
  renameSync(from, to);
};

/** Deletes a database that has no open connection. */
export const removeDatabase = (file: string): void => {
  for (const suffix of ['', ...SIDECAR_SUFFIXES]) rmSync(file + suffix, { force: true });
};

/**
 * Moves all pages of the write-ahead log into the database file and empties the log.
 * @throws StorageProblem unusable if another connection still reads the log
 */
export const checkpointFully = (db: Database): void => {
  const [result] = db.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
  if (result.busy !== 0) throw databaseInUse(db.name);
};

/**
 * Moves all pages of the write-ahead log into a database file that this process has not opened.
 * @throws StorageProblem unusable if another connection still reads the log, or an SqliteError
 */
export const checkpointFile = (file: string): void => {
  const db = new Sqlite(file, { fileMustExist: true, timeout: OPENING_WAIT_MS });
  try {
    checkpointFully(db);
  } finally {
    db.close();
  }
};

/**
 * Copies a database that must have no open connection: closing a second descriptor of an open database would release
 * this process's POSIX locks on it. The copy gets its name when it is complete and synced.
 */
export const copyDatabase = (file: string, copy: string, clock: Clock = systemClock): void => {
  checkpointFile(file);
  try {
    copyFileSync(file, `${copy}.new`);
    // Windows copies the time of the last change, too.
    const seconds = clock.now() / 1000;
    utimesSync(`${copy}.new`, seconds, seconds);
    syncFile(`${copy}.new`);
    renameSync(`${copy}.new`, copy);
    syncFolder(dirname(copy));
  } catch (error) {
    rmSync(`${copy}.new`, { force: true });
    throw error;
  }
};

/** Creates a database under a temporary name and renames it, so that `file` is never incomplete. */
const createDatabase = (file: string, registerFunctions: RegisterFunctions, migrations?: readonly string[]): void => {
  const draft = `${file}.new`;
  removeDatabase(draft);
  try {
    // SQLite gives `-wal` and `-shm` the mode of the database.
    createPrivateFile(draft);
    const db = new Sqlite(draft, { timeout: 0 });
    try {
      db.pragma(`page_size = ${PAGE_BYTES}`);
      db.pragma('synchronous = FULL');
      db.pragma(`application_id = ${APPLICATION_ID}`);
      registerFunctions(db);
      migrate(db, migrations);
    } finally {
      db.close();
    }
    renameSync(draft, file);
    syncFolder(dirname(file));
  } catch (error) {
    removeDatabase(draft);
    throw error;
  }
};

/**
 * Opens the database for writing, and creates or migrates it where needed.
 * @param options.inspection result of `inspectDatabase`, if the caller has called it
 * @param options.migrations for tests
 * @throws StorageProblem damaged | newer | not_a_pda | unusable. Migrations that were committed before the error stay
 * applied.
 */
export const openDatabase = (
  file: string,
  options: {
    backups: string;
    registerFunctions: RegisterFunctions;
    inspection?: { existing: ReturnType<typeof inspectDatabase> };
    migrations?: readonly string[];
    clock?: Clock;
  },
): Database => {
  const { backups, registerFunctions, inspection, migrations, clock } = options;
  const supportedVersion = migrations?.length ?? SCHEMA_VERSION;
  const { existing } = inspection ?? { existing: inspectDatabase(file, supportedVersion) };
  let db: Database | undefined;
  try {
    if (existing === undefined) createDatabase(file, registerFunctions, migrations);
    else if (existing.version < supportedVersion)
      copyDatabase(file, join(backups, `before-format-${supportedVersion}-from-${existing.version}.sqlite`), clock);
    db = new Sqlite(file, { fileMustExist: true, timeout: OPENING_WAIT_MS });
    registerFunctions(db);
    setPragmas(db);
    migrate(db, migrations);
    // Requests must not wait for a lock. The writer retries by itself.
    db.pragma('busy_timeout = 0');
    prepareAtFirstUse(db);
    return db;
  } catch (error) {
    db?.close();
    throw toStorageProblem(file, toCorruptionProblem(file, error));
  }
};

const registerNoFunctions: RegisterFunctions = () => undefined;

/** Opens a read-only connection. @param registerFunctions not needed if no query or index calls the functions */
export const openReader = (file: string, registerFunctions = registerNoFunctions): Database => {
  const db = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: READER_WAIT_MS });
  registerFunctions(db);
  db.pragma('trusted_schema = ON');
  db.pragma(`cache_size = -${READER_CACHE_KB}`);
  db.pragma('temp_store = MEMORY');
  return db;
};

export const MAINTENANCE_WAIT_MS = 5000;

/**
 * Opens a writable connection for maintenance: building indexes, running checkpoints and changing database copies.
 * @param registerFunctions not needed if no query or index calls the functions
 */
export const openMaintenance = (file: string, registerFunctions = registerNoFunctions): Database => {
  const db = new Sqlite(file, { fileMustExist: true, timeout: MAINTENANCE_WAIT_MS });
  registerFunctions(db);
  db.pragma('trusted_schema = ON');
  db.pragma('synchronous = FULL');
  db.pragma('wal_autocheckpoint = 0');
  db.pragma(`cache_size = -${READER_CACHE_KB}`);
  return db;
};
