import { closeSync, openSync, rmSync } from 'node:fs';
import { messageOf } from '../../../../wire/values.ts';
import {
  SIDECAR_SUFFIXES,
  checkpointFully,
  openMaintenance,
  openReader,
  type Database,
} from '../../../storage/database.ts';
import { lockHome } from '../../../storage/home/folder.ts';
import { SCHEMA_VERSION } from '../../../storage/migrations/migrator.ts';
import { StorageProblem } from '../../../storage/storage-problem.ts';
import { BackupProblem } from '../format/error.ts';
import { syncAndStepAside } from '../format/atomic-file.ts';

/** Everything that backups ask of a database. It is opened by itself here: backups run beside the server, not in it. */

/** The functions of the query language are for indexes that nothing here looks at. */
const noFunctions = (): void => undefined;

export { replaceDatabase } from '../../../storage/database.ts';
export { SCHEMA_VERSION };

/** Pages of the database that are copied in one step: 1 MiB. */
const STEP_PAGES = 128;

/**
 * Copies the database page by page as of one moment while writes continue; unchanged pages stay byte-identical between
 * copies. One read transaction spans all steps, because SQLite would restart a stepwise copy after each write. The copy runs
 * in steps so that other writers do not wait for the disk.
 * @param tell called after each step
 */
export const copyDatabase = async (database: string, copy: string, tell: () => void): Promise<void> => {
  rmSync(copy, { force: true });
  const source = openReader(database, noFunctions);
  let written: number | undefined;
  try {
    source.exec('BEGIN');
    // The moment is that of the first read.
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await source.backup(copy, {
      progress: () => {
        // Windows allows fsync only on a descriptor that is open for writing.
        written ??= openSync(copy, 'r+');
        syncAndStepAside(written);
        tell();
        return STEP_PAGES;
      },
    });
  } finally {
    source.close();
    // Not before SQLite has closed its own: the system would drop its locks.
    if (written !== undefined) closeSync(written);
  }
};

/** Locks a home for backups. The system releases the lock when the process ends. @throws BackupProblem busy */
export const lockBackups = (folder: string): { close(): void } => {
  try {
    return lockHome(folder);
  } catch (error) {
    if (error instanceof StorageProblem && error.kind === 'in_use')
      throw new BackupProblem('busy', 'A backup of this PDA is under way already. Wait until it has ended.');
    throw error;
  }
};

export type FileAt = {
  seq: number;
  path: string | null;
  status: string;
  undo: string | null;
  size: number | null;
  /** Nanoseconds. */
  modified: string | null;
  sha256: string | null;
  moving: number;
};

export type RecordAt = { seq: number; endpoint: number; updated: number | null; data: string };

export type HomeDatabase = {
  schema(): number;
  /** Rows of each table. */
  tables(): Record<string, number>;
  name(): string;
  files(): Iterable<FileAt>;
  file(seq: number): FileAt | undefined;
  fileAt(path: string): FileAt | undefined;
  /** In order of their places. */
  records(): Iterable<RecordAt>;
  /** Its path. */
  endpoint(id: number): string;
  /** What is wrong with it; none when all is sound. */
  problems(): string[];
  close(): void;
};

const FILE_COLUMNS = 'seq, path, status, undo_path AS undo, size, modified, sha256, moving';

const hasTable = (db: Database, name: string): boolean =>
  db.prepare<[string], number>("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").pluck().get(name) === 1;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Reads a database that may be in use. @throws BackupProblem damaged */
export const openHomeDatabase = (file: string): HomeDatabase => {
  let db: Database;
  try {
    db = openReader(file, noFunctions);
  } catch (error) {
    throw new BackupProblem('damaged', `The database cannot be opened: ${messageOf(error)}`);
  }
  const hasFiles = hasTable(db, 'files');
  return {
    schema: () => Number(db.pragma('user_version', { simple: true })),
    tables() {
      // What a virtual table keeps for itself counts with the others; the virtual table cannot always be counted.
      const names = db
        .prepare<[], string>(
          "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
        )
        .pluck()
        .all();
      return Object.fromEntries(
        names.map((name) => [
          name,
          Number(
            db
              .prepare(`SELECT count(*) FROM ${quoted(name)}`)
              .pluck()
              .get(),
          ),
        ]),
      );
    },
    name: () => (hasTable(db, 'owner') ? (db.prepare<[], string>('SELECT name FROM owner').pluck().get() ?? '') : ''),
    files: () => (hasFiles ? db.prepare<[], FileAt>(`SELECT ${FILE_COLUMNS} FROM files ORDER BY seq`).iterate() : []),
    file: (seq) =>
      hasFiles ? db.prepare<[number], FileAt>(`SELECT ${FILE_COLUMNS} FROM files WHERE seq = ?`).get(seq) : undefined,
    fileAt: (path) =>
      hasFiles ? db.prepare<[string], FileAt>(`SELECT ${FILE_COLUMNS} FROM files WHERE path = ?`).get(path) : undefined,
    records: () => db.prepare<[], RecordAt>('SELECT seq, endpoint, updated, data FROM records ORDER BY seq').iterate(),
    endpoint: (id) =>
      db.prepare<[number], string>('SELECT path FROM endpoints WHERE id = ?').pluck().get(id) ?? String(id),
    problems() {
      const rows = db.prepare<[], { quick_check: string }>('PRAGMA quick_check').all();
      return rows.map((row) => row.quick_check).filter((text) => text !== 'ok');
    },
    close: () => void db.close(),
  };
};

/** How a file looks where it was put back. */
export type PutBack = { path: string; size: number; modified: string; inode: string };

/**
 * Prepares a restored database for use: stores the files' metadata on this disk and ends all sessions, because a session
 * that was revoked after the backup would otherwise be valid again.
 */
export const settleDatabase = (file: string, files: Iterable<PutBack>, now: number): void => {
  const db = openMaintenance(file, noFunctions);
  try {
    db.transaction(() => {
      if (hasTable(db, 'sessions')) db.prepare('UPDATE sessions SET ended = ? WHERE ended IS NULL').run(now);
      if (!hasTable(db, 'files')) return;
      // Numbers of files on another disk could be those of any file here.
      db.prepare('UPDATE files SET inode = NULL WHERE path IS NULL AND undo_path IS NULL').run();
      const look = db.prepare('UPDATE files SET modified = ?, inode = ? WHERE path = ? AND size = ?');
      for (const { path, modified, inode, size } of files) look.run(modified, inode, path, size);
    }).immediate();
    checkpointFully(db);
  } finally {
    db.close();
  }
};

export const removeDatabase = (file: string): void => {
  for (const beside of ['', ...SIDECAR_SUFFIXES]) rmSync(file + beside, { force: true });
};
