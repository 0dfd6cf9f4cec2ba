import Sqlite from 'better-sqlite3';
import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder } from '../../platform/io/file-system.ts';
import {
  checkpointFile,
  checkpointFully,
  copyDatabase,
  inspectDatabase,
  openMaintenance,
  removeDatabase,
  SIDECAR_SUFFIXES,
} from './database.ts';
import type { Home } from './home/folder.ts';
import { SCHEMA_VERSION } from './migrations/migrator.ts';
import { isCorruptionCode, StorageProblem } from './storage-problem.ts';

/** Only a few copies are retained, because each is as large as the database. */
const COPIES_MAX = 2;
const COPY_PREFIX = 'copy-';
const SET_ASIDE_PREFIX = 'set-aside-';

/** The name becomes part of a file name. */
export const COPY_NAME_PATTERN = /^[\dA-Za-z][\w.-]{0,79}$/u;

const copyPath = (home: Home, name: string): string => join(home.backups, `${COPY_PREFIX}${name}.sqlite`);

/**
 * Copies the database of a home. This process must have locked the home, but not yet opened the database. Replaces a
 * copy with the same name and deletes all but the newest copies.
 * @returns path of the copy
 * @throws StorageProblem damaged | newer | not_a_pda | unusable, or an error of SQLite or the file system
 */
export const createDatabaseCopy = (home: Home, name: string): string => {
  if (inspectDatabase(home.database) === undefined)
    throw new StorageProblem('unusable', `There is no database in ${home.path} to copy.`);
  const copy = copyPath(home, name);
  copyDatabase(home.database, copy);
  const copies = readdirSync(home.backups)
    .filter((file) => file.startsWith(COPY_PREFIX) && file.endsWith('.sqlite'))
    .map((file) => join(home.backups, file))
    .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const oldCopy of copies.slice(COPIES_MAX)) if (oldCopy !== copy) rmSync(oldCopy, { force: true });
  return copy;
};

/**
 * Returns true if this version can open the file and the file is not damaged. Reads every page, so it is slow for a
 * large database.
 */
const isUsable = (file: string, supportedVersion: number): boolean => {
  try {
    if (inspectDatabase(file, supportedVersion) === undefined) return false;
    const db = new Sqlite(file, { readonly: true, fileMustExist: true });
    try {
      return db.pragma('quick_check(1)', { simple: true }) === 'ok';
    } finally {
      db.close();
    }
  } catch (error) {
    // Other problems, such as a failing disk or a missing permission, are rethrown: replacing the file would not help.
    if (error instanceof StorageProblem && (error.kind === 'newer' || error.kind === 'damaged')) return false;
    if (error instanceof Sqlite.SqliteError && isCorruptionCode(error.code)) return false;
    // An index calls an SQL function that is not registered on this connection. The file itself is not damaged.
    if (error instanceof Sqlite.SqliteError && error.code === 'SQLITE_ERROR') return true;
    throw error;
  }
};

/** Returns the ids of the sessions that have not ended; none if the database is missing or cannot be read. */
const readActiveSessions = (file: string): unknown[] => {
  try {
    const db = new Sqlite(file, { readonly: true, fileMustExist: true });
    try {
      return db.prepare('SELECT jti FROM sessions WHERE ended IS NULL').pluck().all();
    } finally {
      db.close();
    }
  } catch {
    return [];
  }
};

/**
 * Ends all sessions in a copy that are not active in the database that it will replace: the tokens of sessions that
 * have ended since the copy was made must not be valid again.
 */
const endOtherSessions = (copy: string, activeSessions: readonly unknown[]): void => {
  const db = openMaintenance(copy);
  try {
    db.prepare('UPDATE sessions SET ended = ? WHERE ended IS NULL AND jti NOT IN (SELECT value FROM json_each(?))').run(
      Date.now(),
      JSON.stringify(activeSessions),
    );
    checkpointFully(db);
  } finally {
    db.close();
  }
};

/**
 * Puts the database into the folder `backups` before a copy replaces it. Uses a hard link where possible, so that the
 * database also stays in place until the copy replaces it. Also moves the log of a missing database, because SQLite
 * would replay the log into the copy.
 * @returns path of the stored database; undefined if there was none
 */
const setAside = (home: Home): string | undefined => {
  const time = new Date().toISOString().replaceAll(/[:.]/gu, '-');
  const asidePath = join(home.backups, `${SET_ASIDE_PREFIX}${time}.sqlite`);
  const hasDatabase = existsSync(home.database);
  if (hasDatabase) {
    try {
      checkpointFile(home.database);
    } catch {
      // A damaged database is set aside together with its log.
    }
    try {
      linkSync(home.database, asidePath);
    } catch {
      // Without hard links, the database is missing until the prepared copy replaces it.
      renameSync(home.database, asidePath);
    }
  }
  for (const suffix of SIDECAR_SUFFIXES)
    if (existsSync(home.database + suffix)) renameSync(home.database + suffix, asidePath + suffix);
  syncFolder(home.backups);
  return hasDatabase ? asidePath : undefined;
};

/**
 * Restores a copy in place of a database that this program cannot use, because a newer version changed its format or
 * because it is damaged. Keeps a usable database, because it may contain data that is newer than the copy.
 * The replaced database is set aside, not deleted. Sessions that have ended since the copy was made stay ended.
 * @param supportedVersion newest schema version that is supported; for tests
 * @returns path of the replaced database, '' if there was none; undefined if the database is kept
 * @throws StorageProblem unusable if the copy is missing or cannot be used; not_a_pda | unusable if a copy would not
 *   help, for example without the permission to read the database. In these cases, nothing is changed. Also throws
 *   errors of SQLite and the file system.
 */
export const restoreDatabaseCopy = (
  home: Home,
  name: string,
  supportedVersion: number = SCHEMA_VERSION,
): string | undefined => {
  if (isUsable(home.database, supportedVersion)) {
    home.markDatabaseSound();
    return undefined;
  }
  const copy = copyPath(home, name);
  if (!existsSync(copy)) throw new StorageProblem('unusable', `There is no copy ${copy} to restore.`);
  if (!isUsable(copy, supportedVersion)) throw new StorageProblem('unusable', `The copy ${copy} cannot be used.`);
  const preparedCopy = `${home.database}.copy`;
  // SQLite would apply the log that a killed process left to the new copy.
  removeDatabase(preparedCopy);
  copyDatabase(copy, preparedCopy);
  endOtherSessions(preparedCopy, readActiveSessions(home.database));
  const asidePath = setAside(home);
  renameSync(preparedCopy, home.database);
  syncFolder(dirname(home.database));
  home.markDatabaseSound();
  return asidePath ?? '';
};
