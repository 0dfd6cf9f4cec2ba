import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../../storage/migrations/migrator.ts';
import { createWriter, type Writer } from '../../../storage/writer.ts';
import { packRows } from './row-batch.ts';
import { newId } from '../../../core/sequence.ts';
import { createRecordStore, type RecordRow, type RecordStore } from '../store.ts';

const FIRST_SEQ = 4096 * 200_000_000_000;
let db: Database.Database;
let writer: Writer;
let store: RecordStore;
beforeEach(() => {
  db = new Database(':memory:');
  migrate(db);
  writer = createWriter(db);
  store = createRecordStore(db);
});

const rowsOf = (texts: readonly (string | Buffer)[]) =>
  texts.map((data, index) => ({ id: newId(FIRST_SEQ + index), data }));
const insertAndRead = async (texts: readonly (string | Buffer)[]) => {
  const rows = rowsOf(texts);
  await writer.write((tx) => store.insertMany(tx, { firstSeq: FIRST_SEQ, rows, endpoint: 7, origin: 3, created: 5 }));
  const storedRows: RecordRow[] = [];
  for (
    let chunk = store.chunk(7, 0, texts.length);
    chunk.length > 0;
    chunk = store.chunk(7, storedRows.at(-1)?.seq ?? 0, texts.length)
  )
    storedRows.push(...chunk);
  const expectedRows = rows.map(({ id, data }, index) => ({
    seq: FIRST_SEQ + index,
    id,
    endpoint: 7,
    origin: 3,
    created: 5,
    updated: null,
    data: data.toString(),
  }));
  return { storedRows, expectedRows };
};
const readColumnTypes = (): unknown =>
  db.prepare('SELECT DISTINCT typeof(seq), typeof(id), typeof(created), typeof(data) FROM records').raw().all();

describe('rows that are stored in one batch', () => {
  it.each([
    ['one', 1],
    ['a few', 7],
    ['as many as the smallest packed batch', 8],
    ['a thousand', 1000],
  ])('are stored with the correct sequence numbers: %s', async (_, count) => {
    const texts = Array.from({ length: count }, (__, n) => `{"n":${n},"text":"${'x'.repeat(n % 50)}"}`);
    const { storedRows, expectedRows } = await insertAndRead(texts);
    expect(storedRows).toStrictEqual(expectedRows);
    expect(readColumnTypes()).toStrictEqual([['integer', 'text', 'integer', 'text']]);
  });

  it('may be strings or buffers with multi-byte and null characters', async () => {
    const texts = Array.from({ length: 40 }, (_, n) => `"${'ß€𝄞\\u0000\u0000'.repeat(n)}"`);
    const mixedTexts = texts.map((text, n) => (n % 2 === 0 ? text : Buffer.from(text)));
    const { storedRows, expectedRows } = await insertAndRead(mixedTexts);
    expect(storedRows).toStrictEqual(expectedRows);
  });

  it('are packed into batches of up to 4 MB; larger rows, and fewer than eight, are stored individually', async () => {
    const largeText = `"${'l'.repeat(5_000_000)}"`;
    const mediumText = `"${'m'.repeat(400_000)}"`;
    const texts = ['1', ...Array.from({ length: 25 }, () => mediumText), largeText, largeText, '2', '3'];
    const counts: number[] = [];
    const rows = rowsOf(texts);
    for (let start = 0; start < rows.length; start += counts.at(-1) ?? 1)
      counts.push(packRows(rows, start)?.count ?? 1);
    const remainingRows = rows.length - 10 - 9;
    expect(counts).toStrictEqual([10, 9, ...Array.from({ length: remainingRows }, () => 1)]);
    const { storedRows, expectedRows } = await insertAndRead(texts);
    expect(storedRows).toStrictEqual(expectedRows);
  });

  it('may be an empty list, which stores nothing', async () => {
    expect((await insertAndRead([])).storedRows).toStrictEqual([]);
  });
});
