import Sqlite from 'better-sqlite3';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog, type Log } from '../../platform/log.ts';
import { registerQueryFunctions } from '../data/queries/sql/functions.ts';
import { openDatabase } from './database.ts';
import { openHome } from './home/folder.ts';
import { MIGRATIONS } from './migrations/list.ts';
import { SCHEMA_VERSION, schemaVersion } from './migrations/migrator.ts';
import { StorageProblem } from './storage-problem.ts';
import { openStorage, type Storage } from './storage.ts';

const FUNCTIONS = new URL('../data/queries/sql/functions.ts', import.meta.url).href;

let folder: string;
let said: string[];
let log: Log;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pda-storage-'));
  said = [];
  log = pino({}, { write: (line: string) => said.push((JSON.parse(line) as { msg: string }).msg) });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The result of the check must not depend on how fast the machine is: by default it is waited for. */
const opened = async (use: (storage: Storage) => Promise<void> | void, checkWaitMs = 60_000): Promise<void> => {
  const home = openHome(folder);
  try {
    const storage = await openStorage({
      home,
      log,
      registerFunctions: registerQueryFunctions,
      functionsModule: FUNCTIONS,
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
const setting = (key: string, value: string) => (storage: Storage) =>
  storage.writer.write((tx) => {
    tx.db.prepare('INSERT INTO settings (key, value) VALUES (?, ?)').run(key, value);
  });

/** The state that a kill leaves: the mark, and pages in the log. */
const asKilled = async (write: (storage: Storage) => Promise<void>): Promise<void> => {
  let left = new Map<string, Buffer>();
  await opened(async (storage) => {
    await write(storage);
    left = new Map(['', '-wal'].map((name) => [name, readFileSync(file(name))]));
  });
  for (const [name, bytes] of left) writeFileSync(file(name), bytes);
  writeFileSync(join(folder, 'running'), '');
};

const hashes = (): string[] =>
  ['', '-wal'].map((name) =>
    createHash('sha256')
      .update(readFileSync(file(name)))
      .digest('hex'),
  );

/** Turns the last pages of the file into what no database can be; those that the log has newer ones of do not matter. */
const damageLastPages = (): void => {
  const bytes = readFileSync(file());
  bytes.fill(0xa5, bytes.length - 8 * 8192);
  writeFileSync(file(), bytes);
};

describe('opening', () => {
  it('does not check after a stop in order', async () => {
    await opened(setting('a', '1'));
    await opened((storage) => expect(storage.damage()).toBeUndefined());
    expect(said).toEqual([]);
  });

  it('checks after a stop that was none, has what was written, and trusts the next start', async () => {
    await asKilled(setting('a', '1'));
    await opened((storage) => {
      expect(storage.db.prepare('SELECT value FROM settings').pluck().all()).toEqual(['1']);
    });
    expect(said).toEqual(['the last run did not end in order: checking the database']);
    said.length = 0;
    await opened(() => undefined);
    expect(said).toEqual([]);
  });

  it('refuses a database in which the check finds damage, leaves file and log as they are, and goes on refusing', async () => {
    const fill = (storage: Storage): Promise<void> =>
      storage.writer.write((tx) => {
        const add = tx.db.prepare('INSERT INTO settings (key, value) VALUES (?, ?)');
        for (let n = 0; n < 500; n += 1) add.run(`key ${n}`, 'x'.repeat(200));
      });
    await opened(fill);
    await asKilled(setting('in the log', '1'));
    damageLastPages();
    const before = hashes();
    for (let start = 0; start < 3; start += 1) {
      const refused = await opened(() => undefined).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(StorageProblem);
      expect(refused).toMatchObject({ kind: 'damaged' });
      expect(hashes()).toEqual(before);
    }
  });
});

describe('a database of an earlier version', () => {
  const createEarlier = (): void => {
    const home = openHome(folder);
    const migrations = MIGRATIONS.slice(0, -1);
    const db = openDatabase(home.database, { ...home, registerFunctions: registerQueryFunctions, migrations });
    const add = db.prepare('INSERT INTO settings (key, value) VALUES (?, ?)');
    for (let n = 0; n < 500; n += 1) add.run(`key ${n}`, 'x'.repeat(200));
    db.close();
    home.close();
    writeFileSync(join(folder, 'running'), '');
  };

  it('is migrated after an unclean stop only when the whole check has found it sound', async () => {
    createEarlier();
    await opened(({ db }) => expect(schemaVersion(db)).toBe(SCHEMA_VERSION), 0);
    expect(existsSync(join(folder, 'running'))).toBe(false);
  });

  it('is refused and stays as it is when the check finds damage, however long that takes', async () => {
    createEarlier();
    damageLastPages();
    const before = readFileSync(file());
    const refused = await opened(() => undefined, 0).catch((error: unknown) => error);
    expect(refused).toMatchObject({ kind: 'damaged' });
    expect(readFileSync(file()).equals(before)).toBe(true);
  });
});

describe('checkpoints', () => {
  /** Changes each time the log is started over. */
  const salt = (): string => {
    const start = Buffer.alloc(24);
    const descriptor = openSync(file('-wal'), 'r');
    readSync(descriptor, start, 0, 24, 0);
    closeSync(descriptor);
    return start.toString('hex', 16);
  };

  it('start the log over again and again while writes never pause, and readers see every commit at once', async () => {
    await opened(async ({ writer, db }) => {
      const text = 'x'.repeat(1000);
      const read = db.prepare("SELECT value FROM settings WHERE key = 'newest'").pluck();
      const salts = new Set<string>();
      let largest = 0;
      for (let n = 0; salts.size < 4; n += 1) {
        expect(n, 'commits until the log was started over').toBeLessThan(20_000);
        await writer.write((tx) => {
          const put = tx.db.prepare('INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)');
          for (let key = 0; key < 50; key += 1) put.run(`${((n * 50 + key) * 7919) % 20_000}`, text);
          put.run('newest', String(n));
        });
        salts.add(salt());
        largest = Math.max(largest, statSync(file('-wal')).size);
        expect(read.get()).toBe(String(n));
      }
      console.log(`the largest log was ${Math.round(largest / 1e6)} MB`);
    });
    expect(existsSync(file('-wal')), 'an orderly end leaves no log').toBe(false);
  });

  it('wait for nobody: a reader that stays keeps its view, and the writer goes on', async () => {
    await opened(async (storage) => {
      await setting('a', '1')(storage);
      const other = new Sqlite(file(), { readonly: true });
      other.exec('BEGIN');
      expect(other.prepare('SELECT count(*) FROM settings').pluck().get()).toBe(1);
      for (let n = 0; n < 50; n += 1) await setting(`more ${n}`, 'x'.repeat(100_000))(storage);
      await storage.maintenance.all('PRAGMA wal_checkpoint(PASSIVE)');
      await setting('last', '1')(storage);
      expect(other.prepare('SELECT count(*) FROM settings').pluck().get()).toBe(1);
      other.exec('COMMIT');
      expect(other.prepare('SELECT count(*) FROM settings').pluck().get()).toBe(52);
      other.close();
    });
  });
});

it('closes with writes in its queue: they are written', async () => {
  const home = openHome(folder);
  const storage = await openStorage({
    home,
    log: silentLog(),
    registerFunctions: registerQueryFunctions,
    functionsModule: FUNCTIONS,
  });
  const writes = Array.from({ length: 100 }, (_, n) => setting(`key ${n}`, '')(storage));
  await storage.close();
  home.close();
  await Promise.all(writes);
  await opened(({ db }) => expect(db.prepare('SELECT count(*) FROM settings').pluck().get()).toBe(100));
});
