import Sqlite from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { columnOf, KEY_TABLES, STAYS, TABLES } from '../server/pda/account/transfer/format/tables.ts';
import { idAt } from '../server/pda/core/sequence.ts';
import { membersOf } from '../server/wire/archive.ts';
import { ARCHIVE_PARTS } from '../server/wire/move-parts.ts';
import { costOf } from './support/move.ts';
import { newFolder, newHome, removeFolders } from './support/server-process.ts';

/** The form of the archive: nothing of the database is forgotten, nothing is undescribed, and its size costs no memory. */

const ROOT = dirname(import.meta.dirname);
const FEW = 200;
const MANY = 10_000;
/** Of the text of each: few records that are large show it as well as many that are small, and are less work. */
const TEXT_BYTES = 4000;
/** Megabytes allowed for additional records: SQLite's page cache and uncollected garbage. */
const ALLOWED_MB = 45;

let db: Sqlite.Database;
beforeAll(async () => {
  db = new Sqlite(join(await newHome(), 'pda.sqlite'), { readonly: true });
});
afterAll(() => {
  db.close();
  removeFolders();
});

describe('an archive of an account', () => {
  it('has every table and every column of the database, or says why not', () => {
    const tables = db
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'files\\_text\\_%' ESCAPE '\\'",
      )
      .pluck()
      .all();
    const known = [...TABLES.map(({ table }) => table), ...KEY_TABLES, ...Object.keys(STAYS)];
    // A table that is new: say in server/pda/account/transfer/format/tables.ts whether it comes along, or why it stays.
    expect(known.toSorted()).toStrictEqual(tables.toSorted());
    for (const { table, part, columns, leaves } of TABLES) {
      const all = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
      const found = ARCHIVE_PARTS.find(({ name }) => name === part);
      const members = found === undefined ? [] : membersOf(found).filter(({ type }) => type !== 'content');
      const said = [...members.map(({ name }) => columns?.[name] ?? columnOf(name)), ...Object.keys(leaves ?? {})];
      expect([table, ...new Set(said)].toSorted()).toStrictEqual([table, ...all].toSorted());
    }
  });

  it('is described: each part, and each member of its lines', () => {
    const text = readFileSync(join(ROOT, 'docs/archive-format.md'), 'utf8');
    for (const part of ARCHIVE_PARTS) {
      const at = text.indexOf(`### ${part.name}\n`);
      expect([part.name, at > 0]).toStrictEqual([part.name, true]);
      const section = text.slice(at, text.indexOf('\n### ', at + 1) < 0 ? undefined : text.indexOf('\n### ', at + 1));
      expect(section).toContain(part.about);
      for (const member of part.members.split(', ')) expect(section).toContain(`\`${member}\``);
    }
  });
});

/** Written where they lie: by the interface it would take longer than all else here. */
const homeWith = async (records: number): Promise<string> => {
  const home = await newHome();
  const own = new Sqlite(join(home, 'pda.sqlite'));
  own.exec("INSERT INTO endpoints (id, path, records) VALUES (1, 'fit/steps', 0)");
  own.exec("INSERT INTO origins (id, kind, name) VALUES (1, 'owner', 'owner')");
  const insert = own.prepare(
    'INSERT INTO records (seq, id, endpoint, origin, created, data) VALUES (?, ?, 1, 1, ?, ?)',
  );
  const text = randomBytes(50)
    .toString('hex')
    .repeat(TEXT_BYTES / 100);
  own.transaction(() => {
    for (let n = 0; n < records; n += 1) {
      const seq = 600_000_000_000_000 + n;
      insert.run(seq, idAt(seq), 1_700_000_000_000 + n, `{"n":${n},"text":"${text}"}`);
    }
    own.prepare('UPDATE endpoints SET records = ?').run(records);
  })();
  own.close();
  return home;
};

describe('the memory that a move takes', () => {
  it('does not grow with what is moved', async () => {
    const cost = async (records: number): Promise<number[]> => {
      const home = await homeWith(records);
      const archive = join(newFolder(), 'a.zip');
      const target = await newHome();
      return [await costOf({ op: 'export', home, archive }), await costOf({ op: 'import', home: target, archive })];
    };
    const [few, many] = await Promise.all([cost(FEW), cost(MANY)]);
    expect((many[0] ?? 0) - (few[0] ?? 0)).toBeLessThan(ALLOWED_MB);
    expect((many[1] ?? 0) - (few[1] ?? 0)).toBeLessThan(ALLOWED_MB);
  });
});
