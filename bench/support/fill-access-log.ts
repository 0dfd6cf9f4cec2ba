import Sqlite from 'better-sqlite3';
import { join } from 'node:path';
import { createAccessNames } from '../../server/pda/sharing/access-log/names.ts';
import { createAccessLogService, type AccessLogEntry } from '../../server/pda/sharing/access-log/service.ts';
import { createAccessLogStore } from '../../server/pda/sharing/access-log/store.ts';
import { idPrefixOf, seqOfId } from '../../server/pda/core/sequence.ts';
import { createWriter } from '../../server/pda/storage/writer.ts';
import { APPLICATIONS, CONTRACTS, DEBITS, HIDDEN_RECORDS, RARE_APPLICATION } from './access-log-rows.ts';
import { ENDPOINTS } from './records.ts';

// Fills a home's access log with the entries of two years in a busy account, whose programs page through data, poll the
// newest records, read through Data Debits, and occasionally read everything.
// Usage: node fill-access-log.ts HOME ROWS

const BATCH_SIZE = 400;
const [home = '', rows = '0'] = process.argv.slice(2);
const ROW_COUNT = Number(rows);
const PERIOD_MS = 2 * 365 * 86_400_000;

let nowMs = Date.now() - PERIOD_MS;
const db = new Sqlite(join(home, 'pda.sqlite'));
db.pragma('journal_mode = WAL');
// The generated data needs no durability.
db.pragma('synchronous = OFF');
const selectId = db.prepare<[number], { id: string }>('SELECT id FROM records WHERE seq = ?');
const writer = createWriter(db);
const accessLog = createAccessLogService({
  names: createAccessNames({ endpoints: () => [], endpointNameOf: (endpoint) => endpoint }),
  store: createAccessLogStore(db),
  writer,
  events: { notify: () => undefined },
  clock: { now: () => nowMs },
  records: {
    find(seq) {
      const record = selectId.get(seq);
      return record === undefined ? undefined : { id: record.id, endpoint: ENDPOINTS.large };
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

/** State of a seeded generator, so that each run draws the same numbers. */
let state = 1;
const random = (): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
const randomBelow = (limit: number): number => Math.floor(random() * limit);
/** Returns a random number below the limit. Small numbers are much more frequent than large numbers. */
const skewedBelow = (limit: number): number => Math.floor(limit * random() ** 3);

/** Ordinary readers access only the oldest `openCount` records. The rare application reads five newer records. */
const openCount = seqs.length - HIDDEN_RECORDS;
const randomPage = (): number[] => {
  const length = 1 + skewedBelow(1000);
  const start = randomBelow(openCount - length);
  return seqs.slice(start, start + length);
};
const randomSeqs = (count: number): number[] => Array.from({ length: count }, () => seqs[randomBelow(openCount)] ?? 0);
const newestPage = (row: number): number[] => {
  const end = 1000 + Math.floor(((openCount - 1000) * row) / ROW_COUNT);
  return seqs.slice(end - 100, end);
};
const debitSeqs = DEBITS.map(() => randomSeqs(1 + randomBelow(1000)));

const entryOf = (row: number): AccessLogEntry => {
  const application = APPLICATIONS[skewedBelow(APPLICATIONS.length)] ?? '';
  const entry = {
    who: { kind: 'application', name: application },
    action: 'GET /api/v2.6/data/:namespace/*endpoint',
    status: 200,
    reason: null,
    consent: { kind: 'application', name: application, detail: '1.0.0' },
    records: new Map<string, number[]>(),
    fields: null,
    bytes: randomBelow(100_000),
    address: `203.0.113.${randomBelow(20)}`,
  } satisfies AccessLogEntry;
  const createReadEntry = (readSeqs: number[]): AccessLogEntry => ({
    ...entry,
    records: new Map([[ENDPOINTS.large, readSeqs]]),
  });
  const draw = random();
  if (row % 25_000 === 12_500) return createReadEntry(seqs.slice(0, openCount));
  if (row % 100_000 === 777) {
    const rareReader = { kind: 'application', name: RARE_APPLICATION } as const;
    return {
      ...createReadEntry(seqs.slice(openCount, openCount + 5)),
      who: rareReader,
      consent: { kind: 'application', name: RARE_APPLICATION, detail: '' },
    };
  }
  if (draw < 0.08) return { ...entry, status: 403, reason: 'forbidden', consent: null, bytes: 0 };
  if (draw < 0.4) return createReadEntry(randomPage());
  if (draw < 0.6) return createReadEntry(newestPage(row));
  if (draw < 0.65) return createReadEntry(randomSeqs(1 + skewedBelow(300)));
  if (draw < 0.75) return createReadEntry(randomSeqs(1));
  if (draw < 0.8)
    return { ...createReadEntry(randomSeqs(1)), action: 'POST /api/v2.6/data/:namespace/*endpoint', status: 201 };
  if (draw < 0.85) {
    const name = CONTRACTS[randomBelow(CONTRACTS.length)] ?? '';
    return {
      ...createReadEntry(randomPage()),
      who: { kind: 'contract', name },
      consent: { kind: 'contract', name, detail: '' },
    };
  }
  const debit = skewedBelow(DEBITS.length);
  if (randomBelow(200) === 0) debitSeqs[debit] = randomSeqs(1 + randomBelow(1000));
  return {
    ...createReadEntry(debitSeqs[debit] ?? []),
    who: { kind: 'application', name: APPLICATIONS[debit % APPLICATIONS.length] ?? '' },
    action: 'GET /api/v2.6/data-debit/*key/values',
    consent: { kind: 'debit', name: DEBITS[debit] ?? '', detail: 'permission' },
    fields: ['time', 'steps'],
  };
};

for (let offset = 0; offset < ROW_COUNT; offset += BATCH_SIZE) {
  const writes: Promise<number>[] = [];
  for (let row = offset; row < Math.min(ROW_COUNT, offset + BATCH_SIZE); row += 1) {
    nowMs += PERIOD_MS / ROW_COUNT;
    writes.push(accessLog.write(entryOf(row)));
  }
  await Promise.all(writes);
  nowMs = Math.floor(nowMs);
}
await writer.close();
accessLog.close();
db.close();
