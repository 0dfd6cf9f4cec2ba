import Database, { type Database as Db } from 'better-sqlite3';
import { createTestClock, type TestClock } from '../../../../tests/support/test-pda.ts';
import { migrate } from '../../storage/migrations/migrator.ts';
import { createWriter, type Writer } from '../../storage/writer.ts';
import { createAccessLogService, type AccessLogEntry, type AccessLogService } from './service.ts';
import { createAccessNames } from './names.ts';
import { createAccessLogStore } from './store.ts';

export const idOf = (seq: number): string => `00000000-0000-7000-8000-${String(seq).padStart(12, '0')}`;

export type TestAccessLog = {
  accessLog: AccessLogService;
  writer: Writer;
  clock: TestClock;
  db: Db;
  names: ReturnType<typeof createAccessNames>;
  endpointNames: Map<string, string>;
  fileNames: Map<number, string>;
  eventCount: () => number;
};

/** Created once, because the migrations take longer than most tests. */
let migratedDatabase: Buffer | undefined;
const createMigratedDatabase = (): Buffer => {
  const db = new Database(':memory:');
  // A PDA database has the same page size.
  db.pragma('page_size = 8192');
  migrate(db);
  const content = db.serialize();
  db.close();
  return content;
};

export const openAccessLog = (): TestAccessLog => {
  const db = new Database((migratedDatabase ??= createMigratedDatabase()));
  const writer = createWriter(db);
  const clock = createTestClock();
  const endpointNames = new Map<string, string>();
  const fileNames = new Map<number, string>();
  let eventCount = 0;
  const names = createAccessNames({
    endpoints: () => [...endpointNames.keys()],
    endpointNameOf: (path) => endpointNames.get(path) ?? path,
  });
  const accessLog = createAccessLogService({
    names,
    store: createAccessLogStore(db),
    writer,
    clock,
    events: {
      notify: (tx) => tx.afterCommit(() => (eventCount += 1)),
    },
    records: {
      find: (seq) => {
        const name = fileNames.get(seq);
        if (name === undefined) return undefined;
        return { id: idOf(seq), endpoint: 'files:photos', file: { fileId: `file-${seq}`, name } };
      },
      seqOf: (id) => (/^00000000-0000-7000-8000-\d{12}$/u.test(id) ? Number(id.slice(-12)) : undefined),
      idPrefixOf: () => '00000000-0000-7000-',
    },
  });
  return { accessLog, writer, clock, db, names, endpointNames, fileNames, eventCount: () => eventCount };
};

export const anEntry = (entry: Partial<AccessLogEntry> = {}): AccessLogEntry => ({
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

export const recordsWith = (...seqs: number[]): AccessLogEntry['records'] => new Map([['test/records', seqs]]);
