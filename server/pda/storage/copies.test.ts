import Sqlite from 'better-sqlite3';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runInProcess } from '../../../tests/support/run-command.ts';
import { restoreDatabaseCopy, createDatabaseCopy } from './copies.ts';
import { openDatabase } from './database.ts';
import { openHome, type Home } from './home/folder.ts';
import { SCHEMA_VERSION } from './migrations/migrator.ts';

let folder: string;
let home: Home;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pda-copies-'));
  home = openHome(folder);
  write('first', 'kept');
});
afterEach(() => {
  home.close();
  rmSync(folder, { recursive: true, force: true });
});

const withDatabase = <T>(file: string, work: (db: Sqlite.Database) => T): T => {
  const db = new Sqlite(file, { fileMustExist: true });
  try {
    return work(db);
  } finally {
    db.close();
  }
};
function write(key: string, value: string): void {
  const db = openDatabase(home.database, { backups: home.backups, registerFunctions: () => undefined });
  db.prepare('INSERT INTO settings (key, value) VALUES (?, ?)').run(key, value);
  db.close();
}
const keysIn = (file: string): unknown[] =>
  withDatabase(file, (db) => db.prepare('SELECT key FROM settings ORDER BY key').pluck().all());
const migrateToNewer = (): void =>
  withDatabase(home.database, (db) => {
    db.exec(`DROP TABLE settings; CREATE TABLE settings (name TEXT); INSERT INTO settings VALUES ('new')`);
    db.pragma(`user_version = ${SCHEMA_VERSION + 1}`);
  });
const listSetAsideFiles = (): string[] => readdirSync(home.backups).filter((name) => name.startsWith('set-aside-'));

describe('copies of the database', () => {
  it('contain everything, including the content of the write-ahead log, and leave the database unchanged', () => {
    const db = new Sqlite(home.database);
    db.pragma('journal_mode = WAL');
    db.prepare('INSERT INTO settings (key, value) VALUES (?, ?)').run('second', 'in the log');
    // A killed process leaves the files of an open database.
    const snapshot = new Map(['', '-wal'].map((suffix) => [suffix, readFileSync(home.database + suffix)]));
    db.close();
    for (const [suffix, bytes] of snapshot) writeFileSync(home.database + suffix, bytes);
    const copy = createDatabaseCopy(home, 'before-2.0.0');
    expect(keysIn(copy)).toEqual(['first', 'second']);
    expect(keysIn(home.database)).toEqual(['first', 'second']);
    expect(existsSync(`${copy}.new`)).toBe(false);
  });

  it('are deleted except for the two newest', () => {
    for (const [index, name] of ['a', 'b', 'c'].entries()) {
      const copy = createDatabaseCopy(home, name);
      utimesSync(copy, new Date(), new Date(Date.UTC(2026, 0, index + 1)));
    }
    createDatabaseCopy(home, 'd');
    expect(readdirSync(home.backups).toSorted()).toEqual(['copy-c.sqlite', 'copy-d.sqlite']);
  });

  it('replace and set aside a database that has a newer schema version', () => {
    createDatabaseCopy(home, 'before');
    migrateToNewer();
    const setAsidePath = restoreDatabaseCopy(home, 'before');
    expect(keysIn(home.database)).toEqual(['first']);
    expect(listSetAsideFiles()).toHaveLength(1);
    expect(withDatabase(setAsidePath ?? '', (db) => db.prepare('SELECT name FROM settings').pluck().all())).toEqual([
      'new',
    ]);
    expect(existsSync(join(home.backups, 'copy-before.sqlite')), 'the copy is retained').toBe(true);
    expect(restoreDatabaseCopy(home, 'before'), 'a second call changes nothing').toBeUndefined();
  });

  it('replace a damaged or missing database', () => {
    createDatabaseCopy(home, 'before');
    const bytes = readFileSync(home.database);
    bytes.fill(0xff, 4096, 40_000);
    writeFileSync(home.database, bytes);
    expect(restoreDatabaseCopy(home, 'before')).toContain('set-aside-');
    expect(keysIn(home.database)).toEqual(['first']);
    rmSync(home.database);
    expect(restoreDatabaseCopy(home, 'before')).toBe('');
    expect(keysIn(home.database)).toEqual(['first']);
  });

  it('replace a missing database without its old log, which SQLite would replay into the copy', () => {
    createDatabaseCopy(home, 'before');
    rmSync(home.database);
    writeFileSync(`${home.database}-wal`, 'old log');
    expect(restoreDatabaseCopy(home, 'before')).toBe('');
    expect(keysIn(home.database)).toEqual(['first']);
    expect(listSetAsideFiles()).toEqual([expect.stringMatching(/\.sqlite-wal$/u)]);
  });

  describe('keep a session only if it has not ended since', () => {
    const insertSession = (jti: string): void =>
      withDatabase(home.database, (db) => {
        db.prepare(
          `INSERT INTO sessions (jti, kind, issuer, address, user_agent, created, last_seen)
           VALUES (?, 'owner', '', '', '', 0, 0)`,
        ).run(jti);
      });
    const listActiveSessions = (): unknown[] =>
      withDatabase(home.database, (db) =>
        db.prepare('SELECT jti FROM sessions WHERE ended IS NULL ORDER BY jti').pluck().all(),
      );
    beforeEach(() => {
      for (const jti of ['active', 'deleted', 'ended']) insertSession(jti);
      createDatabaseCopy(home, 'before');
      withDatabase(home.database, (db) => {
        db.exec("UPDATE sessions SET ended = 1 WHERE jti = 'ended'; DELETE FROM sessions WHERE jti = 'deleted'");
      });
    });

    it('according to the replaced database', () => {
      migrateToNewer();
      restoreDatabaseCopy(home, 'before');
      expect(listActiveSessions()).toEqual(['active']);
    });

    it('or end all sessions if the replaced database is missing or cannot be read', () => {
      rmSync(home.database);
      restoreDatabaseCopy(home, 'before');
      expect(listActiveSessions()).toEqual([]);
      writeFileSync(home.database, 'damaged');
      restoreDatabaseCopy(home, 'before');
      expect(listActiveSessions()).toEqual([]);
    });
  });

  it('do not replace a usable database, so that later writes are preserved', () => {
    createDatabaseCopy(home, 'before');
    write('later', 'of the owner');
    expect(restoreDatabaseCopy(home, 'before')).toBeUndefined();
    expect(keysIn(home.database)).toEqual(['first', 'later']);
    expect(listSetAsideFiles()).toEqual([]);
  });

  it('do not replace a database whose index calls an application-defined function', () => {
    createDatabaseCopy(home, 'before');
    withDatabase(home.database, (db) => {
      db.function('custom', { deterministic: true }, (value: unknown) => String(value));
      db.exec('CREATE INDEX by_custom ON settings (custom(value))');
    });
    expect(restoreDatabaseCopy(home, 'before')).toBeUndefined();
  });

  it('change nothing if they are missing or damaged', () => {
    migrateToNewer();
    const bytesBefore = readFileSync(home.database);
    expect(() => restoreDatabaseCopy(home, 'never')).toThrow('There is no copy');
    createDamagedCopy('broken');
    expect(() => restoreDatabaseCopy(home, 'broken')).toThrow('cannot be used');
    expect(readFileSync(home.database).equals(bytesBefore)).toBe(true);
    expect(listSetAsideFiles()).toEqual([]);
  });
});

function createDamagedCopy(name: string): void {
  mkdirSync(home.backups, { recursive: true });
  writeFileSync(join(home.backups, `copy-${name}.sqlite`), 'SQLite format 3\0 and nothing else');
}

describe('pda copy', () => {
  it('creates a copy and restores it only if the database is not usable', async () => {
    home.close();
    const options = ['--home', folder, '--name', 'before-2.0.0'];
    expect(await runInProcess(['copy', 'create', ...options])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('copied to') as string,
    });
    expect(await runInProcess(['copy', 'restore', ...options])).toMatchObject({
      code: 0,
      stdout: 'the database was not changed: this version can open it\n',
    });
    migrateToNewer();
    expect((await runInProcess(['copy', 'restore', ...options])).stdout).toContain(
      'restored the copy; the previous database was saved as',
    );
    expect(keysIn(join(folder, 'pda.sqlite'))).toEqual(['first']);
    expect(existsSync(join(folder, 'running')), 'the next start skips the check').toBe(false);
  });

  it('is refused while the PDA runs, in a folder without a PDA, and with an invalid name', async () => {
    const options = ['--home', folder, '--name', 'x'];
    expect(await runInProcess(['copy', 'create', ...options])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Another process is using') as string,
    });
    home.close();
    const emptyFolder = mkdtempSync(join(folder, 'empty-'));
    expect((await runInProcess(['copy', 'create', '--home', emptyFolder, '--name', 'x'])).stderr).toContain(
      'There is no PDA in',
    );
    expect((await runInProcess(['copy', 'create', '--home', folder, '--name', '../x'])).stderr).toContain(
      'Invalid copy name: ../x. A name begins with',
    );
  });
});
