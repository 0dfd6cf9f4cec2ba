import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findInconsistencies } from '../../../../../tests/support/database-check.ts';
import { createTestClock } from '../../../../../tests/support/test-pda.ts';
import { silentLog } from '../../../../platform/log.ts';
import { COMPARED_ON_MAIN_THREAD_MAX_BYTES } from '../../../../wire/work-limits.ts';
import { createEndpointStore, type Origin } from '../../../core/endpoint-store.ts';
import { createEventService } from '../../../core/events/service.ts';
import { createEventStore } from '../../../core/events/store.ts';
import { createSequence } from '../../../core/sequence.ts';
import { openDatabase } from '../../../storage/database.ts';
import type { Database, DatabaseThread, SqlValue } from '../../../storage/index.ts';
import { createDatabaseThread } from '../../../storage/threads/client.ts';
import { createWriter } from '../../../storage/writer.ts';
import { registerQueryFunctions } from '../../queries/sql/functions.ts';
import { createRecordModule } from '../index.ts';
import { recordLimitsOf } from '../quota/record-quota.ts';
import type { StoredRecord } from '../service.ts';

// While a thread runs a query in several steps, the requests that it processes between the steps read the state of the
// database at the start of the query.

const FUNCTIONS_MODULE = new URL('../../queries/sql/functions.ts', import.meta.url).href;
const OWNER: Origin = { kind: 'owner', name: 'owner' };
const ENDPOINT = 'large/values';

let folder: string;
let db: Database;
let thread: DatabaseThread;
let recordModule: ReturnType<typeof createRecordModule>;
/** Called with the number of record digests that the thread has computed, before they are stored. */
let afterReading: (digests: number) => unknown;

const observedThread: Pick<DatabaseThread, 'all'> = {
  async all<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    const rows = await thread.all<Row>(sql, parameters);
    if (typeof parameters[0] === 'string') await afterReading(rows.length);
    return rows;
  },
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pda-snapshot-'));
  const file = join(folder, 'pda.sqlite');
  db = openDatabase(file, { backups: folder, registerFunctions: registerQueryFunctions });
  thread = createDatabaseThread({ file, role: 'reader', functionsModule: FUNCTIONS_MODULE });
  afterReading = () => undefined;
  const clock = createTestClock();
  recordModule = createRecordModule({
    db,
    writer: createWriter(db),
    clock,
    log: silentLog(),
    reader: observedThread,
    nonOwnerThread: observedThread,
    events: createEventService({ store: createEventStore(db), clock }),
    endpoints: createEndpointStore(db),
    sequence: createSequence(0, clock),
    home: folder,
    limits: recordLimitsOf({}),
  });
});
afterEach(async () => {
  await recordModule.close();
  await thread.close();
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

const padding = 'x'.repeat(COMPARED_ON_MAIN_THREAD_MAX_BYTES);
const largeValue = (name: string): string => `{"name":"${name}","text":"${padding}"}`;
const respelledValue = (name: string): string => `{"text":"${padding}","name":"${name}"}`;

const create = (data: string): Promise<StoredRecord[]> =>
  recordModule.records.create([{ endpoint: ENDPOINT, data }], OWNER);
const update = (record: StoredRecord | undefined, data: string): Promise<void> =>
  recordModule.records.update([{ endpoint: ENDPOINT, recordId: record?.id ?? '', data }], OWNER);
const createDistinct = async (values: readonly string[]): Promise<string[]> => {
  const options = { origin: OWNER, compareWith: 'all' } as const;
  return (await recordModule.records.createDistinct(ENDPOINT, values, options)).map(({ data }) => data.toString());
};

/** A query of 5,001 rows per record, which do not fit into one step of 5,000 rows. */
const LONG_QUERY = `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 5001)
  SELECT n, seq FROM n, records`;
/**
 * Starts a long query in the thread that computes digests, and ends the query after the thread has computed digests of
 * records. Returns a list that receives the number of digests after each computation.
 */
const interleaveLongQuery = async (): Promise<number[]> => {
  const query = thread.rows(LONG_QUERY, [], 5000);
  await query.next();
  const counts: number[] = [];
  afterReading = async (digests) => {
    counts.push(digests);
    await query.return(undefined);
  };
  return counts;
};

describe('a comparison by a thread that reads an older state of the database', () => {
  it('ignores the digest of data that has been replaced since', async () => {
    const [record] = await create(largeValue('first'));
    await createDistinct([]);
    await update(record, largeValue('a'));
    const counts = await interleaveLongQuery();
    await update(record, largeValue('b'));
    expect(await createDistinct([respelledValue('a'), respelledValue('b')])).toStrictEqual([respelledValue('a')]);
    expect(counts).toStrictEqual([1, 1]);
    expect(findInconsistencies(folder)).toStrictEqual([]);
  });

  it('waits until the thread finds the record', async () => {
    await create(largeValue('a'));
    const counts = await interleaveLongQuery();
    expect(await createDistinct([respelledValue('a'), respelledValue('b')])).toStrictEqual([respelledValue('b')]);
    expect(counts).toStrictEqual([0, 1]);
  });
});
