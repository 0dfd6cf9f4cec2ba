import Sqlite, { type Database } from 'better-sqlite3';
import { closeSync, copyFileSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createPrivateFile, syncFile, syncFolder } from '../../platform/io/file-system.ts';
import { messageOf, codeOf } from '../../wire/values.ts';
import { migrate, SCHEMA_VERSION, schemaVersion } from './migrations/migrator.ts';
import { damaged, isBusy, isDamage, StorageProblem } from './storage-problem.ts';

/** "PDA1": marks the file as ours, so that another program's database is never taken for a PDA. */
const APPLICATION_ID = 0x50444131;
const HEADER = Buffer.from('SQLite format 3\0', 'latin1');

export type { Database } from 'better-sqlite3';

/**
 * Milliseconds that opening waits for another program that has the file: a look with some tool, or a copy, takes a moment, and after a killed run SQLite
 * wants it for itself.
 */
const OPENING_WAIT_MS = 5000;

/** SQL functions of the query language, registered on every connection that reads records. */
export type RegisterFunctions = (db: Database) => void;

const heldByAnother = (file: string): StorageProblem =>
  new StorageProblem('unusable', `${file} cannot be used: another program has it open. Close that program first.`);

/** What an error says about the file: only these two mean that its content is broken. A full disk or a missing right passes. */
const problemOf = (file: string, error: unknown): StorageProblem => {
  if (error instanceof StorageProblem) return error;
  const text = messageOf(error);
  const code = codeOf(error);
  if (isDamage(code)) return damaged(file, text);
  if (isBusy(error)) return heldByAnother(file);
  return new StorageProblem('unusable', `${file} cannot be used: ${text}`);
};

/** Files that SQLite keeps beside the database. */
export const BESIDE = ['-wal', '-shm', '-journal'] as const;
const sizeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.size;

const readStart = (file: string): Buffer => {
  const start = Buffer.alloc(HEADER.length);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, start, 0, start.length, 0);
  } finally {
    closeSync(descriptor);
  }
  return start;
};

/** Reads version and owner through SQLite, which counts what is still in the log. */
const versionOf = (file: string, newest: number): number => {
  const before = new Set(BESIDE.filter((name) => sizeOf(file + name) !== undefined));
  let db: Database | undefined;
  try {
    db = new Sqlite(file, { readonly: true, fileMustExist: true });
    const version = schemaVersion(db);
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    if (Number(db.pragma('application_id', { simple: true })) !== APPLICATION_ID) {
      throw new StorageProblem('not_a_pda', `${file} belongs to another program. It was left as it is.`);
    }
    if (version > newest) {
      throw new StorageProblem(
        'newer',
        `${file} was written by a newer version of this program (format ${version}, this one knows ${newest}). It was left as it is. Install the newer version.`,
      );
    }
    return version;
  } finally {
    db?.close();
    // A look leaves an empty log behind; a folder that is not ours to use stays as it was.
    if (!before.has('-wal') && (sizeOf(`${file}-wal`) ?? 0) === 0) {
      for (const name of ['-wal', '-shm'] as const) if (!before.has(name)) rmSync(file + name, { force: true });
    }
  }
};

/**
 * Looks at a database file without changing a byte of it. Undefined: there is none yet.
 * @throws StorageProblem damaged | newer | not_a_pda | unusable
 */
export const inspect = (file: string, newest: number = SCHEMA_VERSION): { version: number } | undefined => {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) {
      // A new database beside an old log would be filled with the log's pages.
      if (BESIDE.some((name) => name !== '-shm' && (sizeOf(file + name) ?? 0) > 0)) {
        throw damaged(file, 'it is missing, but its log is here');
      }
      return undefined;
    }
    if (!found.isFile()) throw new StorageProblem('unusable', `${file} is not a file. It was left as it is.`);
    // Ours is complete before it gets its name, so an empty one lost what it held.
    if (found.size === 0) throw damaged(file, 'it is empty');
    if (!readStart(file).equals(HEADER)) throw damaged(file, 'it does not begin like a database');
    return { version: versionOf(file, newest) };
  } catch (error) {
    throw problemOf(file, error);
  }
};

const setPragmas = (db: Database): void => {
  db.pragma('journal_mode = WAL');
  // What was answered with a 2xx is on the disk: the log is synced at each commit, not only at a checkpoint.
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  db.pragma('trusted_schema = ON'); // earned indexes call our own deterministic functions
  db.pragma('temp_store = MEMORY');
  db.pragma('cache_size = -12000');
  // Checkpoints run in a thread of their own (checkpoints.ts): inside a commit they would hold every reader up.
  db.pragma('wal_autocheckpoint = 0');
  db.pragma('journal_size_limit = 67108864');
};

/** The files of a database that nobody may open any more make room for another. */
export const replaceDatabase = (from: string, to: string): void => {
  for (const beside of BESIDE) rmSync(to + beside, { force: true });
  renameSync(from, to);
};

/**
 * Moves all that is in the log of a database into its file, which is whole without the log then.
 * @throws StorageProblem unusable when somebody else reads it still
 */
export const foldAll = (db: Database): void => {
  const [found] = db.pragma('wal_checkpoint(TRUNCATE)') as [{ busy: number }];
  if (found.busy !== 0) throw heldByAnother(db.name);
};

/** The same for a database that this program has not opened. @throws StorageProblem unusable; what SQLite says of one that is damaged */
export const foldLog = (file: string): void => {
  const db = new Sqlite(file, { fileMustExist: true, timeout: OPENING_WAIT_MS });
  try {
    foldAll(db);
  } finally {
    db.close();
  }
};

/**
 * Copies a database that nobody has open: closing a second descriptor of an open one drops the locks that this process holds on it. The copy gets its
 * name when it is whole and on the disk.
 */
export const copyDatabase = (file: string, copy: string): void => {
  foldLog(file);
  try {
    copyFileSync(file, `${copy}.new`);
    syncFile(`${copy}.new`);
    renameSync(`${copy}.new`, copy);
    syncFolder(dirname(copy));
  } catch (error) {
    rmSync(`${copy}.new`, { force: true });
    throw error;
  }
};

/** A copy of the file as it was, next to the backups, before the first migration that touches it. */
const copyBeforeMigration = (file: string, backups: string, from: number, to: number): void =>
  copyDatabase(file, join(backups, `before-format-${to}-from-${from}.sqlite`));

/** Makes the database under another name first: whatever ends the making, there is a whole one or none. */
const createDatabase = (file: string, registerFunctions: RegisterFunctions, migrations?: readonly string[]): void => {
  const made = `${file}.new`;
  const clear = (): void => ['', ...BESIDE].forEach((name) => rmSync(made + name, { force: true }));
  clear();
  try {
    // SQLite gives `-wal` and `-shm` the mode of the database.
    createPrivateFile(made);
    const db = new Sqlite(made, { timeout: 0 });
    try {
      db.pragma('page_size = 8192');
      db.pragma('synchronous = FULL');
      db.pragma(`application_id = ${APPLICATION_ID}`);
      registerFunctions(db);
      migrate(db, migrations);
    } finally {
      db.close();
    }
    renameSync(made, file);
    syncFolder(dirname(file));
  } catch (error) {
    clear();
    throw error;
  }
};

/**
 * Opens the database for writing, making or migrating it where needed.
 * @param options.looked what `inspect` just said of it, where it was asked already
 * @param options.migrations for tests
 * @throws StorageProblem damaged | newer | not_a_pda | unusable; the original file is then untouched
 */
export const openDatabase = (
  file: string,
  options: {
    backups: string;
    registerFunctions: RegisterFunctions;
    looked?: { found: ReturnType<typeof inspect> };
    migrations?: readonly string[];
  },
): Database => {
  const { backups, registerFunctions, looked, migrations } = options;
  const newest = migrations?.length ?? SCHEMA_VERSION;
  const { found } = looked ?? { found: inspect(file, newest) };
  let db: Database | undefined;
  try {
    if (found === undefined) createDatabase(file, registerFunctions, migrations);
    else if (found.version < newest) copyBeforeMigration(file, backups, found.version, newest);
    db = new Sqlite(file, { fileMustExist: true, timeout: OPENING_WAIT_MS });
    registerFunctions(db);
    setPragmas(db);
    migrate(db, migrations);
    // From here on it answers others, who cannot wait: the writer tries again by itself.
    db.pragma('busy_timeout = 0');
    return db;
  } catch (error) {
    db?.close();
    throw problemOf(file, error);
  }
};

/** A connection that can only read, for threads beside the one that writes. */
export const openReader = (file: string, registerFunctions: RegisterFunctions): Database => {
  const db = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 1000 });
  registerFunctions(db);
  db.pragma('trusted_schema = ON');
  db.pragma('cache_size = -4000');
  db.pragma('temp_store = MEMORY');
  return db;
};

/** Milliseconds that a connection for maintenance waits for others, unless it is told otherwise. */
export const MAINTENANCE_WAIT_MS = 5000;

/** A connection for maintenance: builds indexes and runs checkpoints beside the one that writes. */
export const openMaintenance = (file: string, registerFunctions: RegisterFunctions): Database => {
  const db = new Sqlite(file, { fileMustExist: true, timeout: MAINTENANCE_WAIT_MS });
  registerFunctions(db);
  db.pragma('trusted_schema = ON');
  db.pragma('synchronous = FULL');
  db.pragma('wal_autocheckpoint = 0');
  db.pragma('cache_size = -4000');
  return db;
};
