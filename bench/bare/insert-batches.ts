import Sqlite from 'better-sqlite3';
import { newId } from '../../server/pda/core/sequence.ts';
import { migrate } from '../../server/pda/storage/migrations/migrator.ts';
import { createRecordTexts } from '../support/records.ts';

// Baseline: better-sqlite3 without a server. Usage: node insert-batches.ts NEW-DATABASE BATCHES
// Uses the account server's schema, pragmas, rows and transactions. Each message starts a round. The reply is the
// number of rows per second.

const RECORDS_PER_BATCH = 1000;
const [file = '', batches = '0'] = process.argv.slice(2);
const db = new Sqlite(file);
db.pragma('page_size = 8192');
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.pragma('foreign_keys = ON');
db.pragma('temp_store = MEMORY');
db.pragma('cache_size = -12000');
// The account server checkpoints the WAL in a thread at 8 MB. Here SQLite checkpoints at the same size.
db.pragma('wal_autocheckpoint = 1000');
db.pragma('journal_size_limit = 67108864');
migrate(db);
const insert = db.prepare(
  'INSERT INTO records (seq, id, endpoint, origin, created, updated, data) VALUES (?, ?, 1, 1, ?, NULL, ?)',
);
let seq = 1_000_000;
const insertAll = db.transaction((rows: readonly { seq: number; id: string; data: string }[]) => {
  const time = Date.now();
  for (const row of rows) insert.run(row.seq, row.id, time, row.data);
});

const insertRound = (): number => {
  const texts = createRecordTexts(0, RECORDS_PER_BATCH);
  const rowBatches = Array.from({ length: Number(batches) }, () =>
    texts.map((data) => {
      seq += 1;
      return { seq, id: newId(seq), data };
    }),
  );
  const start = performance.now();
  for (const rows of rowBatches) insertAll.immediate(rows);
  return (Number(batches) * RECORDS_PER_BATCH * 1000) / (performance.now() - start);
};

process.on('message', () => process.send?.(insertRound()));
process.on('disconnect', () => db.close());
