import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../../storage/migrations/migrator.ts';
import { createWriter, type Writer } from '../../../storage/writer.ts';
import { createRecordVersionService } from './service.ts';
import { createRecordVersionStore, type RecordVersionStore } from './store.ts';

const DAY_MS = 86_400_000;
const NOW = 100 * DAY_MS;

let db: Database.Database;
let writer: Writer;
let store: RecordVersionStore;
beforeEach(() => {
  db = new Database(':memory:');
  migrate(db);
  writer = createWriter(db);
  store = createRecordVersionStore(db);
  db.exec("INSERT INTO records VALUES (1, 'id', 1, 1, 0, NULL, '0')");
});

const addVersion = (data: string, time: number) =>
  writer.write((tx) => {
    db.prepare('UPDATE records SET data = ?').run(data);
    store.add(tx, [1], { origin: 1, time });
  });
const storedData = (): unknown[] => db.prepare('SELECT data FROM record_versions ORDER BY version').pluck().all();
const prune = (maxBytes: number): Promise<void> => {
  const rejectRead = (): never => {
    throw new Error('pruning reads no records');
  };
  return createRecordVersionService({
    store,
    moves: { list: rejectRead },
    records: { find: rejectRead, updateWithin: rejectRead },
    endpoints: { originOf: rejectRead },
    writer,
    clock: { now: () => NOW },
    maxBytes,
  }).prune();
};

describe('pruning', () => {
  it('drops the oldest versions until the rest fit, and updates the total bytes', async () => {
    for (const text of ['aaaa', 'bbb', 'cc', 'd']) await addVersion(text, NOW);
    expect(store.totalBytes()).toBe(10);
    await prune(10);
    expect(storedData()).toHaveLength(4);
    await prune(5);
    expect(storedData()).toStrictEqual(['cc', 'd']);
    expect(store.totalBytes()).toBe(3);
  });

  it('drops expired versions even if the clock was set back between the changes', async () => {
    await addVersion('new', NOW);
    await addVersion('old', NOW - 31 * DAY_MS);
    await prune(1000);
    expect(storedData()).toStrictEqual(['new']);
  });

  it('drops any number of versions in transactions of at most 500', async () => {
    let transactions = 0;
    const { write } = writer;
    db.exec(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1201)
       INSERT INTO record_versions (seq, stored, author, replaced, origin, bytes, data) SELECT 1, 0, 1, 0, 1, 1, 'x' FROM numbers`,
    );
    writer = { ...writer, write: (job) => ((transactions += 1), write(job)) };
    await prune(1000);
    expect([storedData().length, transactions]).toStrictEqual([0, 3]);
    expect(store.totalBytes()).toBe(0);
  });

  it.each(['expired', 'excess', 'orphaned'])('drops large %s versions in transactions of about 4 MB', async (kind) => {
    const droppedCounts: number[] = [];
    const { write } = writer;
    const replaced = kind === 'expired' ? 0 : NOW;
    const insert = db.prepare(
      'INSERT INTO record_versions (seq, stored, author, replaced, origin, bytes, data) VALUES (1, 0, 1, ?, 1, 1500000, ?)',
    );
    for (let count = 0; count < 7; count += 1) insert.run(replaced, 'x'.repeat(1_500_000));
    if (kind === 'orphaned') db.exec('DELETE FROM records');
    writer = {
      ...writer,
      async write(job) {
        const countBefore = storedData().length;
        const result = await write(job);
        droppedCounts.push(countBefore - storedData().length);
        return result;
      },
    };
    await prune(kind === 'excess' ? 0 : 100_000_000);
    expect(storedData()).toStrictEqual([]);
    expect(Math.max(...droppedCounts)).toBe(3);
  });
});
