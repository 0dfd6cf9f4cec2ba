import Sqlite from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { columnOf, KEY_TABLES, OMITTED_TABLES, TABLES } from '../server/pda/account/transfer/format/tables.ts';
import { newId } from '../server/pda/core/sequence.ts';
import { membersOf } from '../server/wire/archive.ts';
import { ARCHIVE_PARTS } from '../server/wire/move-parts.ts';
import { measurePeakMegabytes } from './support/move.ts';
import { ROOT } from './support/paths.ts';
import { newFolder, newHome, removeFolders } from './support/server-process.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Tests that the archive format covers the whole database, is fully documented, and needs constant memory.

const FEW_RECORDS = 200;
const MANY_RECORDS = 10_000;
/** Text size of each record. A few large records exercise the same code as many small ones, in less time. */
const TEXT_BYTES = 4000;
/** Permitted additional megabytes for more records: SQLite's page cache and uncollected garbage. */
const EXTRA_MEMORY_MAX_MB = 45;

let db: Sqlite.Database;
beforeAll(async () => {
  db = new Sqlite(join(await newHome(), 'pda.sqlite'), { readonly: true });
});
afterAll(() => {
  db.close();
  removeFolders();
});

describe('account archive', () => {
  it('covers every table and column of the database that is not omitted for a stated reason', () => {
    const tables = db
      .prepare<[], string>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'record\\_search\\_%' ESCAPE '\\' AND name NOT LIKE 'files\\_text\\_%' ESCAPE '\\' AND name NOT LIKE 'file\\_text\\_words\\_%' ESCAPE '\\'",
      )
      .pluck()
      .all();
    const coveredTables = [...TABLES.map(({ table }) => table), ...KEY_TABLES, ...Object.keys(OMITTED_TABLES)];
    // Add a new table to server/pda/account/transfer/format/tables.ts: either it is transferred, or a reason
    // for omitting it is given.
    expect(coveredTables.toSorted()).toStrictEqual(tables.toSorted());
    for (const { table, part: partName, columns, omitted } of TABLES) {
      const allColumns = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
      const archivePart = ARCHIVE_PARTS.find(({ name }) => name === partName);
      const members = archivePart === undefined ? [] : membersOf(archivePart).filter(({ type }) => type !== 'content');
      const documentedColumns = [
        ...members.map(({ name }) => columns?.[name] ?? columnOf(name)),
        ...Object.keys(omitted ?? {}),
      ];
      expect([table, ...new Set(documentedColumns)].toSorted()).toStrictEqual([table, ...allColumns].toSorted());
    }
  });

  it('is documented with every part and every member of its lines', () => {
    const text = readFileSync(join(ROOT, 'docs/archive-format.md'), 'utf8');
    for (const part of ARCHIVE_PARTS) {
      const start = text.indexOf(`### ${part.name}\n`);
      expect([part.name, start > 0]).toStrictEqual([part.name, true]);
      const description = text.slice(
        start,
        text.indexOf('\n### ', start + 1) < 0 ? undefined : text.indexOf('\n### ', start + 1),
      );
      expect(description).toContain(part.about);
      for (const member of part.members.split(', ')) expect(description).toContain(`\`${member}\``);
    }
  });
});

/** Creates a home and inserts records directly, because requests would take most of the test's time. */
const createHomeWithRecords = async (recordCount: number): Promise<string> => {
  const home = await newHome();
  const homeDb = new Sqlite(join(home, 'pda.sqlite'));
  homeDb.exec("INSERT INTO endpoints (id, path, records) VALUES (1, 'fit/steps', 0)");
  homeDb.exec("INSERT INTO origins (id, kind, name) VALUES (1, 'owner', 'owner')");
  const insert = homeDb.prepare(
    'INSERT INTO records (seq, id, endpoint, origin, created, data) VALUES (?, ?, 1, 1, ?, ?)',
  );
  const text = randomBytes(50)
    .toString('hex')
    .repeat(TEXT_BYTES / 100);
  homeDb.transaction(() => {
    for (let n = 0; n < recordCount; n += 1) {
      const seq = 600_000_000_000_000 + n;
      insert.run(seq, newId(seq), 1_700_000_000_000 + n, `{"n":${n},"text":"${text}"}`);
    }
    homeDb.prepare('UPDATE endpoints SET records = ?').run(recordCount);
  })();
  homeDb.close();
  return home;
};

describe('memory usage of a transfer', () => {
  it.skipIf(!IS_THOROUGH_RUN)('does not depend on the size of the account', async () => {
    const measurePeaks = async (recordCount: number): Promise<number[]> => {
      const home = await createHomeWithRecords(recordCount);
      const archive = join(newFolder(), 'a.zip');
      const target = await newHome();
      return [
        await measurePeakMegabytes({ op: 'export', home, archive }),
        await measurePeakMegabytes({ op: 'import', home: target, archive }),
      ];
    };
    const [smallPeaks, largePeaks] = await Promise.all([measurePeaks(FEW_RECORDS), measurePeaks(MANY_RECORDS)]);
    expect((largePeaks[0] ?? 0) - (smallPeaks[0] ?? 0)).toBeLessThan(EXTRA_MEMORY_MAX_MB);
    expect((largePeaks[1] ?? 0) - (smallPeaks[1] ?? 0)).toBeLessThan(EXTRA_MEMORY_MAX_MB);
  });
});
