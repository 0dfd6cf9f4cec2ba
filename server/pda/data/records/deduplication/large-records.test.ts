import Database from 'better-sqlite3';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestClock, type TestClock } from '../../../../../tests/support/test-pda.ts';
import { Failure } from '../../../../platform/failure.ts';
import { silentLog } from '../../../../platform/log.ts';
import { COMPARED_ON_MAIN_THREAD_MAX_BYTES, COMPARISON_MAX_MS } from '../../../../wire/work-limits.ts';
import { createEndpointStore, type Origin } from '../../../core/endpoint-store.ts';
import { createEventService } from '../../../core/events/service.ts';
import { createEventStore } from '../../../core/events/store.ts';
import { createSequence } from '../../../core/sequence.ts';
import type { DatabaseThread, SqlValue } from '../../../storage/index.ts';
import { migrate } from '../../../storage/migrations/migrator.ts';
import { ThreadError } from '../../../storage/threads/client.ts';
import { createWriter } from '../../../storage/writer.ts';
import { registerQueryFunctions } from '../../queries/sql/functions.ts';
import { createRecordModule } from '../index.ts';
import { recordLimitsOf } from '../quota/record-quota.ts';
import type { StoredRecord } from '../service.ts';
import type { DistinctOptions } from './distinct-writer.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

// Comparisons of records above the limit of the main thread. The threads are replaced by functions that record
// requests and that tests can interrupt.

const OWNER: Origin = { kind: 'owner', name: 'owner' };
const APPLICATION: Origin = { kind: 'application', name: 'writer' };
const ENDPOINT = 'large/values';

/** `input` is one value, or a number of records. */
type ThreadRequest = { thread: 'owner' | 'others'; input: 'value' | number };

let db: Database.Database;
let clock: TestClock;
let recordModule: ReturnType<typeof createRecordModule>;
let requests: ThreadRequest[];
/** Called after a thread has read records, and before its response arrives. */
let afterReading: () => unknown;
let threadError: Error | undefined;

const createThread = (thread: ThreadRequest['thread']): Pick<DatabaseThread, 'all'> => ({
  async all<Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> {
    if (threadError !== undefined) throw threadError;
    const rows = db.prepare<SqlValue[], Row>(sql).all(...parameters);
    const isValue = typeof parameters[0] !== 'string';
    requests.push({ thread, input: isValue ? 'value' : rows.length });
    if (!isValue) await afterReading();
    return rows;
  },
});

const openModule = () => {
  const parts = { db, writer: createWriter(db), clock, log: silentLog() };
  return createRecordModule({
    ...parts,
    reader: createThread('owner'),
    nonOwnerThread: createThread('others'),
    events: createEventService({ store: createEventStore(db), clock }),
    endpoints: createEndpointStore(db),
    sequence: createSequence(0, clock),
    home: tmpdir(),
    limits: recordLimitsOf({}),
  });
};

beforeEach(() => {
  db = new Database(':memory:');
  registerQueryFunctions(db);
  migrate(db);
  clock = createTestClock();
  requests = [];
  afterReading = () => undefined;
  threadError = undefined;
  recordModule = openModule();
});
afterEach(async () => {
  await recordModule.close();
  db.close();
});

const padding = 'x'.repeat(COMPARED_ON_MAIN_THREAD_MAX_BYTES);
const largeValue = (name: string): string => `{"name":"${name}","text":"${padding}","n":1}`;
/** Returns an equal value whose members are in a different order and are written differently. */
const respelledValue = (name: string): string => `{"n":1.0,"text":"\\u0078${padding.slice(1)}","name":"${name}"}`;

const create = (values: readonly string[], origin = OWNER): Promise<StoredRecord[]> =>
  recordModule.records.create(
    values.map((data) => ({ endpoint: ENDPOINT, data })),
    origin,
  );
const createDistinct = async (
  values: readonly (string | Buffer)[],
  options: Partial<DistinctOptions> = {},
): Promise<string[]> => {
  const storedRecords = await recordModule.records.createDistinct(ENDPOINT, values, {
    origin: OWNER,
    compareWith: 'all',
    ...options,
  });
  return storedRecords.map(({ data }) => data.toString());
};
const update = (record: StoredRecord | undefined, data: string): Promise<void> =>
  recordModule.records.update([{ endpoint: ENDPOINT, recordId: record?.id ?? '', data }], OWNER);
const remove = (record: StoredRecord | undefined) => recordModule.records.remove([record?.id ?? ''], () => true, OWNER);
const countRows = (table: string): unknown => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();

describe('large values', () => {
  it('are stored once, however they are written', async () => {
    const values = [largeValue('a'), respelledValue('a'), largeValue('b')];
    expect(await createDistinct(values)).toStrictEqual([largeValue('a'), largeValue('b')]);
    expect(await createDistinct(values.map((value) => Buffer.from(value)))).toStrictEqual([]);
    expect(await createDistinct([respelledValue('b'), respelledValue('c')])).toStrictEqual([respelledValue('c')]);
  });

  it('are compared with small ones', async () => {
    const smallText = `"${'a'.repeat(20_000)}"`;
    const escapedText = `"${'\\u0061'.repeat(20_000)}"`;
    expect(escapedText.length).toBeGreaterThan(COMPARED_ON_MAIN_THREAD_MAX_BYTES);
    await create([smallText]);
    expect(await createDistinct([escapedText, largeValue('a')])).toStrictEqual([largeValue('a')]);
    await create([escapedText.replaceAll('0061', '0062')]);
    expect(await createDistinct([smallText.replaceAll('a', 'b')])).toStrictEqual([]);
  });

  it('are compared with records that were stored, changed, deleted, restored or moved by other requests', async () => {
    const [firstRecord, secondRecord] = await create([largeValue('a'), largeValue('b')]);
    expect(await createDistinct([respelledValue('a')])).toStrictEqual([]);
    await update(firstRecord, largeValue('c'));
    await remove(secondRecord);
    expect(await createDistinct([respelledValue('a'), respelledValue('b'), respelledValue('c')])).toStrictEqual([
      respelledValue('a'),
      respelledValue('b'),
    ]);
    await update(firstRecord, '1');
    const { deletionId } = await recordModule.deletions.deleteRecords([firstRecord?.id ?? ''], OWNER);
    expect(await createDistinct([largeValue('c'), '1.0'])).toStrictEqual([largeValue('c'), '1.0']);
    await recordModule.deletions.undo(deletionId, OWNER);
    await update(firstRecord, largeValue('d'));
    expect(await createDistinct([respelledValue('d')])).toStrictEqual([]);
    const move = { from: ENDPOINT, to: 'large/others', records: [firstRecord?.id ?? ''], moveEqual: false };
    expect(await recordModule.moves.move(move, OWNER)).toMatchObject({ moved: [firstRecord?.id] });
    expect(await createDistinct([respelledValue('d')])).toStrictEqual([respelledValue('d')]);
  });

  it('can be moved, unless an equal one is at the target', async () => {
    const [a, b, c] = await create([largeValue('a'), largeValue('b'), largeValue('c')]);
    await recordModule.records.create([{ endpoint: 'large/target', data: respelledValue('b') }], OWNER);
    const ids = [a, b, c].map((record) => record?.id ?? '');
    const move = { from: ENDPOINT, to: 'large/target', records: ids, moveEqual: false };
    expect(await recordModule.moves.move(move, OWNER)).toMatchObject({ moved: [ids[0], ids[2]], equal: [ids[1]] });
    const values = ['a', 'b', 'c', 'd'].map(largeValue);
    const options = { origin: OWNER, compareWith: 'all' } as const;
    expect(await recordModule.records.createDistinct('large/target', values, options)).toHaveLength(1);
  });

  it("are compared only with the caller's own records if it may not read others", async () => {
    await create([largeValue('a')]);
    const options = { origin: APPLICATION, compareWith: 'own' } as const;
    expect(await createDistinct([largeValue('a')], options)).toStrictEqual([largeValue('a')]);
    expect(await createDistinct([respelledValue('a')], options)).toStrictEqual([]);
  });

  it('of others are not examined if the caller may not read them', async () => {
    const admitLongRead = (): void => {
      throw new Failure('rate_limited', 'No thread is needed.');
    };
    const caller = { admitLongRead, requireRight: () => undefined };
    const options = { origin: APPLICATION, compareWith: 'own' } as const;
    await createDistinct(['1'], { ...options, caller });
    const [record] = await create([largeValue('a')]);
    threadError = new ThreadError('limit', 'READ_LIMIT_TIME');
    expect(await createDistinct(['1', '2'], { ...options, caller })).toStrictEqual(['2']);
    await update(record, largeValue('b'));
    expect(await createDistinct(['2', '3'], { ...options, caller })).toStrictEqual(['3']);
    threadError = undefined;
    await create([largeValue('b')], APPLICATION);
    expect(await createDistinct(['3'], options)).toStrictEqual([]);
    expect(requests).toStrictEqual([{ thread: 'others', input: 1 }]);
    expect(await createDistinct([respelledValue('b'), respelledValue('c')])).toStrictEqual([respelledValue('c')]);
  });

  it('do not delay a caller that may not read them while they are compared', async () => {
    await create([largeValue('a')]);
    let concurrentTexts: string[] = [];
    afterReading = async () => {
      afterReading = () => undefined;
      concurrentTexts = await createDistinct(['1'], { origin: APPLICATION, compareWith: 'own' });
    };
    expect(await createDistinct(['1', '2'])).toStrictEqual(['2']);
    expect(concurrentTexts).toStrictEqual(['1']);
  });

  it('leave nothing in the index when they are deleted', async () => {
    const records = await create([largeValue('a'), largeValue('b')]);
    await createDistinct([]);
    expect([countRows('record_digests'), countRows('fingerprints')]).toStrictEqual([2, 2]);
    for (const record of records) await remove(record);
    expect([countRows('record_digests'), countRows('fingerprints')]).toStrictEqual([0, 0]);
  });
});

describe('digests of large values', () => {
  it("are computed in the owner's thread, or in that of all other principals", async () => {
    await create([largeValue('a')]);
    await createDistinct([largeValue('b')]);
    await createDistinct([largeValue('c')], { origin: { kind: 'import', name: 'file', reference: '1' } });
    await createDistinct([largeValue('d')], { origin: APPLICATION });
    expect(requests).toStrictEqual([
      { thread: 'owner', input: 'value' },
      { thread: 'owner', input: 1 },
      { thread: 'owner', input: 'value' },
      { thread: 'owner', input: 1 },
      { thread: 'others', input: 'value' },
      { thread: 'others', input: 1 },
    ]);
  });

  it('are computed again only for changed records', async () => {
    const [firstRecord] = await create([largeValue('a'), largeValue('b'), '1']);
    await createDistinct(['1']);
    await createDistinct(['2']);
    expect(requests.map(({ input }) => input)).toStrictEqual([2]);
    await update(firstRecord, largeValue('c'));
    await createDistinct(['3']);
    expect(requests.map(({ input }) => input)).toStrictEqual([2, 1]);
  });

  it('of stored records are computed for up to 10 MB at once', async () => {
    const text = 'x'.repeat(4_000_000);
    await create(['a', 'b', 'c'].map((name) => `["${name}","${text}"]`));
    expect(await createDistinct(['1'])).toStrictEqual(['1']);
    expect(requests.map(({ input }) => input)).toStrictEqual([2, 1]);
  });

  it('survive a restart, and missing ones are computed after it', async () => {
    await create([largeValue('a')]);
    await createDistinct([]);
    await create([largeValue('b')]);
    threadError = new ThreadError('ended', 'ENDED');
    await expect(createDistinct(['1'])).rejects.toThrow('ended');
    threadError = undefined;
    await recordModule.close();
    recordModule = openModule();
    requests = [];
    expect(await createDistinct(['1'])).toStrictEqual(['1']);
    expect(requests.map(({ input }) => input)).toStrictEqual([1]);
    expect(await createDistinct([respelledValue('a'), respelledValue('b')])).toStrictEqual([]);
  });

  it('count as a long read of the caller', async () => {
    let longReads = 0;
    const caller = { admitLongRead: () => (longReads += 1), requireRight: () => undefined };
    await createDistinct(['1'], { caller });
    expect(longReads).toBe(0);
    await create([largeValue('a')]);
    await createDistinct(['1'], { caller });
    expect(longReads).toBe(1);
    await createDistinct([largeValue('b')], { caller });
    expect(longReads).toBe(2);
  });
});

describe('a comparison with large records that others change', () => {
  it('ignores a digest whose record has changed since it was read', async () => {
    const [record] = await create([largeValue('a')]);
    afterReading = () => {
      afterReading = () => undefined;
      return update(record, largeValue('b'));
    };
    expect(await createDistinct([respelledValue('a'), respelledValue('b')])).toStrictEqual([respelledValue('a')]);
  });

  it('includes a record that is stored at the end of the comparison', async () => {
    await create([largeValue('a')]);
    afterReading = () => {
      afterReading = () => undefined;
      return create([largeValue('b')]);
    };
    expect(await createDistinct([respelledValue('b'), respelledValue('c')])).toStrictEqual([respelledValue('c')]);
  });

  it('notices that an equal record was deleted at the end of the comparison', async () => {
    const [record] = await create([largeValue('a')]);
    afterReading = () => {
      // Requires a second comparison, during which the record is deleted.
      afterReading = () => remove(record);
      return create([largeValue('b')]);
    };
    expect(await createDistinct([respelledValue('a'), respelledValue('b')])).toStrictEqual([respelledValue('a')]);
  });

  it('fails after its deadline while others store more large records, and continues when it is repeated', async () => {
    await create([largeValue('0')]);
    let counter = 0;
    afterReading = () => {
      counter += 1;
      clock.advance(COMPARISON_MAX_MS / 4);
      return create([largeValue(String(counter))]);
    };
    await expect(createDistinct([respelledValue('new')])).rejects.toMatchObject({
      code: 'unavailable',
      reason: expect.stringContaining('Nothing was stored'),
      headers: { 'retry-after': expect.any(String) },
    });
    expect(countRows('records')).toBe(counter + 1);
    afterReading = () => undefined;
    requests = [];
    expect(await createDistinct([respelledValue('new'), respelledValue('2')])).toStrictEqual([respelledValue('new')]);
    expect(requests.map(({ input }) => input)).toStrictEqual(['value', 'value', 1]);
  });

  it('fails if a large record keeps changing, and succeeds when it is repeated', async () => {
    const [record] = await create([largeValue('0')]);
    let counter = 0;
    afterReading = () => {
      clock.advance(COMPARISON_MAX_MS / 2);
      return update(record, largeValue(String((counter += 1))));
    };
    const targets = [{ path: ENDPOINT, upTo: recordModule.records.readNewestSeq() }];
    let runs = 0;
    const write = () => recordModule.records.writeWithCompleteIndexes(targets, { origin: OWNER }, () => (runs += 1));
    await expect(write()).rejects.toMatchObject({ code: 'unavailable' });
    expect(runs).toBe(0);
    afterReading = () => undefined;
    expect(await write()).toBe(1);
  });

  it.skipIf(!IS_THOROUGH_RUN)('succeeds even if a large record changes ten times within the time limit', async () => {
    const [record] = await create([largeValue('0')]);
    let counter = 0;
    afterReading = () => {
      counter += 1;
      clock.advance(1000);
      return counter > 10 ? undefined : update(record, largeValue(String(counter)));
    };
    const targets = [{ path: ENDPOINT, upTo: recordModule.records.readNewestSeq() }];
    expect(await recordModule.records.writeWithCompleteIndexes(targets, { origin: OWNER }, () => counter)).toBe(11);
  });

  it('can fail during a move, which then returns the records that it has already moved', async () => {
    const [smallRecord, changingRecord] = await create(['1', largeValue('0')]);
    let counter = 0;
    afterReading = () => {
      clock.advance(COMPARISON_MAX_MS / 2);
      return update(changingRecord, largeValue(String((counter += 1))));
    };
    const ids = [smallRecord, changingRecord].map((record) => record?.id ?? '');
    const move = { from: ENDPOINT, to: 'large/target', records: ids, moveEqual: false };
    const failure = { code: 'unavailable', headers: { 'retry-after': expect.any(String) } };
    expect(await recordModule.moves.move(move, OWNER)).toMatchObject({
      moved: [smallRecord?.id],
      seqs: [expect.any(Number)],
      error: failure,
    });
    await expect(recordModule.moves.move({ ...move, records: ids.slice(1) }, OWNER)).rejects.toMatchObject(failure);
  });

  it('includes an endpoint that others delete and create again with earlier records', async () => {
    const [movedRecord] = await recordModule.records.create([{ endpoint: 'large/others', data: '1' }], OWNER);
    await create([largeValue('a')]);
    const upTo = recordModule.records.readNewestSeq();
    afterReading = async () => {
      afterReading = () => undefined;
      await recordModule.deletions.deleteEndpoint(ENDPOINT, OWNER);
      const move = { from: 'large/others', to: ENDPOINT, records: [movedRecord?.id ?? ''], moveEqual: true };
      await recordModule.moves.move(move, OWNER);
    };
    const storedRecords = await recordModule.records.writeWithCompleteIndexes(
      [{ path: ENDPOINT, upTo }],
      { origin: OWNER },
      (tx) => recordModule.records.createWithin(tx, [{ endpoint: ENDPOINT, data: '1.0' }], OWNER, upTo),
    );
    expect(storedRecords).toStrictEqual([]);
  });

  it('checks the right of the caller again', async () => {
    await create([largeValue('a')]);
    let hasRight = true;
    const requireRight = (): void => {
      if (!hasRight) throw new Failure('forbidden', 'This right has ended.');
    };
    afterReading = () => (hasRight = false);
    const caller = { admitLongRead: () => undefined, requireRight };
    await expect(createDistinct(['1'], { caller })).rejects.toMatchObject({ code: 'forbidden' });
    expect(countRows('records')).toBe(1);
  });
});

describe('a thread that exceeds its limits', () => {
  it.each([
    ['READ_LIMIT_TIME', 'more time than allowed'],
    ['READ_LIMIT_MEMORY', 'more memory than allowed'],
  ])('(%s) makes the request fail without storing anything', async (code, reason) => {
    await create([largeValue('a')]);
    threadError = new ThreadError('limit', code);
    for (const value of [largeValue('b'), '1'])
      await expect(createDistinct([value])).rejects.toMatchObject({
        code: 'query_limit_exceeded',
        reason: expect.stringContaining(reason),
      });
    expect(countRows('records')).toBe(1);
    threadError = undefined;
    expect(await createDistinct([respelledValue('a'), '1'])).toStrictEqual(['1']);
  });
});
