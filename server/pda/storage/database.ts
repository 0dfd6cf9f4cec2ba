import Sqlite, { type Database } from 'better-sqlite3';
import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MIGRATIONS, migrate, SCHEMA_VERSION, schemaVersion } from './migrations.ts';
import { StorageProblem } from './problems.ts';

/** "PDA1": marks the file as ours, so that another program's database is never taken for a PDA. */
const APPLICATION_ID = 0x50444131;
const HEADER = Buffer.from('SQLite format 3\0', 'latin1');

export type { Database } from 'better-sqlite3';

/** SQL functions of the query language, registered on every connection that reads records. */
export type RegisterFunctions = (db: Database) => void;

/**
 * Looks at a database file without changing a byte of it. @throws StorageProblem damaged | newer | not_a_pda
 */
export const inspect = (file: string): { version: number } | undefined => {
  if (!existsSync(file) || statSync(file).size === 0) return undefined;
  const damaged = (why: string): StorageProblem =>
    new StorageProblem(
      'damaged',
      `${file} is damaged (${why}). It was left as it is. Restore a backup, or move the file away to start anew.`,
    );
  const start = Buffer.alloc(16);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, start, 0, 16, 0);
  } finally {
    closeSync(descriptor);
  }
  if (!start.equals(HEADER)) throw damaged('it does not begin like a database');
  let db: Database | undefined;
  try {
    db = new Sqlite(file, { readonly: true, fileMustExist: true });
    const application = Number(db.pragma('application_id', { simple: true }));
    const version = schemaVersion(db);
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    if (application !== APPLICATION_ID && !(application === 0 && version === 0)) {
      throw new StorageProblem('not_a_pda', `${file} belongs to another program. It was left as it is.`);
    }
    if (version > SCHEMA_VERSION) {
      throw new StorageProblem(
        'newer',
        `${file} was written by a newer version of this program (format ${version}, this one knows ${SCHEMA_VERSION}). It was left as it is. Install the newer version.`,
      );
    }
    return { version };
  } catch (error) {
    if (error instanceof StorageProblem) throw error;
    throw damaged(error instanceof Error ? error.message : String(error));
  } finally {
    db?.close();
  }
};

const setPragmas = (db: Database): void => {
  db.pragma('journal_mode = WAL');
  // What was answered with a 2xx is on the disk: the log is synced at each commit, not only at a checkpoint.
  db.pragma('synchronous = FULL');
  db.pragma('foreign_keys = ON');
  db.pragma('trusted_schema = ON'); // earned indexes call our own deterministic functions
  db.pragma('temp_store = MEMORY');
  db.pragma('cache_size = -16000');
  // Checkpoints run in a thread of their own (checkpoints.ts): inside a commit they would hold every reader up.
  db.pragma('wal_autocheckpoint = 0');
  db.pragma('journal_size_limit = 67108864');
};

/** A copy of the file as it was, next to the backups, before the first migration that touches it. */
const copyBeforeMigration = (db: Database, file: string, backups: string, version: number): void => {
  db.pragma('wal_checkpoint(TRUNCATE)');
  const copy = join(backups, `before-format-${SCHEMA_VERSION}-from-${version}.sqlite`);
  copyFileSync(file, copy);
  const descriptor = openSync(copy, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
};

/**
 * Opens the database for writing, migrating it where needed.
 * @throws StorageProblem damaged | newer | not_a_pda; the original file is then untouched
 */
export const openDatabase = (
  file: string,
  options: { backups: string; registerFunctions: RegisterFunctions },
): Database => {
  const found = inspect(file);
  const db = new Sqlite(file, { timeout: 0 });
  try {
    if (found === undefined) {
      db.pragma('page_size = 8192');
      db.pragma(`application_id = ${APPLICATION_ID}`);
    }
    options.registerFunctions(db);
    setPragmas(db);
    if (found !== undefined && found.version > 0 && found.version < MIGRATIONS.length) {
      copyBeforeMigration(db, file, options.backups, found.version);
    }
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    if (error instanceof Sqlite.SqliteError && (error.code === 'SQLITE_CORRUPT' || error.code === 'SQLITE_NOTADB')) {
      throw new StorageProblem(
        'damaged',
        `${file} is damaged (${error.message}). Restore a backup, or move the file away to start anew.`,
      );
    }
    throw error;
  }
};

/** A connection that can only read, for threads beside the one that writes. */
export const openReader = (file: string, registerFunctions: RegisterFunctions): Database => {
  const db = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 1000 });
  registerFunctions(db);
  db.pragma('trusted_schema = ON');
  db.pragma('cache_size = -8000');
  db.pragma('temp_store = MEMORY');
  return db;
};

/** A connection for maintenance: builds indexes and runs checkpoints beside the one that writes. */
export const openMaintenance = (file: string, registerFunctions: RegisterFunctions): Database => {
  const db = new Sqlite(file, { fileMustExist: true, timeout: 5000 });
  registerFunctions(db);
  db.pragma('trusted_schema = ON');
  db.pragma('synchronous = FULL');
  db.pragma('wal_autocheckpoint = 0');
  db.pragma('cache_size = -8000');
  return db;
};
