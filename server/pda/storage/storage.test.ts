import Sqlite from 'better-sqlite3';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { silentLog, type Log } from '../../platform/log.ts';
import { registerQueryFunctions } from '../data/queries/sql/functions.ts';
import { openDatabase } from './database.ts';
import { openHome } from './home/folder.ts';
import { MIGRATIONS } from './migrations/list.ts';
import { SCHEMA_VERSION, schemaVersion } from './migrations/migrator.ts';
import { StorageProblem } from './storage-problem.ts';
import { openStorage, type Storage } from './storage.ts';

const FUNCTIONS_MODULE = new URL('../data/queries/sql/functions.ts', import.meta.url).href;

let folder: string;
let messages: string[];
let log: Log;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pda-storage-'));
  messages = [];
  log = pino({}, { write: (line: string) => messages.push((JSON.parse(line) as { msg: string }).msg) });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Waits for the check by default, so that results do not depend on the machine's speed. */
const withStorage = async (use: (storage: Storage) => Promise<void> | void, checkWaitMs = 60_000): Promise<void> => {
  const home = openHome(folder);
  try {
    const storage = await openStorage({
      home,
      log,
      clock: systemClock,
      registerFunctions: registerQueryFunctions,
      functionsModule: FUNCTIONS_MODULE,
      checkWaitMs,
    });
    try {
      await use(storage);
    } finally {
      await storage.close();
    }
  } finally {
    home.close();
  }
};

const file = (name = ''): string => join(folder, `pda.sqlite${name}`);
const writeSetting = (key: string, value: string) => (storage: Storage) =>
  storage.writer.write((tx) => {
    tx.db.prepare('INSERT INTO settings (key, value) VALUES (?, ?)').run(key, value);
  });

/** Leaves the `running` marker and pages in the log, as a killed process does. */
const leaveAsKilled = async (write: (storage: Storage) => Promise<void>): Promise<void> => {
  let snapshot = new Map<string, Buffer>();
  await withStorage(async (storage) => {
    await write(storage);
    snapshot = new Map(['', '-wal'].map((name) => [name, readFileSync(file(name))]));
  });
  for (const [name, bytes] of snapshot) writeFileSync(file(name), bytes);
  writeFileSync(join(folder, 'running'), '');
};

const hashFiles = (): string[] =>
  ['', '-wal'].map((name) =>
    createHash('sha256')
      .update(readFileSync(file(name)))
      .digest('hex'),
  );

/** Overwrites the last pages of the file. The log must not contain newer versions of these pages. */
const damageLastPages = (): void => {
  const bytes = readFileSync(file());
  bytes.fill(0xa5, bytes.length - 8 * 8192);
  writeFileSync(file(), bytes);
};

describe('opening', () => {
  it('skips the check after a clean shutdown', async () => {
    await withStorage(writeSetting('a', '1'));
    await withStorage((storage) => expect(storage.damage()).toBeUndefined());
    expect(messages).toEqual([]);
  });

  it('checks the database after an unclean shutdown, loses no data and skips the check at the next start', async () => {
    await leaveAsKilled(writeSetting('a', '1'));
    await withStorage((storage) => {
      expect(storage.db.prepare('SELECT value FROM settings').pluck().all()).toEqual(['1']);
    });
    expect(messages).toEqual(['the last run did not stop cleanly: checking the database']);
    messages.length = 0;
    await withStorage(() => undefined);
    expect(messages).toEqual([]);
  });

  it('refuses a damaged database at every start and leaves file and log unchanged', async () => {
    const fill = (storage: Storage): Promise<void> =>
      storage.writer.write((tx) => {
        const add = tx.db.prepare('INSERT INTO settings (key, value) VALUES (?, ?)');
        for (let n = 0; n < 500; n += 1) add.run(`key ${n}`, 'x'.repeat(200));
      });
    await withStorage(fill);
    await leaveAsKilled(writeSetting('in the log', '1'));
    damageLastPages();
    const hashesBefore = hashFiles();
    for (let start = 0; start < 3; start += 1) {
      const error = await withStorage(() => undefined).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(StorageProblem);
      expect(error).toMatchObject({ kind: 'damaged' });
      expect(hashFiles()).toEqual(hashesBefore);
    }
  });
});

describe('a database of an earlier version', () => {
  const createEarlierDatabase = (): void => {
    const home = openHome(folder);
    const migrations = MIGRATIONS.slice(0, -1);
    const db = openDatabase(home.database, { ...home, registerFunctions: registerQueryFunctions, migrations });
    const add = db.prepare('INSERT INTO settings (key, value) VALUES (?, ?)');
    for (let n = 0; n < 500; n += 1) add.run(`key ${n}`, 'x'.repeat(200));
    db.close();
    home.close();
    writeFileSync(join(folder, 'running'), '');
  };

  it('is migrated after an unclean shutdown only after the complete check has found no damage', async () => {
    createEarlierDatabase();
    await withStorage(({ db }) => expect(schemaVersion(db)).toBe(SCHEMA_VERSION), 0);
    expect(existsSync(join(folder, 'running'))).toBe(false);
  });

  it('is refused and stays unchanged if the check finds damage after the wait time', async () => {
    createEarlierDatabase();
    damageLastPages();
    const bytesBefore = readFileSync(file());
    const error = await withStorage(() => undefined, 0).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: 'damaged' });
    expect(readFileSync(file()).equals(bytesBefore)).toBe(true);
  });
});

describe('checkpoints', () => {
  /** Reads the salt in the log's header. The salt changes at each restart of the log. */
  const readSalt = (): string => {
    const header = Buffer.alloc(24);
    const descriptor = openSync(file('-wal'), 'r');
    readSync(descriptor, header, 0, 24, 0);
    closeSync(descriptor);
    return header.toString('hex', 16);
  };

  it('restart the log repeatedly during continuous writes, and each commit is visible immediately', async () => {
    await withStorage(async ({ writer, db }) => {
      const text = 'x'.repeat(1000);
      const selectNewest = db.prepare("SELECT value FROM settings WHERE key = 'newest'").pluck();
      const salts = new Set<string>();
      for (let n = 0; salts.size < 4; n += 1) {
        expect(n, 'commits until the log was restarted').toBeLessThan(20_000);
        await writer.write((tx) => {
          const upsert = tx.db.prepare('INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)');
          for (let key = 0; key < 50; key += 1) upsert.run(`${((n * 50 + key) * 7919) % 20_000}`, text);
          upsert.run('newest', String(n));
        });
        salts.add(readSalt());
        expect(selectNewest.get()).toBe(String(n));
      }
    });
    expect(existsSync(file('-wal')), 'a clean stop leaves no log').toBe(false);
  });

  it('do not wait for a long reader, which keeps its snapshot while the writer continues', async () => {
    await withStorage(async (storage) => {
      await writeSetting('a', '1')(storage);
      const longReader = new Sqlite(file(), { readonly: true });
      longReader.exec('BEGIN');
      expect(longReader.prepare('SELECT count(*) FROM settings').pluck().get()).toBe(1);
      for (let n = 0; n < 50; n += 1) await writeSetting(`more ${n}`, 'x'.repeat(100_000))(storage);
      await storage.maintenance.all('PRAGMA wal_checkpoint(PASSIVE)');
      await writeSetting('last', '1')(storage);
      expect(longReader.prepare('SELECT count(*) FROM settings').pluck().get()).toBe(1);
      longReader.exec('COMMIT');
      expect(longReader.prepare('SELECT count(*) FROM settings').pluck().get()).toBe(52);
      longReader.close();
    });
  });
});

it('completes queued writes on close', async () => {
  const home = openHome(folder);
  const storage = await openStorage({
    home,
    log: silentLog(),
    clock: systemClock,
    registerFunctions: registerQueryFunctions,
    functionsModule: FUNCTIONS_MODULE,
  });
  const writes = Array.from({ length: 100 }, (_, n) => writeSetting(`key ${n}`, '')(storage));
  await storage.close();
  home.close();
  await Promise.all(writes);
  await withStorage(({ db }) => expect(db.prepare('SELECT count(*) FROM settings').pluck().get()).toBe(100));
});
