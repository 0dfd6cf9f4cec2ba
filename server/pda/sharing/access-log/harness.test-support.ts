import Database, { type Database as Db } from 'better-sqlite3';
import { createTestClock, type TestClock } from '../../../../tests/support/test-pda.ts';
import { migrate } from '../../storage/migrations/migrator.ts';
import { createWriter, type Writer } from '../../storage/writer.ts';
import { createLedgerService, type LedgerEntry, type LedgerService } from './service.ts';
import { createLedgerStore } from './store.ts';

/** An id whose place can be read in it: no records are behind it. */
export const idOf = (seq: number): string => `00000000-0000-7000-8000-${String(seq).padStart(12, '0')}`;

export type TestLedger = {
  ledger: LedgerService;
  writer: Writer;
  clock: TestClock;
  db: Db;
  /** Records that are here. */
  here: Set<number>;
  topics: () => number;
};

/** Made once: to make the tables takes longer than most tests. */
let fresh: Buffer | undefined;
const freshDatabase = (): Buffer => {
  const db = new Database(':memory:');
  // As in a file of ours.
  db.pragma('page_size = 8192');
  migrate(db);
  const content = db.serialize();
  db.close();
  return content;
};

/** An access log on a separate database with fictional records. */
export const openLedger = (): TestLedger => {
  const db = new Database((fresh ??= freshDatabase()));
  const writer = createWriter(db);
  const clock = createTestClock();
  const here = new Set<number>();
  let topics = 0;
  const ledger = createLedgerService({
    store: createLedgerStore(db),
    writer,
    clock,
    events: {
      tell: (tx) => tx.afterCommit(() => (topics += 1)),
    },
    records: {
      at: (seq) => (here.has(seq) ? { id: idOf(seq), endpoint: 'test/records' } : undefined),
      seqOf: (id) => (/^00000000-0000-7000-8000-\d{12}$/u.test(id) ? Number(id.slice(-12)) : undefined),
      idHead: () => '00000000-0000-7000-',
    },
  });
  return { ledger, writer, clock, db, here, topics: () => topics };
};

/** A call that was allowed, with whatever is said otherwise. */
export const anEntry = (entry: Partial<LedgerEntry> = {}): LedgerEntry => ({
  who: { kind: 'application', name: 'notes' },
  action: 'GET /api/v2.6/data/:namespace/*endpoint',
  status: 200,
  reason: null,
  consent: { kind: 'application', name: 'notes', detail: '1.0.0' },
  records: new Map(),
  fields: null,
  bytes: 100,
  address: '203.0.113.7',
  ...entry,
});

export const holding = (...seqs: number[]): LedgerEntry['records'] => new Map([['test/records', seqs]]);
