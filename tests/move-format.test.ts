import Sqlite from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { columnOf, KEY_TABLES, OMITTED_TABLES, TABLES } from '../server/pda/account/transfer/format/tables.ts';
import { newId } from '../server/pda/core/sequence.ts';
import { membersOf } from '../server/wire/archive.ts';
import { ARCHIVE_PARTS } from '../server/wire/move-parts.ts';
import { peakMegabytesOf } from './support/move.ts';
import { newFolder, newHome, removeFolders } from './support/server-process.ts';

/** The archive format: it covers the whole database, is documented completely, and its size costs no memory. */

const ROOT = dirname(import.meta.dirname);
const FEW = 200;
const MANY = 10_000;
/** Text size of each record. Few large records show the same as many small ones, with less work. */
const TEXT_BYTES = 4000;
/** Permitted additional megabytes for more records: SQLite's page cache and uncollected garbage. */
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
  it('contains every table and column of the database, or lists the reason why not', () => {
    const tables = db
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'record\\_search\\_%' ESCAPE '\\' AND name NOT LIKE 'files\\_text\\_%' ESCAPE '\\'",
      )
      .pluck()
      .all();
    const covered = [...TABLES.map(({ table }) => table), ...KEY_TABLES, ...Object.keys(OMITTED_TABLES)];
    // Add a new table to server/pda/account/transfer/format/tables.ts: either it is transferred, or there is a
    // reason why not.
    expect(covered.toSorted()).toStrictEqual(tables.toSorted());
    for (const { table, part: section, columns, omitted } of TABLES) {
      const all = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
      const archivePart = ARCHIVE_PARTS.find(({ name }) => name === section);
      const members = archivePart === undefined ? [] : membersOf(archivePart).filter(({ type }) => type !== 'content');
      const documented = [
        ...members.map(({ name }) => columns?.[name] ?? columnOf(name)),
        ...Object.keys(omitted ?? {}),
      ];
      expect([table, ...new Set(documented)].toSorted()).toStrictEqual([table, ...all].toSorted());
    }
  });

  it('is documented completely: each part, and each member of its lines', () => {
    const text = readFileSync(join(ROOT, 'docs/archive-format.md'), 'utf8');
    for (const path of ARCHIVE_PARTS) {
      const at = text.indexOf(`### ${path.name}\n`);
      expect([path.name, at > 0]).toStrictEqual([path.name, true]);
      const section = text.slice(at, text.indexOf('\n### ', at + 1) < 0 ? undefined : text.indexOf('\n### ', at + 1));
      expect(section).toContain(path.about);
      for (const member of path.members.split(', ')) expect(section).toContain(`\`${member}\``);
    }
  });
});

/** Inserts the records directly, because requests would take most of the test's time. */
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
      insert.run(seq, newId(seq), 1_700_000_000_000 + n, `{"n":${n},"text":"${text}"}`);
    }
    own.prepare('UPDATE endpoints SET records = ?').run(records);
  })();
  own.close();
  return home;
};

describe('memory usage of a move', () => {
  it('does not depend on the size of the account', async () => {
    const cost = async (records: number): Promise<number[]> => {
      const home = await homeWith(records);
      const archive = join(newFolder(), 'a.zip');
      const target = await newHome();
      return [
        await peakMegabytesOf({ op: 'export', home, archive }),
        await peakMegabytesOf({ op: 'import', home: target, archive }),
      ];
    };
    const [few, many] = await Promise.all([cost(FEW), cost(MANY)]);
    expect((many[0] ?? 0) - (few[0] ?? 0)).toBeLessThan(ALLOWED_MB);
    expect((many[1] ?? 0) - (few[1] ?? 0)).toBeLessThan(ALLOWED_MB);
  });
});
