import Sqlite from 'better-sqlite3';
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runInProcess } from '../../../tests/support/run-command.ts';
import { runCommand } from '../../../tests/support/server-process.ts';
import { checkpointFully, inspectDatabase, openDatabase } from './database.ts';
import { migrate } from './migrations/migrator.ts';
import { pictures } from './migrations/0045-pictures.ts';
import { recordDigests } from './migrations/0048-record-digests.ts';
import { importOriginals } from './migrations/0052-import-originals.ts';
import { MIGRATIONS } from './migrations/list.ts';
import { StorageProblem } from './storage-problem.ts';
import { IS_THOROUGH_RUN } from '../../../tests/support/long-run.ts';

let home: string;
let file: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pda-database-'));
  file = join(home, 'pda.sqlite');
  mkdirSync(join(home, 'backups'));
});
afterEach(() => {
  chmodSync(home, 0o700);
  rmSync(home, { recursive: true, force: true });
});

const open = (migrations?: readonly string[]) =>
  openDatabase(file, {
    backups: join(home, 'backups'),
    registerFunctions: () => undefined,
    ...(migrations === undefined ? {} : { migrations }),
  });

const createFilledDatabase = (): void => {
  const db = open();
  const add = db.prepare('INSERT INTO settings (key, value) VALUES (?, ?)');
  db.transaction(() => {
    for (let n = 0; n < 2000; n += 1) add.run(`key ${n}`, randomBytes(40).toString('hex'));
  })();
  db.close();
};

const hashFiles = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(home)
      .filter((name) => name.startsWith('pda.sqlite') && !name.endsWith('-shm'))
      .map((name) => {
        const path = join(home, name);
        const hash = createHash('sha256');
        try {
          return [name, hash.update(readFileSync(path)).digest('hex')];
        } catch {
          return [name, 'a folder'];
        }
      }),
  );

const problemOf = (action: () => unknown): StorageProblem => {
  try {
    action();
  } catch (error) {
    if (error instanceof StorageProblem) return error;
    throw error;
  }
  throw new Error('expected a StorageProblem');
};

const overwrite = (position: number, bytes: Buffer): void => {
  const content = readFileSync(file);
  bytes.copy(content, position);
  writeFileSync(file, content);
};

const createOtherProgramDatabase = (): void => {
  new Sqlite(file).exec('CREATE TABLE songs (title TEXT); INSERT INTO songs VALUES (1)').close();
};

const CASES: Record<string, { make: () => void; kind: StorageProblem['kind']; message: RegExp }> = {
  'has no SQLite header': {
    make: () => (createFilledDatabase(), overwrite(0, Buffer.from('not a header'))),
    kind: 'damaged',
    message: /has no SQLite header.*not changed/u,
  },
  'has a damaged header after the magic string': {
    make: () => (createFilledDatabase(), overwrite(16, randomBytes(60).fill(0xee))),
    kind: 'damaged',
    message: /is damaged.*not changed.*Restore a backup/u,
  },
  'is truncated in the middle': {
    make: () => (createFilledDatabase(), truncateSync(file, 8192 * 4)),
    kind: 'damaged',
    message: /is damaged/u,
  },
  'is truncated within the first page': {
    make: () => (createFilledDatabase(), truncateSync(file, 300)),
    kind: 'damaged',
    message: /is damaged/u,
  },
  'contains random bytes': {
    make: () => writeFileSync(file, randomBytes(100_000)),
    kind: 'damaged',
    message: /is damaged/u,
  },
  'is empty': { make: () => writeFileSync(file, ''), kind: 'damaged', message: /it is empty/u },
  'is missing while its write-ahead log exists': {
    make: () => writeFileSync(`${file}-wal`, randomBytes(5000)),
    kind: 'damaged',
    message: /is missing, but .*-wal exists\. Nothing was changed\. .* move .*-wal away/u,
  },
  'is missing while its rollback journal exists': {
    make: () => writeFileSync(`${file}-journal`, randomBytes(5000)),
    kind: 'damaged',
    message: /is missing, but .*-journal exists\. Nothing was changed\. .* move .*-journal away/u,
  },
  'belongs to another program': {
    make: createOtherProgramDatabase,
    kind: 'not_a_pda',
    message: /belongs to another program/u,
  },
  'belongs to another program that uses a write-ahead log': {
    make: () => {
      const db = new Sqlite(file);
      db.pragma('journal_mode = WAL');
      db.pragma('user_version = 1');
      db.exec('CREATE TABLE records (id)').close();
    },
    kind: 'not_a_pda',
    message: /belongs to another program/u,
  },
  'was written by a newer version': {
    make: () => {
      createFilledDatabase();
      const db = new Sqlite(file);
      db.pragma('user_version = 99');
      db.close();
    },
    kind: 'newer',
    message: /newer version of this program \(format 99, this one supports \d+\)/u,
  },
  'is a folder': { make: () => mkdirSync(file), kind: 'unusable', message: /is not a file/u },
};

describe('a database file that cannot be used', () => {
  it.each(Object.keys(CASES))('is refused with the reason and stays unchanged: it %s', async (name) => {
    const { make, kind, message } = CASES[name] ?? { make: () => undefined, kind: 'damaged', message: /never/u };
    make();
    const hashesBefore = hashFiles();
    const problem = problemOf(open);
    expect(problem.kind).toBe(kind);
    expect(problem.message).toMatch(message);
    expect(problem.message).toContain(file);
    expect(problemOf(() => inspectDatabase(file)).kind).toBe(kind);
    expect(hashFiles()).toEqual(hashesBefore);

    const verifyResult = await runInProcess(['verify', '--home', home]);
    expect(verifyResult).toMatchObject({ code: 1, stdout: '', stderr: `${problem.message}\n` });
    expect(hashFiles()).toEqual(hashesBefore);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'is refused because of its write-ahead log, and stays unchanged together with the log',
    async () => {
      createFilledDatabase();
      const otherConnection = new Sqlite(file);
      otherConnection.pragma('wal_autocheckpoint = 0');
      otherConnection.pragma('user_version = 99');
      // A killed process leaves the files of an open database.
      const snapshot = new Map(['', '-wal'].map((name) => [name, readFileSync(file + name)]));
      otherConnection.close();
      for (const [name, bytes] of snapshot) writeFileSync(file + name, bytes);
      const hashesBefore = hashFiles();
      expect(Object.keys(hashesBefore)).toEqual(['pda.sqlite', 'pda.sqlite-wal']);
      expect(problemOf(open).kind).toBe('newer');
      expect((await runCommand(['serve', '--home', home, '--port', '0'])).code).toBe(1);
      expect(hashFiles()).toEqual(hashesBefore);
    },
  );
});

/** ID of a user without privileges. Root can read and write everything. */
const UNPRIVILEGED_UID = 65_534;

describe.skipIf(process.getuid?.() !== 0)('a home without permissions for the user (creating it needs root)', () => {
  it.skipIf(!IS_THOROUGH_RUN)('is refused with a one-line message if the file cannot be read', async () => {
    createFilledDatabase();
    chownSync(home, UNPRIVILEGED_UID, UNPRIVILEGED_UID);
    chownSync(join(home, 'backups'), UNPRIVILEGED_UID, UNPRIVILEGED_UID);
    chmodSync(file, 0o600);
    const hashesBefore = hashFiles();
    const serveResult = await runCommand(['serve', '--home', home, '--port', '0'], { uid: UNPRIVILEGED_UID });
    expect(serveResult.code).toBe(1);
    expect(serveResult.stderr).toMatch(/^.*pda\.sqlite cannot be used: .*permission denied.*\n$/u);
    expect(hashFiles()).toEqual(hashesBefore);
  });

  it.skipIf(!IS_THOROUGH_RUN)('is refused with a one-line message if the folder is not writable', async () => {
    createFilledDatabase();
    chmodSync(home, 0o555);
    const names = readdirSync(home);
    const serveResult = await runCommand(['serve', '--home', home, '--port', '0'], { uid: UNPRIVILEGED_UID });
    expect(serveResult.code).toBe(1);
    expect(serveResult.stderr).toMatch(/^The folder .* cannot be used: .*\n$/u);
    expect(readdirSync(home)).toEqual(names);
  });
});

describe('a database that another program has open', () => {
  const startLocker = async (): Promise<ChildProcess & { releaseAfter: (ms: number) => void }> => {
    const program = `
      const db = new (require('better-sqlite3'))(process.argv[1]);
      db.pragma('locking_mode = EXCLUSIVE');
      db.exec('BEGIN IMMEDIATE; COMMIT');
      process.once('message', (ms) => setTimeout(() => { db.close(); process.disconnect(); }, ms));
      process.send('locked');`;
    const child = spawn(process.execPath, ['-e', program, file], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    await once(child, 'message');
    return Object.assign(child, { releaseAfter: (ms: number) => void child.send(ms) });
  };

  it('is opened if the other program releases it within a short time', async () => {
    createFilledDatabase();
    const locker = await startLocker();
    expect(() => new Sqlite(file, { readonly: true, timeout: 0 }).pragma('user_version')).toThrow('locked');
    locker.releaseAfter(300);
    const db = open();
    expect(db.prepare('SELECT count(*) FROM settings').pluck().get()).toBe(2000);
    expect(db.pragma('busy_timeout', { simple: true }), 'requests do not wait for a lock').toBe(0);
    db.close();
  });

  it.skipIf(!IS_THOROUGH_RUN)('is refused with the reason if the other program does not release it', async () => {
    createFilledDatabase();
    const child = await startLocker();
    try {
      expect(problemOf(() => open()).message).toMatch(/pda\.sqlite cannot be used: another program has it open\./u);
    } finally {
      child.kill();
    }
  });

  it('does not count as fully checkpointed while a reader uses its log', () => {
    createFilledDatabase();
    const db = open();
    const reader = new Sqlite(file, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM settings').get();
    db.exec("INSERT INTO settings (key, value) VALUES ('later', 'x')");
    expect(problemOf(() => checkpointFully(db)).kind).toBe('unusable');
    reader.close();
    checkpointFully(db);
    expect(readFileSync(`${file}-wal`)).toHaveLength(0);
    db.close();
  });
});

describe('a migration', () => {
  const FIRST_MIGRATION = 'CREATE TABLE notes (text TEXT NOT NULL)';
  const SECOND_MIGRATION = "ALTER TABLE notes ADD COLUMN kind TEXT NOT NULL DEFAULT 'plain'";
  const BROKEN_MIGRATION = "CREATE TABLE half (id); INSERT INTO notes (nothing_like_it) VALUES ('x')";

  const createFirstVersion = (): void => {
    const db = open([FIRST_MIGRATION]);
    db.exec("INSERT INTO notes (text) VALUES ('kept')");
    db.close();
  };
  const listCopies = (): string[] => readdirSync(join(home, 'backups'));

  it('copies the previous file first', () => {
    createFirstVersion();
    const db = open([FIRST_MIGRATION, SECOND_MIGRATION]);
    expect(db.prepare('SELECT text, kind FROM notes').all()).toEqual([{ text: 'kept', kind: 'plain' }]);
    db.close();
    expect(listCopies()).toEqual(['before-format-2-from-1.sqlite']);
    const copy = new Sqlite(join(home, 'backups', 'before-format-2-from-1.sqlite'), { readonly: true });
    expect(copy.prepare('SELECT * FROM notes').all()).toEqual([{ text: 'kept' }]);
    expect(copy.pragma('user_version', { simple: true })).toBe(1);
    copy.close();
  });

  it('includes the write-ahead log of a killed run in the copy', () => {
    createFirstVersion();
    const db = open([FIRST_MIGRATION]);
    db.exec("INSERT INTO notes (text) VALUES ('in the log')");
    const snapshot = new Map(['', '-wal'].map((name) => [name, readFileSync(file + name)]));
    db.close();
    for (const [name, bytes] of snapshot) writeFileSync(file + name, bytes);
    open([FIRST_MIGRATION, SECOND_MIGRATION]).close();
    const copy = new Sqlite(join(home, 'backups', 'before-format-2-from-1.sqlite'), { readonly: true });
    expect(copy.prepare('SELECT text FROM notes').pluck().all()).toEqual(['kept', 'in the log']);
    copy.close();
  });

  it('is rolled back if it fails, and the next attempt starts from the same version', () => {
    createFirstVersion();
    expect(problemOf(() => open([FIRST_MIGRATION, SECOND_MIGRATION, BROKEN_MIGRATION])).message).toContain(
      'nothing_like_it',
    );
    const db = new Sqlite(file, { readonly: true });
    expect(db.pragma('user_version', { simple: true }), 'the preceding migration remains committed').toBe(2);
    expect(db.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").pluck().get()).toBe(0);
    db.close();
    const migratedDatabase = open([FIRST_MIGRATION, SECOND_MIGRATION, 'CREATE TABLE half (id)']);
    expect(migratedDatabase.prepare('SELECT text, kind FROM notes').all()).toEqual([{ text: 'kept', kind: 'plain' }]);
    migratedDatabase.close();
  });

  it('does not run if the copy fails', () => {
    createFirstVersion();
    rmSync(join(home, 'backups'), { recursive: true });
    expect(problemOf(() => open([FIRST_MIGRATION, SECOND_MIGRATION])).kind).toBe('unusable');
    expect(inspectDatabase(file, 2)).toEqual({ version: 1 });
  });

  it('is not needed for a current file, so no copy is created', () => {
    createFirstVersion();
    open([FIRST_MIGRATION]).close();
    expect(listCopies()).toEqual([]);
  });

  it('results in the schema of a new file, from any earlier version', () => {
    const schemaOf = (db: Sqlite.Database): unknown[] =>
      db.prepare("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name").all();
    const newDatabase = new Sqlite(':memory:');
    migrate(newDatabase);
    for (let version = 0; version <= MIGRATIONS.length; version += 1) {
      const migratedDatabase = new Sqlite(':memory:');
      migrate(migratedDatabase, MIGRATIONS.slice(0, version));
      migrate(migratedDatabase);
      expect(schemaOf(migratedDatabase)).toEqual(schemaOf(newDatabase));
      migratedDatabase.close();
    }
    newDatabase.close();
  });
});

describe('the migrations for the usage of records', () => {
  it('count bytes and endpoints per creator, without deleted endpoints in the totals', () => {
    const db = new Sqlite(':memory:');
    migrate(db, MIGRATIONS.slice(0, 22));
    db.exec(`
      INSERT INTO endpoints (id, path, deletion) VALUES (1, 'a/b', NULL), (2, NULL, 'some deletion');
      INSERT INTO origins (id, kind, name, reference) VALUES (1, 'owner', 'owner', ''), (2, 'function', 'sum', 'run 1'), (3, 'function', 'sum', 'run 2');
      INSERT INTO records (seq, id, endpoint, origin, created, data) VALUES
        (1, 'a', 1, 1, 0, '"ä"'), (2, 'b', 1, 2, 0, '12'), (3, 'c', 1, 3, 0, '345'), (4, 'd', 2, 3, 0, '6789');`);
    migrate(db);
    expect(db.prepare('SELECT kind, name, bytes, endpoints FROM record_usage').raw().all()).toEqual([
      ['function', 'sum', 5, 1],
      ['owner', 'owner', 4, 1],
    ]);
    expect(db.prepare('SELECT * FROM endpoint_usage').raw().all()).toEqual([
      [1, 'function', 'sum', 5],
      [1, 'owner', 'owner', 4],
      [2, 'function', 'sum', 4],
    ]);
    db.close();
  });
});

describe('the migration for pictures', () => {
  it('restores the kind of files whose content was replaced, and marks all pictures as not yet read', () => {
    const db = new Sqlite(':memory:');
    migrate(db, MIGRATIONS.slice(0, MIGRATIONS.indexOf(pictures)));
    const types = ['image/png', 'text/plain', 'application/pdf', 'application/json', 'application/zip', 'model/stl'];
    const insert = db.prepare(
      `INSERT INTO files (seq, id, file_id, name, source, created, updated, added, status, uploader, type, kind)
       VALUES (?, ?, ?, 'n', 's', 0, 0, 0, 'Completed', 'folder', ?, ?)`,
    );
    for (const [index, type] of [...types, 'video/mp4'].entries())
      insert.run(index, `${index}`, `${index}`, type, type === 'video/mp4' ? 'video' : 'file');
    migrate(db);
    expect(db.prepare('SELECT kind FROM files ORDER BY seq').pluck().all()).toEqual([
      'image',
      'text',
      'document',
      'text',
      'archive',
      'other',
      'video',
    ]);
    expect(db.prepare('SELECT DISTINCT picture_read FROM files').pluck().all()).toEqual([0]);
    db.close();
  });
});

describe('the migration for originals of imports', () => {
  it('deletes those of permanently deleted records, and finds the author of those that are also versions', () => {
    const db = new Sqlite(':memory:');
    migrate(db, MIGRATIONS.slice(0, MIGRATIONS.indexOf(importOriginals)));
    db.exec(`
      INSERT INTO records (seq, id, endpoint, origin, created, data) VALUES (1, 'a', 1, 1, 0, '1');
      INSERT INTO deleted_records (deletion, seq, id, path, origin, created, data) VALUES ('d', 2, 'b', 'a/b', 1, 0, '2');
      INSERT INTO record_versions (seq, stored, author, replaced, origin, bytes, data) VALUES (1, 0, 7, 0, 8, 2, '10');
      INSERT INTO import_changes (import, endpoint, key, seq, content, data) VALUES
        ('x', 1, x'01', 1, x'01', '10'), ('y', 1, x'01', 1, x'01', '11'), ('x', 1, x'02', 2, x'01', '20'), ('x', 1, x'03', 3, x'01', '30');`);
    migrate(db);
    expect(db.prepare('SELECT import, seq, author FROM import_changes ORDER BY seq, import').raw().all()).toEqual([
      ['x', 1, 7],
      ['y', 1, null],
      ['x', 2, null],
    ]);
    db.close();
  });
});

describe('the migration for digests of large records', () => {
  it('discards the fingerprint indexes that contain large records, and keeps all others', () => {
    const db = new Sqlite(':memory:');
    migrate(db, MIGRATIONS.slice(0, MIGRATIONS.indexOf(recordDigests)));
    db.exec(`
      INSERT INTO endpoints (id, path, fingerprinted_to) VALUES (1, 'a/large', 2), (2, 'a/small', 3), (3, 'a/other', NULL);
      INSERT INTO records (seq, id, endpoint, origin, created, data) VALUES
        (1, 'a', 1, 1, 0, '1'), (2, 'b', 1, 1, 0, '"' || hex(zeroblob(40000)) || '"'), (3, 'c', 2, 1, 0, '2'), (4, 'd', 3, 1, 0, '3');
      INSERT INTO fingerprints (endpoint, fingerprint, seq) VALUES (1, 10, 1), (1, 20, 2), (2, 30, 3);`);
    migrate(db);
    expect(db.prepare('SELECT id, fingerprinted_to FROM endpoints ORDER BY id').raw().all()).toEqual([
      [1, null],
      [2, 3],
      [3, null],
    ]);
    expect(db.prepare('SELECT endpoint, fingerprint, seq FROM fingerprints').raw().all()).toEqual([[2, 30, 3]]);
    db.close();
  });

  it('adds triggers that move and delete digests with their records', () => {
    const db = new Sqlite(':memory:');
    migrate(db);
    db.exec(`
      INSERT INTO endpoints (id, path) VALUES (1, 'a/from'), (2, 'a/to');
      INSERT INTO records (seq, id, endpoint, origin, created, data) VALUES (1, 'a', 1, 1, 0, '1'), (2, 'b', 1, 1, 0, '2');
      INSERT INTO record_digests (seq, endpoint, origin, digest) VALUES (1, 1, 1, 'one'), (2, 1, 1, 'two');
      UPDATE records SET endpoint = 2 WHERE seq = 1;
      DELETE FROM records WHERE seq = 2;`);
    expect(db.prepare('SELECT seq, endpoint, digest FROM record_digests').raw().all()).toEqual([[1, 2, 'one']]);
    db.close();
  });
});

describe('a new database', () => {
  it('is created under a temporary name, and leaves no log after it is closed', () => {
    writeFileSync(`${file}.new`, 'left by an interrupted creation');
    expect(inspectDatabase(file)).toBeUndefined();
    open().close();
    expect(readdirSync(home).toSorted()).toEqual(['backups', 'pda.sqlite']);
    expect(inspectDatabase(file)).toEqual({ version: MIGRATIONS.length });
    expect(existsSync(`${file}-wal`), 'an inspection leaves no log').toBe(false);
  });

  it('leaves no file if its creation fails', () => {
    expect(problemOf(() => open(['CREATE TABLE a (id); CREATE TABLE a (id)'])).kind).toBe('unusable');
    expect(readdirSync(home)).toEqual(['backups']);
  });

  it('compiles a statement at its first use, and applies modes that are set before and after it', () => {
    const db = open();
    const names = db.prepare<[number], string>('SELECT name FROM later WHERE id > ? ORDER BY id').pluck();
    const rows = db.prepare<[number]>('SELECT name FROM later WHERE id > ? ORDER BY id');
    expect(() => names.all(0)).toThrow('no such table: later');
    db.exec("CREATE TABLE later (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO later VALUES (1, 'a'), (2, 'b')");
    expect(names.all(0)).toEqual(['a', 'b']);
    expect(rows.get(1)).toEqual({ name: 'b' });
    expect(rows.raw().all(0)).toEqual([['a'], ['b']]);
    expect([...names.iterate(1)]).toEqual(['b']);
    db.close();
  });

  it('syncs at each commit and has no automatic checkpoints', () => {
    const db = open();
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.pragma('synchronous', { simple: true }), 'FULL').toBe(2);
    expect(db.pragma('wal_autocheckpoint', { simple: true })).toBe(0);
    expect(db.pragma('page_size', { simple: true })).toBe(8192);
    db.close();
  });
});
