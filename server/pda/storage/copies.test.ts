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
import { runHere } from '../../../tests/support/run-command.ts';
import { bringBack, makeCopy } from './copies.ts';
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

const inside = <T>(file: string, work: (db: Sqlite.Database) => T): T => {
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
  inside(file, (db) => db.prepare('SELECT key FROM settings ORDER BY key').pluck().all());
/** As a version does that knows a newer format. */
const migrateFurther = (): void =>
  inside(home.database, (db) => {
    db.exec(`DROP TABLE settings; CREATE TABLE settings (name TEXT); INSERT INTO settings VALUES ('new')`);
    db.pragma(`user_version = ${SCHEMA_VERSION + 1}`);
  });
const asideFiles = (): string[] => readdirSync(home.backups).filter((name) => name.startsWith('set-aside-'));

describe('a copy of the database', () => {
  it('has what was there, also what was still in the log, and leaves the database as it was', () => {
    const open = new Sqlite(home.database);
    open.pragma('journal_mode = WAL');
    open.prepare('INSERT INTO settings (key, value) VALUES (?, ?)').run('second', 'in the log');
    open.close();
    const copy = makeCopy(home, 'before-2.0.0');
    expect(keysIn(copy)).toEqual(['first', 'second']);
    expect(keysIn(home.database)).toEqual(['first', 'second']);
    expect(existsSync(`${copy}.new`)).toBe(false);
  });

  it('is one of the two newest', () => {
    for (const [index, name] of ['a', 'b', 'c'].entries()) {
      const copy = makeCopy(home, name);
      utimesSync(copy, new Date(), new Date(Date.UTC(2026, 0, index + 1)));
    }
    makeCopy(home, 'd');
    expect(readdirSync(home.backups).toSorted()).toEqual(['copy-c.sqlite', 'copy-d.sqlite']);
  });

  it('takes the place of a database of a newer format, which is set aside whole', () => {
    makeCopy(home, 'before');
    migrateFurther();
    const aside = bringBack(home, 'before');
    expect(keysIn(home.database)).toEqual(['first']);
    expect(asideFiles()).toHaveLength(1);
    expect(inside(aside ?? '', (db) => db.prepare('SELECT name FROM settings').pluck().all())).toEqual(['new']);
    expect(existsSync(join(home.backups, 'copy-before.sqlite')), 'the copy itself stays').toBe(true);
    expect(bringBack(home, 'before'), 'once more changes nothing').toBeUndefined();
  });

  it('takes the place of a database that is damaged, or gone', () => {
    makeCopy(home, 'before');
    const bytes = readFileSync(home.database);
    bytes.fill(0xff, 4096, 40_000);
    writeFileSync(home.database, bytes);
    expect(bringBack(home, 'before')).toContain('set-aside-');
    expect(keysIn(home.database)).toEqual(['first']);
    rmSync(home.database);
    expect(bringBack(home, 'before')).toBe('');
    expect(keysIn(home.database)).toEqual(['first']);
  });

  it('does not take the place of one that this version can work with: what was written since stays', () => {
    makeCopy(home, 'before');
    write('later', 'of the owner');
    expect(bringBack(home, 'before')).toBeUndefined();
    expect(keysIn(home.database)).toEqual(['first', 'later']);
    expect(asideFiles()).toEqual([]);
  });

  it('is not asked about an index that calls a function of ours', () => {
    makeCopy(home, 'before');
    inside(home.database, (db) => {
      db.function('ours', { deterministic: true }, (value: unknown) => String(value));
      db.exec('CREATE INDEX by_ours ON settings (ours(value))');
    });
    expect(bringBack(home, 'before')).toBeUndefined();
  });

  it('changes nothing when it is missing or damaged itself', () => {
    migrateFurther();
    const before = readFileSync(home.database);
    expect(() => bringBack(home, 'never')).toThrow('There is no copy');
    makeCopyBroken('broken');
    expect(() => bringBack(home, 'broken')).toThrow('cannot be used');
    expect(readFileSync(home.database).equals(before)).toBe(true);
    expect(asideFiles()).toEqual([]);
  });
});

function makeCopyBroken(name: string): void {
  mkdirSync(home.backups, { recursive: true });
  writeFileSync(join(home.backups, `copy-${name}.sqlite`), 'SQLite format 3\0 and nothing else');
}

describe('pda copy', () => {
  it('makes one, and goes back to it only when it must', async () => {
    home.close();
    const at = ['--home', folder, '--called', 'before-2.0.0'];
    expect(await runHere(['copy', 'make', ...at])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('copied to') as string,
    });
    expect(await runHere(['copy', 'bring-back', ...at])).toMatchObject({
      code: 0,
      stdout: 'the database stays as it is\n',
    });
    migrateFurther();
    expect((await runHere(['copy', 'bring-back', ...at])).stdout).toContain(
      'the copy is the database now; what was there is',
    );
    expect(keysIn(join(folder, 'pda.sqlite'))).toEqual(['first']);
    expect(existsSync(join(folder, 'running')), 'the next start need not check').toBe(false);
  });

  it('is refused while the PDA runs, where there is none, and under a name that is none', async () => {
    const at = ['--home', folder, '--called', 'x'];
    expect(await runHere(['copy', 'make', ...at])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Another process is using') as string,
    });
    home.close();
    const empty = mkdtempSync(join(folder, 'empty-'));
    expect((await runHere(['copy', 'make', '--home', empty, '--called', 'x'])).stderr).toContain('There is no PDA in');
    expect((await runHere(['copy', 'make', '--home', folder, '--called', '../x'])).stderr).toContain(
      'cannot be called ../x',
    );
  });
});
