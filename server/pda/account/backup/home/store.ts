import { closeSync, openSync } from 'node:fs';
import { messageOf } from '../../../../wire/values.ts';
import {
  checkpointFully,
  openMaintenance,
  openReader,
  removeDatabase,
  type Database,
} from '../../../storage/database.ts';
import { lockHome } from '../../../storage/home/folder.ts';
import { SCHEMA_VERSION } from '../../../storage/migrations/migrator.ts';
import { StorageProblem } from '../../../storage/storage-problem.ts';
import { BackupProblem } from '../format/error.ts';
import { syncAndPause } from '../format/atomic-file.ts';

/* Database operations of backups. They open their own connections, because backups run in a separate process. */

export { replaceDatabase } from '../../../storage/database.ts';
export { removeDatabase, SCHEMA_VERSION };

/** 1 MiB per step. */
const STEP_PAGES = 128;

/**
 * Copies a snapshot of the database while writes continue. Unchanged pages are byte-identical in all copies. One read
 * transaction spans all steps, because SQLite would otherwise restart the copy after each write. Between two steps, the
 * disk is available to other writers.
 */
export const createSnapshot = async (database: string, copy: string, onStep: () => void): Promise<void> => {
  removeDatabase(copy);
  const source = openReader(database);
  let copyDescriptor: number | undefined;
  try {
    source.exec('BEGIN');
    // Starts the read transaction.
    source.prepare('SELECT count(*) FROM sqlite_schema').get();
    await source.backup(copy, {
      progress: () => {
        // Windows allows fsync only on a descriptor that is open for writing.
        copyDescriptor ??= openSync(copy, 'r+');
        syncAndPause(copyDescriptor);
        onStep();
        return STEP_PAGES;
      },
    });
  } finally {
    source.close();
    // Closed last, because closing any descriptor of a file releases all of the process's POSIX locks on it.
    if (copyDescriptor !== undefined) closeSync(copyDescriptor);
  }
};

/**
 * Acquires the backup lock of a PDA, which excludes other backups, restore drills and changes to the key files until it
 * is released or the process ends.
 * @throws BackupProblem busy
 */
export const lockBackups = (folder: string): { close(): void } => {
  try {
    return lockHome(folder);
  } catch (error) {
    if (error instanceof StorageProblem && error.kind === 'in_use')
      throw new BackupProblem('busy', 'Another process is using the backups of this PDA. Try again when it has ended.');
    throw error;
  }
};

export type BackupFileRow = {
  seq: number;
  path: string | null;
  status: string;
  /** Former path of a deleted file that the owner can restore; null for all other files. */
  undo: string | null;
  size: number | null;
  /** Modification time in nanoseconds since 1970. */
  modified: string | null;
  sha256: string | null;
  /** `<device number>:<inode number>`. */
  inode: string | null;
  /** 1 while the content is being moved to `path`. */
  moving: number;
};

/** `endpoint` is an endpoint id. */
type BackupRecordRow = { seq: number; endpoint: number; updated: number | null; data: string };

export type HomeDatabase = ReturnType<typeof openHomeDatabase>;

const FILE_COLUMNS = 'seq, path, status, undo_path AS undo, size, modified, sha256, inode, moving';

const hasTable = (db: Database, name: string): boolean =>
  db.prepare<[string], number>("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").pluck().get(name) === 1;

const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Opens the database of a home, which may be in use. @throws BackupProblem damaged */
export const openHomeDatabase = (file: string) => {
  let db: Database;
  try {
    db = openReader(file);
  } catch (error) {
    throw new BackupProblem('damaged', `The database cannot be opened: ${messageOf(error)}`);
  }
  const hasFiles = hasTable(db, 'files');
  return {
    readSchemaVersion: (): number => Number(db.pragma('user_version', { simple: true })),
    /** Returns the number of rows by table. */
    countRowsByTable(): Record<string, number> {
      // Counts the shadow tables instead of virtual tables, which cannot always be counted.
      const names = db
        .prepare<[], string>(
          "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
        )
        .pluck()
        .all();
      const countRows = (table: string): number =>
        Number(
          db
            .prepare(`SELECT count(*) FROM ${quoteIdentifier(table)}`)
            .pluck()
            .get(),
        );
      return Object.fromEntries(names.map((name) => [name, countRows(name)]));
    },
    /** Returns the name of the PDA; empty before the set-up. */
    readName: (): string =>
      hasTable(db, 'owner') ? (db.prepare<[], string>('SELECT name FROM owner').pluck().get() ?? '') : '',
    iterateFiles: (): Iterable<BackupFileRow> =>
      hasFiles ? db.prepare<[], BackupFileRow>(`SELECT ${FILE_COLUMNS} FROM files ORDER BY seq`).iterate() : [],
    findFile: (seq: number): BackupFileRow | undefined =>
      hasFiles
        ? db.prepare<[number], BackupFileRow>(`SELECT ${FILE_COLUMNS} FROM files WHERE seq = ?`).get(seq)
        : undefined,
    findFileAt: (path: string): BackupFileRow | undefined =>
      hasFiles
        ? db.prepare<[string], BackupFileRow>(`SELECT ${FILE_COLUMNS} FROM files WHERE path = ?`).get(path)
        : undefined,
    iterateRecords: (): Iterable<BackupRecordRow> =>
      db.prepare<[], BackupRecordRow>('SELECT seq, endpoint, updated, data FROM records ORDER BY seq').iterate(),
    /** Returns the path of an endpoint; its id if it has no path. */
    endpointPathOf: (id: number): string =>
      db.prepare<[number], string>('SELECT path FROM endpoints WHERE id = ?').pluck().get(id) ?? String(id),
    findProblems(): string[] {
      const rows = db.prepare<[], { quick_check: string }>('PRAGMA quick_check').all();
      return rows.map((row) => row.quick_check).filter((text) => text !== 'ok');
    },
    close: () => void db.close(),
  };
};

/**
 * Times are in nanoseconds since 1970. `originalModified` is the time in the backup: file systems store times with
 * different precision.
 */
export type RestoredFile = { path: string; size: number; originalModified: string; modified: string; inode: string };

/**
 * Stores the metadata of the restored files, except of those that had changed since they were last scanned before the
 * backup: the first scan then reads their content again. Ends all sessions, because a session that was revoked after
 * the backup would otherwise be valid again.
 */
export const prepareRestoredDatabase = (file: string, files: Iterable<RestoredFile>, now: number): void => {
  const db = openMaintenance(file);
  try {
    db.transaction(() => {
      if (hasTable(db, 'sessions')) db.prepare('UPDATE sessions SET ended = ? WHERE ended IS NULL').run(now);
      if (!hasTable(db, 'files')) return;
      // Inodes of another disk could match unrelated files on this disk.
      db.prepare('UPDATE files SET inode = NULL WHERE path IS NULL AND undo_path IS NULL').run();
      const updateMetadata = db.prepare(
        'UPDATE files SET modified = :modified, inode = :inode WHERE path = :path AND size = :size AND modified = :originalModified',
      );
      for (const file of files) updateMetadata.run(file);
    }).immediate();
    checkpointFully(db);
  } finally {
    db.close();
  }
};
