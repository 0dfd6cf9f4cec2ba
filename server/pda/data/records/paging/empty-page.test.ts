import Database from 'better-sqlite3';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestClock } from '../../../../../tests/support/test-pda.ts';
import { silentLog } from '../../../../platform/log.ts';
import { createEndpointStore } from '../../../core/endpoint-store.ts';
import { createEventService } from '../../../core/events/service.ts';
import { createEventStore } from '../../../core/events/store.ts';
import { createSequence } from '../../../core/sequence.ts';
import { migrate } from '../../../storage/migrations/migrator.ts';
import { createWriter } from '../../../storage/writer.ts';
import { createRecordModule } from '../index.ts';
import { recordLimitsOf } from '../quota/record-quota.ts';

const ENDPOINT = 'a/b';
const EMPTY_LIST = Buffer.from('[]');
const NON_OWNER = { recordReads: () => undefined, admitLongRead: () => undefined };

let db: Database.Database;
let recordModule: ReturnType<typeof createRecordModule>;
let statements: string[];

beforeEach(async () => {
  statements = [];
  db = new Database(':memory:', { verbose: (sql) => void statements.push(String(sql)) });
  migrate(db);
  const clock = createTestClock();
  const thread = { all: () => Promise.reject(new Error('small values are compared without a thread')) };
  recordModule = createRecordModule({
    db,
    writer: createWriter(db),
    clock,
    log: silentLog(),
    reader: thread,
    nonOwnerThread: thread,
    events: createEventService({ store: createEventStore(db), clock }),
    endpoints: createEndpointStore(db),
    sequence: createSequence(0, clock),
    home: tmpdir(),
    limits: recordLimitsOf({}),
  });
  const values = ['1', '2', '3'].map((data) => ({ endpoint: ENDPOINT, data }));
  await recordModule.records.create(values, { kind: 'owner', name: 'owner' });
  statements = [];
});
afterEach(async () => {
  await recordModule.close();
  db.close();
});

const readsOfRecords = (): string[] => statements.filter((sql) => sql.includes('FROM records'));

it.each([
  { skip: 3, take: 10 },
  { skip: 1_000_000, take: 1_000_000 },
  { skip: 0, take: 0 },
])('a page with skip=$skip and take=$take of three records is empty and reads none of them', async (range) => {
  for (const order of ['ascending', 'descending'] as const) {
    const page = { order, ...range, meta: false };
    expect(recordModule.records.read(ENDPOINT, page)).toStrictEqual(EMPTY_LIST);
    expect(await recordModule.records.readAsNonOwner(ENDPOINT, page, NON_OWNER)).toStrictEqual(EMPTY_LIST);
    expect(recordModule.records.seqs(ENDPOINT, page)).toStrictEqual([]);
  }
  expect(readsOfRecords()).toStrictEqual([]);
});

it('a page that contains only the last of three records reads only that record', () => {
  const page = { order: 'ascending', skip: 2, take: 10, meta: false } as const;
  const list = recordModule.records.read(ENDPOINT, page);
  expect(Buffer.isBuffer(list) && list.toString()).toMatch(
    /^\[\{"endpoint":"a\/b","recordId":"[\da-f-]{36}","data":3\}\]$/u,
  );
  expect(readsOfRecords()).toHaveLength(1);
});
