import Sqlite, { type Database } from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDatabaseThread, type DatabaseThread } from '../../../storage/threads/client.ts';
import { ReadLimitError } from '../language/read-budget.ts';
import { retryOnDroppedIndex } from './dropped-index.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

const FUNCTIONS_MODULE = new URL('../sql/functions.ts', import.meta.url).href;
/** Statements that read a record through a query index, by the kind of the index; `none`: without an index. */
const STATEMENTS = {
  index: 'SELECT n FROM records INDEXED BY query_1_a WHERE n = 7',
  'full-text index': "SELECT rowid FROM query_text_1_a WHERE query_text_1_a MATCH 'zebra'",
  none: 'SELECT n FROM records WHERE n = 7',
};

let folder: string;
let writer: Database;
let thread: DatabaseThread;
let generation: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pda-dropped-index-'));
  const file = join(folder, 'test.sqlite');
  writer = new Sqlite(file);
  writer.pragma('journal_mode = WAL');
  writer.exec('CREATE TABLE records (n); INSERT INTO records VALUES (6), (7)');
  thread = createDatabaseThread({ file, role: 'reader', functionsModule: FUNCTIONS_MODULE });
  generation = 1;
});
afterEach(async () => {
  await thread.close();
  writer.close();
  rmSync(folder, { recursive: true, force: true });
});

const createIndexes = (): void => {
  writer.exec(
    "CREATE INDEX query_1_a ON records (n); CREATE VIRTUAL TABLE query_text_1_a USING fts5 (words, content=''); INSERT INTO query_text_1_a (rowid, words) VALUES (7, 'zebra')",
  );
};

/** Reads the record, and returns it with the statements that the read executed. */
const read = async (
  statementOf: (usesIndexes: boolean) => string,
): Promise<{ records: number[]; statements: string[] }> => {
  const statements: string[] = [];
  const numbers = await retryOnDroppedIndex({ generation: () => generation }, (usesIndexes) => {
    const sql = statementOf(usesIndexes);
    statements.push(sql);
    return thread.numbers(sql, []);
  });
  return { records: [...numbers], statements };
};

it.each(['index', 'full-text index'] as const)(
  'reads without an index that is newer than an open query of the thread (%s)',
  async (kind) => {
    const openQuery = thread.rows('SELECT n FROM records', [], 1);
    await openQuery.next();
    createIndexes();
    const statementOf = (usesIndexes: boolean): string => STATEMENTS[usesIndexes ? kind : 'none'];
    expect(await read(statementOf)).toEqual({ records: [7], statements: [STATEMENTS[kind], STATEMENTS.none] });
    await openQuery.return(undefined);
    expect(await read(statementOf)).toEqual({ records: [7], statements: [STATEMENTS[kind]] });
  },
);

it.skipIf(!IS_THOROUGH_RUN)('reads with the current indexes if they have changed', async () => {
  createIndexes();
  expect((await read(() => STATEMENTS.index)).records).toEqual([7]);
  const { records, statements } = await read(() => {
    if (generation === 2) return STATEMENTS['full-text index'];
    writer.exec('DROP INDEX query_1_a');
    generation = 2;
    return STATEMENTS.index;
  });
  expect(statements).toEqual([STATEMENTS.index, STATEMENTS['full-text index']]);
  expect(records).toEqual([7]);
});

it.skipIf(!IS_THOROUGH_RUN)('reads without indexes if the current ones are dropped too', async () => {
  createIndexes();
  const { records, statements } = await read((usesIndexes) => {
    if (!usesIndexes) return STATEMENTS.none;
    if (generation === 2) {
      writer.exec('DROP TABLE query_text_1_a');
      return STATEMENTS['full-text index'];
    }
    writer.exec('DROP INDEX query_1_a');
    generation = 2;
    return STATEMENTS.index;
  });
  expect(statements).toEqual([STATEMENTS.index, STATEMENTS['full-text index'], STATEMENTS.none]);
  expect(records).toEqual([7]);
});

it('does not repeat a read that exceeded a limit, even if the indexes have changed', async () => {
  const failedRead = retryOnDroppedIndex({ generation: () => generation }, () => {
    generation += 1;
    return Promise.reject(new ReadLimitError('time'));
  });
  await expect(failedRead).rejects.toThrow('more time than allowed');
  expect(generation).toBe(2);
});

it('rethrows any other error', async () => {
  await expect(read(() => 'SELECT n FROM nowhere')).rejects.toThrow('no such table: nowhere');
});
