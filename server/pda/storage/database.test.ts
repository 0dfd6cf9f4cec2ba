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
import { runHere } from '../../../tests/support/run-command.ts';
import { runCommand } from '../../../tests/support/server-process.ts';
import { foldAll, inspect, openDatabase } from './database.ts';
import { migrate } from './migrations/migrator.ts';
import { MIGRATIONS } from './migrations/list.ts';
import { StorageProblem } from './storage-problem.ts';

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

/** A database of ours that holds something. */
const makeOurs = (): void => {
  const db = open();
  const add = db.prepare('INSERT INTO settings (key, value) VALUES (?, ?)');
  db.transaction(() => {
    for (let n = 0; n < 2000; n += 1) add.run(`key ${n}`, randomBytes(40).toString('hex'));
  })();
  db.close();
};

/** Everything that the folder holds of a database, by content. */
const fingerprint = (): Record<string, string> =>
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

const problem = (look: () => unknown): StorageProblem => {
  try {
    look();
  } catch (error) {
    if (error instanceof StorageProblem) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

const overwrite = (from: number, bytes: Buffer): void => {
  const content = readFileSync(file);
  bytes.copy(content, from);
  writeFileSync(file, content);
};

const OTHER_PROGRAM = (): void => {
  new Sqlite(file).exec('CREATE TABLE songs (title TEXT); INSERT INTO songs VALUES (1)').close();
};

/** What can have happened to the file, and what the owner is told. */
const CASES: Record<string, { make: () => void; kind: StorageProblem['kind']; words: RegExp }> = {
  'begins like no database': {
    make: () => (makeOurs(), overwrite(0, Buffer.from('not a header'))),
    kind: 'damaged',
    words: /does not begin like a database.*left as it is/u,
  },
  'has a broken header behind the first words': {
    make: () => (makeOurs(), overwrite(16, randomBytes(60).fill(0xee))),
    kind: 'damaged',
    words: /is damaged.*left as it is.*Restore a backup/u,
  },
  'was cut off in the middle': {
    make: () => (makeOurs(), truncateSync(file, 8192 * 4)),
    kind: 'damaged',
    words: /is damaged/u,
  },
  'was cut off within the first page': {
    make: () => (makeOurs(), truncateSync(file, 300)),
    kind: 'damaged',
    words: /is damaged/u,
  },
  'holds random bytes': {
    make: () => writeFileSync(file, randomBytes(100_000)),
    kind: 'damaged',
    words: /is damaged/u,
  },
  'is empty': { make: () => writeFileSync(file, ''), kind: 'damaged', words: /it is empty/u },
  'is missing beside its log': {
    make: () => writeFileSync(`${file}-wal`, randomBytes(5000)),
    kind: 'damaged',
    words: /missing, but its log is here/u,
  },
  'belongs to another program': { make: OTHER_PROGRAM, kind: 'not_a_pda', words: /belongs to another program/u },
  'belongs to another program that keeps a log': {
    make: () => {
      const db = new Sqlite(file);
      db.pragma('journal_mode = WAL');
      db.pragma('user_version = 1');
      db.exec('CREATE TABLE records (id)').close();
    },
    kind: 'not_a_pda',
    words: /belongs to another program/u,
  },
  'was written by a newer version': {
    make: () => {
      makeOurs();
      const db = new Sqlite(file);
      db.pragma('user_version = 99');
      db.close();
    },
    kind: 'newer',
    words: /newer version of this program \(format 99, this one knows \d+\)/u,
  },
  'is a folder': { make: () => mkdirSync(file), kind: 'unusable', words: /is not a file/u },
};

describe('a database file that cannot be ours to open', () => {
  it.each(Object.keys(CASES))('is refused with its reason and stays as it was: it %s', async (name) => {
    const { make, kind, words } = CASES[name] ?? { make: () => undefined, kind: 'damaged', words: /never/u };
    make();
    const before = fingerprint();
    const refused = problem(open);
    expect(refused.kind).toBe(kind);
    expect(refused.message).toMatch(words);
    expect(refused.message).toContain(file);
    expect(problem(() => inspect(file)).kind).toBe(kind);
    expect(fingerprint()).toEqual(before);

    const verified = await runHere(['verify', '--home', home]);
    expect(verified).toMatchObject({ code: 1, stdout: '', stderr: `${refused.message}\n` });
    expect(fingerprint()).toEqual(before);
  });

  it('is refused with what is still in its log, and the log stays as it was', async () => {
    makeOurs();
    const other = new Sqlite(file);
    other.pragma('wal_autocheckpoint = 0');
    other.pragma('user_version = 99');
    // Copied while it is open, as a kill would leave it.
    const left = new Map(['', '-wal'].map((name) => [name, readFileSync(file + name)]));
    other.close();
    for (const [name, bytes] of left) writeFileSync(file + name, bytes);
    const before = fingerprint();
    expect(Object.keys(before)).toEqual(['pda.sqlite', 'pda.sqlite-wal']);
    expect(problem(open).kind).toBe('newer');
    expect((await runCommand(['serve', '--home', home, '--port', '0'])).code).toBe(1);
    expect(fingerprint()).toEqual(before);
  });
});

/** The account with the fewest rights: root may read and write everything, so it cannot show these refusals. */
const NOBODY = 65_534;

describe.skipIf(process.getuid?.() !== 0)('a home that the account has no right to (needs root to be made)', () => {
  it('is refused in one line when the file cannot be read', async () => {
    makeOurs();
    chownSync(home, NOBODY, NOBODY);
    chownSync(join(home, 'backups'), NOBODY, NOBODY);
    chmodSync(file, 0o600);
    const before = fingerprint();
    const served = await runCommand(['serve', '--home', home, '--port', '0'], { uid: NOBODY });
    expect(served.code).toBe(1);
    expect(served.stderr).toMatch(/^.*pda\.sqlite cannot be used: .*permission denied.*\n$/u);
    expect(fingerprint()).toEqual(before);
  });

  it('is refused in one line when the folder cannot be written', async () => {
    makeOurs();
    chmodSync(home, 0o555);
    const names = readdirSync(home);
    const served = await runCommand(['serve', '--home', home, '--port', '0'], { uid: NOBODY });
    expect(served.code).toBe(1);
    expect(served.stderr).toMatch(/^The folder .* cannot be used: .*\n$/u);
    expect(readdirSync(home)).toEqual(names);
  });
});

describe('a database that another program has open', () => {
  /** Another program that has the file for itself, until some milliseconds after it is told to let go. */
  const holder = async (): Promise<ChildProcess & { letGo: (ms: number) => void }> => {
    const program = `
      const db = new (require('better-sqlite3'))(process.argv[1]);
      db.pragma('locking_mode = EXCLUSIVE');
      db.exec('BEGIN IMMEDIATE; COMMIT');
      process.once('message', (ms) => setTimeout(() => { db.close(); process.disconnect(); }, ms));
      process.send('held');`;
    const child = spawn(process.execPath, ['-e', program, file], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    await once(child, 'message');
    return Object.assign(child, { letGo: (ms: number) => void child.send(ms) });
  };

  it('is waited for as long as a look takes', async () => {
    makeOurs();
    const other = await holder();
    expect(() => new Sqlite(file, { readonly: true, timeout: 0 }).pragma('user_version')).toThrow('locked');
    other.letGo(300);
    const db = open();
    expect(db.prepare('SELECT count(*) FROM settings').pluck().get()).toBe(2000);
    expect(db.pragma('busy_timeout', { simple: true }), 'nobody who asks the server waits like that').toBe(0);
    db.close();
  });

  it('is refused in words when that goes on', async () => {
    makeOurs();
    const child = await holder();
    try {
      expect(problem(() => open()).message).toMatch(/pda\.sqlite cannot be used: another program has it open\./u);
    } finally {
      child.kill();
    }
  });

  it('is not taken for whole while its log is still read', () => {
    makeOurs();
    const db = open();
    const reader = new Sqlite(file, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM settings').get();
    db.exec("INSERT INTO settings (key, value) VALUES ('later', 'x')");
    expect(problem(() => foldAll(db)).kind).toBe('unusable');
    reader.close();
    foldAll(db);
    expect(readFileSync(`${file}-wal`)).toHaveLength(0);
    db.close();
  });
});

describe('a migration', () => {
  const FIRST = 'CREATE TABLE notes (text TEXT NOT NULL)';
  const SECOND = "ALTER TABLE notes ADD COLUMN kind TEXT NOT NULL DEFAULT 'plain'";
  const BROKEN = "CREATE TABLE half (id); INSERT INTO notes (nothing_like_it) VALUES ('x')";

  const makeFirst = (): void => {
    const db = open([FIRST]);
    db.exec("INSERT INTO notes (text) VALUES ('kept')");
    db.close();
  };
  const copies = (): string[] => readdirSync(join(home, 'backups'));

  it('comes after a copy of the file as it was', () => {
    makeFirst();
    const db = open([FIRST, SECOND]);
    expect(db.prepare('SELECT text, kind FROM notes').all()).toEqual([{ text: 'kept', kind: 'plain' }]);
    db.close();
    expect(copies()).toEqual(['before-format-2-from-1.sqlite']);
    const copy = new Sqlite(join(home, 'backups', 'before-format-2-from-1.sqlite'), { readonly: true });
    expect(copy.prepare('SELECT * FROM notes').all()).toEqual([{ text: 'kept' }]);
    expect(copy.pragma('user_version', { simple: true })).toBe(1);
    copy.close();
  });

  it('copies what is still in the log of a run that was killed', () => {
    makeFirst();
    const running = open([FIRST]);
    running.exec("INSERT INTO notes (text) VALUES ('in the log')");
    const left = new Map(['', '-wal'].map((name) => [name, readFileSync(file + name)]));
    running.close();
    for (const [name, bytes] of left) writeFileSync(file + name, bytes);
    open([FIRST, SECOND]).close();
    const copy = new Sqlite(join(home, 'backups', 'before-format-2-from-1.sqlite'), { readonly: true });
    expect(copy.prepare('SELECT text FROM notes').pluck().all()).toEqual(['kept', 'in the log']);
    copy.close();
  });

  it('that fails changes nothing, and the next try begins where this one did', () => {
    makeFirst();
    expect(problem(() => open([FIRST, SECOND, BROKEN])).message).toContain('nothing_like_it');
    const db = new Sqlite(file, { readonly: true });
    expect(db.pragma('user_version', { simple: true }), 'the one before it stands').toBe(2);
    expect(db.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").pluck().get()).toBe(0);
    db.close();
    const again = open([FIRST, SECOND, 'CREATE TABLE half (id)']);
    expect(again.prepare('SELECT text, kind FROM notes').all()).toEqual([{ text: 'kept', kind: 'plain' }]);
    again.close();
  });

  it('is not made when the copy cannot be', () => {
    makeFirst();
    rmSync(join(home, 'backups'), { recursive: true });
    expect(problem(() => open([FIRST, SECOND])).kind).toBe('unusable');
    expect(inspect(file, 2)).toEqual({ version: 1 });
  });

  it('is not needed for a current file, and no copy is made', () => {
    makeFirst();
    open([FIRST]).close();
    expect(copies()).toEqual([]);
  });

  it('from any earlier version leads to the same tables as a new file', () => {
    const schemaOf = (db: Sqlite.Database): unknown[] =>
      db.prepare("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name").all();
    const whole = new Sqlite(':memory:');
    migrate(whole);
    for (let from = 0; from <= MIGRATIONS.length; from += 1) {
      const steps = new Sqlite(':memory:');
      migrate(steps, MIGRATIONS.slice(0, from));
      migrate(steps);
      expect(schemaOf(steps)).toEqual(schemaOf(whole));
      steps.close();
    }
    whole.close();
  });
});

describe('migration 23', () => {
  it('counts the bytes of records per creator, deleted endpoints apart', () => {
    const db = new Sqlite(':memory:');
    migrate(db, MIGRATIONS.slice(0, 22));
    db.exec(`
      INSERT INTO endpoints (id, path, deletion) VALUES (1, 'a/b', NULL), (2, NULL, 'some deletion');
      INSERT INTO origins (id, kind, name, reference) VALUES (1, 'owner', 'owner', ''), (2, 'function', 'sum', 'run 1'), (3, 'function', 'sum', 'run 2');
      INSERT INTO records (seq, id, endpoint, origin, created, data) VALUES
        (1, 'a', 1, 1, 0, '"ä"'), (2, 'b', 1, 2, 0, '12'), (3, 'c', 1, 3, 0, '345'), (4, 'd', 2, 3, 0, '6789');`);
    migrate(db);
    expect(db.prepare('SELECT * FROM record_usage').raw().all()).toEqual([
      ['function', 'sum', 5],
      ['owner', 'owner', 4],
    ]);
    expect(db.prepare('SELECT * FROM endpoint_usage').raw().all()).toEqual([
      [1, 'function', 'sum', 5],
      [1, 'owner', 'owner', 4],
      [2, 'function', 'sum', 4],
    ]);
    db.close();
  });
});

describe('a new database', () => {
  it('is made whole under another name first, and leaves no log behind when it is closed', () => {
    writeFileSync(`${file}.new`, 'left by a making that was cut off');
    expect(inspect(file)).toBeUndefined();
    open().close();
    expect(readdirSync(home).toSorted()).toEqual(['backups', 'pda.sqlite']);
    expect(inspect(file)).toEqual({ version: MIGRATIONS.length });
    expect(existsSync(`${file}-wal`), 'a look leaves nothing behind').toBe(false);
  });

  it('that cannot be finished is not there at all', () => {
    expect(problem(() => open(['CREATE TABLE a (id); CREATE TABLE a (id)'])).kind).toBe('unusable');
    expect(readdirSync(home)).toEqual(['backups']);
  });

  it('syncs at each commit, and is kept out of the hands of automatic checkpoints', () => {
    const db = open();
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.pragma('synchronous', { simple: true }), 'FULL').toBe(2);
    expect(db.pragma('wal_autocheckpoint', { simple: true })).toBe(0);
    expect(db.pragma('page_size', { simple: true })).toBe(8192);
    db.close();
  });
});
