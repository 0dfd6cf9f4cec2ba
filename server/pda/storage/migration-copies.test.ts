import Sqlite from 'better-sqlite3';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestClock } from '../../../tests/support/test-pda.ts';
import { silentLog } from '../../platform/log.ts';
import { registerQueryFunctions } from '../data/queries/sql/functions.ts';
import { openDatabase } from './database.ts';
import { openHome } from './home/folder.ts';
import { MIGRATIONS } from './migrations/list.ts';
import { SCHEMA_VERSION } from './migrations/migrator.ts';
import { openStorage } from './storage.ts';

const FUNCTIONS_MODULE = new URL('../data/queries/sql/functions.ts', import.meta.url).href;
const DAY_MS = 86_400_000;
const clock = createTestClock();
const NEWEST_COPY = `before-format-${SCHEMA_VERSION}-from-${SCHEMA_VERSION - 1}.sqlite`;

let folder: string;
let backups: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pda-migration-copies-'));
  backups = join(folder, 'backups');
  mkdirSync(backups);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const createDatabase = (version: number): void => {
  openDatabase(join(folder, 'pda.sqlite'), {
    backups,
    registerFunctions: registerQueryFunctions,
    migrations: MIGRATIONS.slice(0, version),
    clock,
  }).close();
};

const start = async (): Promise<void> => {
  const home = openHome(folder);
  try {
    const storage = await openStorage({
      home,
      log: silentLog(),
      clock,
      registerFunctions: registerQueryFunctions,
      functionsModule: FUNCTIONS_MODULE,
    });
    await storage.close();
  } finally {
    home.close();
  }
};

const writeCopy = (name: string, ageDays: number): void => {
  const path = join(backups, name);
  writeFileSync(path, 'content');
  const seconds = (clock.now() - ageDays * DAY_MS) / 1000;
  utimesSync(path, seconds, seconds);
};
const listBackups = (): string[] => readdirSync(backups).toSorted();

describe('a copy of the database before a migration', () => {
  it('has the time of the migration, regardless of when the database last changed', async () => {
    createDatabase(SCHEMA_VERSION - 1);
    await start();
    expect(listBackups()).toEqual([NEWEST_COPY]);
    expect(statSync(join(backups, NEWEST_COPY)).mtimeMs).toBe(clock.now());
  });

  it('is deleted at a start after 30 days, and not earlier', async () => {
    createDatabase(SCHEMA_VERSION - 1);
    await start();
    clock.advance(30 * DAY_MS);
    await start();
    expect(listBackups()).toEqual([NEWEST_COPY]);
    clock.advance(1);
    await start();
    expect(listBackups()).toEqual([]);
  });

  it('is deleted when a later migration is complete', async () => {
    writeCopy('before-format-2-from-1.sqlite', 1);
    createDatabase(SCHEMA_VERSION - 1);
    await start();
    expect(listBackups()).toEqual([NEWEST_COPY]);
  });

  it('stays while a later migration fails', async () => {
    writeCopy('before-format-2-from-1.sqlite', 1);
    createDatabase(SCHEMA_VERSION - 1);
    const db = new Sqlite(join(folder, 'pda.sqlite'));
    db.exec('DROP TABLE records');
    db.exec('CREATE TABLE records (unexpected)');
    db.pragma('user_version = 1');
    db.close();
    await expect(start()).rejects.toThrow();
    expect(listBackups()).toEqual(['before-format-2-from-1.sqlite', `before-format-${SCHEMA_VERSION}-from-1.sqlite`]);
  });

  it('stays beside the copy of a second attempt, which has an intermediate format', async () => {
    const firstCopy = `before-format-${SCHEMA_VERSION}-from-1.sqlite`;
    writeCopy(firstCopy, 1);
    createDatabase(SCHEMA_VERSION - 1);
    await start();
    expect(listBackups()).toEqual([firstCopy, NEWEST_COPY]);
  });

  it('is deleted at the next start if the server was killed after the migration', async () => {
    createDatabase(SCHEMA_VERSION);
    writeCopy('before-format-2-from-1.sqlite', 1);
    writeCopy(NEWEST_COPY, 0);
    await start();
    expect(listBackups()).toEqual([NEWEST_COPY]);
  });

  it('is deleted together with files that SQLite created beside it, and with an incomplete copy', async () => {
    createDatabase(SCHEMA_VERSION);
    writeCopy('before-format-3-from-2.sqlite', 31);
    writeCopy('before-format-3-from-2.sqlite-shm', 1);
    writeCopy('before-format-4-from-3.sqlite-wal', 1);
    writeCopy('before-format-9-from-8.sqlite.new', 0);
    await start();
    expect(listBackups()).toEqual([]);
  });

  it('does not count if it is incomplete', async () => {
    createDatabase(SCHEMA_VERSION);
    writeCopy('before-format-3-from-2.sqlite', 1);
    writeCopy('before-format-4-from-3.sqlite.new', 0);
    await start();
    expect(listBackups()).toEqual(['before-format-3-from-2.sqlite']);
  });

  it('is deleted alone: files with other names stay', async () => {
    createDatabase(SCHEMA_VERSION);
    const names = ['copy-before-1.0.0.sqlite', 'my-before-format-2-from-1.sqlite', 'state.json'];
    for (const name of names) writeCopy(name, 400);
    await start();
    expect(listBackups()).toEqual(names);
  });
});
