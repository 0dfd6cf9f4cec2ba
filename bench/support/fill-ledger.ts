import Sqlite from 'better-sqlite3';
import { join } from 'node:path';
import { createLedgerService, type LedgerEntry } from '../../server/pda/sharing/access-log/service.ts';
import { createLedgerStore } from '../../server/pda/sharing/access-log/store.ts';
import { idPrefixOf, seqOfId } from '../../server/pda/core/sequence.ts';
import { createWriter } from '../../server/pda/storage/writer.ts';
import { APPLICATIONS, CONTRACTS, DEBITS, HIDDEN, RARE } from './ledger-rows.ts';
import { ENDPOINTS } from './records.ts';

/**
 * Fills the access log of a home with two years of a busy account: programs that page through data, poll the newest
 * records,
 * read through Data Debits, and occasionally read everything. Usage: node fill-ledger.ts HOME ROWS
 */

const BATCH_SIZE = 400;
const [home = '', rows = '0'] = process.argv.slice(2);
const ROWS = Number(rows);
const YEARS_MS = 2 * 365 * 86_400_000;

let now = Date.now() - YEARS_MS;
const db = new Sqlite(join(home, 'pda.sqlite'));
// No durability needed.
db.pragma('journal_mode = WAL');
db.pragma('synchronous = OFF');
const head = db.prepare<[number], { id: string }>('SELECT id FROM records WHERE seq = ?');
const writer = createWriter(db);
const ledger = createLedgerService({
  store: createLedgerStore(db),
  writer,
  events: { notify: () => undefined },
  clock: { now: () => now },
  records: {
    find(seq) {
      const entries = head.get(seq);
      return entries === undefined ? undefined : { id: entries.id, endpoint: ENDPOINTS.large };
    },
    seqOf: seqOfId,
    idPrefixOf,
  },
});
const seqs = db
  .prepare<[string], number>(
    'SELECT seq FROM records WHERE endpoint = (SELECT id FROM endpoints WHERE path = ?) ORDER BY seq',
  )
  .pluck()
  .all(ENDPOINTS.large);

/** State of a seeded generator, so that each run creates the same rows. */
let state = 1;
const random = (): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
const below = (limit: number): number => Math.floor(random() * limit);
/** Returns small numbers much more often than large ones. */
const skewed = (limit: number): number => Math.floor(limit * random() ** 3);

/** Number of records that ordinary readers access; the rest is read only by the rare application. */
const open = seqs.length - HIDDEN;
const page = (): number[] => {
  const length = 1 + skewed(1000);
  const first = below(open - length);
  return seqs.slice(first, first + length);
};
const scattered = (count: number): number[] => Array.from({ length: count }, () => seqs[below(open)] ?? 0);
const newest = (row: number): number[] => {
  const end = 1000 + Math.floor(((open - 1000) * row) / ROWS);
  return seqs.slice(end - 100, end);
};
const shared = DEBITS.map(() => scattered(1 + below(1000)));

const entryOf = (row: number): LedgerEntry => {
  const application = APPLICATIONS[skewed(APPLICATIONS.length)] ?? '';
  const entry = {
    who: { kind: 'application', name: application },
    action: 'GET /api/v2.6/data/:namespace/*endpoint',
    status: 200,
    reason: null,
    consent: { kind: 'application', name: application, detail: '1.0.0' },
    records: new Map<string, number[]>(),
    fields: null,
    bytes: below(100_000),
    address: `203.0.113.${below(20)}`,
  } satisfies LedgerEntry;
  const reads = (readSeqs: number[]): LedgerEntry => ({ ...entry, records: new Map([[ENDPOINTS.large, readSeqs]]) });
  const kind = random();
  if (row % 25_000 === 12_500) return reads(seqs.slice(0, open));
  if (row % 100_000 === 777) {
    const reader = { kind: 'application', name: RARE } as const;
    return {
      ...reads(seqs.slice(open, open + 5)),
      who: reader,
      consent: { kind: 'application', name: RARE, detail: '' },
    };
  }
  if (kind < 0.08) return { ...entry, status: 403, reason: 'forbidden', consent: null, bytes: 0 };
  if (kind < 0.4) return reads(page());
  if (kind < 0.6) return reads(newest(row));
  if (kind < 0.65) return reads(scattered(1 + skewed(300)));
  if (kind < 0.75) return reads(scattered(1));
  if (kind < 0.8) return { ...reads(scattered(1)), action: 'POST /api/v2.6/data/:namespace/*endpoint', status: 201 };
  if (kind < 0.85) {
    const name = CONTRACTS[below(CONTRACTS.length)] ?? '';
    return { ...reads(page()), who: { kind: 'contract', name }, consent: { kind: 'contract', name, detail: '' } };
  }
  const debit = skewed(DEBITS.length);
  // The data of a Data Debit changes occasionally.
  if (below(200) === 0) shared[debit] = scattered(1 + below(1000));
  return {
    ...reads(shared[debit] ?? []),
    who: { kind: 'application', name: APPLICATIONS[debit % APPLICATIONS.length] ?? '' },
    action: 'GET /api/v2.6/data-debit/*key/values',
    consent: { kind: 'debit', name: DEBITS[debit] ?? '', detail: 'permission' },
    fields: ['time', 'steps'],
  };
};

for (let offset = 0; offset < ROWS; offset += BATCH_SIZE) {
  const writes: Promise<number>[] = [];
  for (let row = offset; row < Math.min(ROWS, offset + BATCH_SIZE); row += 1) {
    now += YEARS_MS / ROWS;
    writes.push(ledger.write(entryOf(row)));
  }
  await Promise.all(writes);
  now = Math.floor(now);
}
await writer.close();
ledger.close();
db.close();
