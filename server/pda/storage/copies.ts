import Sqlite from 'better-sqlite3';
import { existsSync, linkSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder } from '../../platform/io/file-system.ts';
import { BESIDE, copyDatabase, foldLog, inspect } from './database.ts';
import type { Home } from './home/folder.ts';
import { SCHEMA_VERSION } from './migrations/migrator.ts';
import { isDamage, StorageProblem } from './storage-problem.ts';

/** Copies that are kept; each is as large as the database. */
const COPIES_KEPT = 2;
const PREFIX = 'copy-';
const ASIDE = 'set-aside-';

/** What a name may hold: it becomes part of a file's name. */
export const COPY_NAME = /^[\dA-Za-z][\w.-]{0,79}$/u;

const copyOf = (home: Home, name: string): string => join(home.backups, `${PREFIX}${name}.sqlite`);

/**
 * Copies the database of a home that this process holds and has not opened yet. A copy of the same name is replaced; older ones than the newest go.
 *
 * @throws StorageProblem damaged | newer | not_a_pda | unusable, and what the disk says; the database and the copies are then as they were
 */
export const makeCopy = (home: Home, name: string): string => {
  if (inspect(home.database) === undefined)
    throw new StorageProblem('unusable', `There is no database in ${home.path} to copy.`);
  const copy = copyOf(home, name);
  copyDatabase(home.database, copy);
  const copies = readdirSync(home.backups)
    .filter((file) => file.startsWith(PREFIX) && file.endsWith('.sqlite'))
    .map((file) => join(home.backups, file))
    .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const old of copies.slice(COPIES_KEPT)) if (old !== copy) rmSync(old, { force: true });
  return copy;
};

/** Whether this program can work with the database as it is. Takes a while for a large one: every page is looked at. */
const isGood = (file: string, newest: number): boolean => {
  try {
    if (inspect(file, newest) === undefined) return false;
    const db = new Sqlite(file, { readonly: true, fileMustExist: true });
    try {
      return db.pragma('quick_check(1)', { simple: true }) === 'ok';
    } finally {
      db.close();
    }
  } catch (error) {
    // A disk that does not answer, a file that may not be read: then putting another in its place helps nobody.
    if (error instanceof StorageProblem && (error.kind === 'newer' || error.kind === 'damaged')) return false;
    if (error instanceof Sqlite.SqliteError && isDamage(error.code)) return false;
    // An index that calls a function of ours, which is not registered here: no word about the file.
    if (error instanceof Sqlite.SqliteError && error.code === 'SQLITE_ERROR') return true;
    throw error;
  }
};

/** Gives what is there another name beside the copies; never takes the database away before another can take its place. */
const setAside = (home: Home): string => {
  const aside = join(home.backups, `${ASIDE}${new Date().toISOString().replaceAll(/[:.]/gu, '-')}.sqlite`);
  try {
    foldLog(home.database);
  } catch {
    // Damaged: it is set aside as it is, with its log.
  }
  try {
    linkSync(home.database, aside);
  } catch {
    // A disk without links: for a moment there is none, and the copy stands ready.
    renameSync(home.database, aside);
  }
  for (const name of BESIDE) if (existsSync(home.database + name)) renameSync(home.database + name, aside + name);
  syncFolder(home.backups);
  return aside;
};

/**
 * Goes back to a copy when this program cannot work with the database: a newer version has changed its format, or it is damaged. One that it can work
 * with stays: what was written since the copy is in it. What was there is set aside, not deleted.
 *
 * @param newest for tests: the newest format that is known
 * @returns where what was there is now, '' when nothing was; undefined when it stayed
 * @throws StorageProblem unusable when there is no such copy or it is damaged itself; nothing was changed then
 */
export const bringBack = (home: Home, name: string, newest: number = SCHEMA_VERSION): string | undefined => {
  if (isGood(home.database, newest)) {
    home.foundSound();
    return undefined;
  }
  const copy = copyOf(home, name);
  if (!existsSync(copy)) throw new StorageProblem('unusable', `There is no copy ${copy} to go back to.`);
  if (!isGood(copy, newest)) throw new StorageProblem('unusable', `The copy ${copy} cannot be used.`);
  const ready = `${home.database}.copy`;
  copyDatabase(copy, ready);
  const aside = existsSync(home.database) ? setAside(home) : undefined;
  renameSync(ready, home.database);
  syncFolder(dirname(home.database));
  home.foundSound();
  return aside ?? '';
};
