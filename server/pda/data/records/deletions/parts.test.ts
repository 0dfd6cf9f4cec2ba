import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findInconsistencies } from '../../../../../tests/support/database-check.ts';
import { dataAt, recordsOf, startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { Failure } from '../../../../platform/failure.ts';
import { TRANSACTION_MAX_BYTES, TRANSACTION_MAX_RECORDS } from '../../../../wire/work-limits.ts';
import { createWriter } from '../../../storage/writer.ts';
import { createDeletionMutex, withProgress } from './deletion-mutex.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

const OWNER = { kind: 'owner', name: 'owner' } as const;
const ENDPOINT = 'd/many';

let pda: TestPda;
beforeEach(async () => {
  pda = await startTestPda();
});
afterEach(() => pda.close());

const create = async (values: unknown[], query = ''): Promise<string[]> =>
  recordsOf(await pda.call('POST', `/api/v2.6/data/${ENDPOINT}${query}`, { json: values })).map(
    (record) => record.recordId,
  );
const numbers = (count: number, from = 0): number[] => Array.from({ length: count }, (_, index) => from + index);

const countPerTransaction = async (kind: 'deleted' | 'restored', work: () => Promise<unknown>): Promise<number[]> => {
  const counts: number[] = [];
  const stopListening = pda.pda.events.listen((events) => {
    counts.push(events.reduce((sum, event) => sum + (event.kind === kind ? event.count : 0), 0));
  });
  await work().finally(stopListening);
  return counts.filter((count) => count > 0);
};

const runAfterNextTransaction = (action: () => void): void => {
  const stopListening = pda.pda.events.listen(() => {
    stopListening();
    action();
  });
};

const withDatabase = <T>(work: (db: Database.Database) => T): T => {
  const db = new Database(`${pda.home}/pda.sqlite`);
  try {
    return work(db);
  } finally {
    db.close();
  }
};
const countRows = (table: string): unknown =>
  withDatabase((db) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());

describe('many deleted records', () => {
  const COUNT = 2 * TRANSACTION_MAX_RECORDS + 50;

  it('are deleted and restored in several transactions, as one deletion', async () => {
    const { deletions } = pda.pda;
    const ids = await create(numbers(COUNT));
    let deletionId = '';
    const deletedCounts = await countPerTransaction('deleted', async () => {
      const deletion = await deletions.deleteRecords(ids, OWNER);
      expect(deletion.records).toBe(COUNT);
      ({ deletionId } = deletion);
    });
    expect(deletedCounts).toEqual([TRANSACTION_MAX_RECORDS, TRANSACTION_MAX_RECORDS, 50]);
    expect(await dataAt(pda, ENDPOINT)).toEqual([]);
    expect(deletions.list({ skip: 0, take: 10 })).toMatchObject([{ deletionId, records: COUNT }]);
    expect(findInconsistencies(pda.home)).toEqual([]);
    const restoredCounts = await countPerTransaction('restored', async () => {
      expect(await deletions.undo(deletionId, OWNER)).toMatchObject({ deletionId, records: COUNT });
    });
    expect(restoredCounts).toEqual(deletedCounts);
    expect(await dataAt(pda, ENDPOINT)).toEqual(numbers(COUNT));
    expect(findInconsistencies(pda.home)).toEqual([]);
    expect([countRows('deletions'), countRows('deleted_records')]).toEqual([0, 0]);
  });

  it('are restored in part in several transactions', async () => {
    const { deletions } = pda.pda;
    const { deletionId } = await deletions.deleteRecords(await create(numbers(COUNT)), OWNER);
    const seqs = withDatabase((db) =>
      db.prepare<[], number>('SELECT seq FROM deleted_records ORDER BY seq LIMIT 150').pluck().all(),
    );
    const counts = await countPerTransaction('restored', async () => {
      expect(await deletions.restore(deletionId, seqs, OWNER)).toEqual({ restored: 150, left: COUNT - 150 });
    });
    expect(counts).toEqual([TRANSACTION_MAX_RECORDS, 50]);
    expect(await dataAt(pda, ENDPOINT)).toEqual(numbers(150));
    expect(await deletions.undo(deletionId, OWNER)).toMatchObject({ records: COUNT - 150 });
    expect(await dataAt(pda, ENDPOINT)).toEqual(numbers(COUNT));
  });

  it.skipIf(!IS_THOROUGH_RUN)('are deleted in transactions that are limited by bytes', async () => {
    const text = 'x'.repeat(TRANSACTION_MAX_BYTES / 2 + 1);
    const ids = await create([text, text, text]);
    const counts = await countPerTransaction('deleted', () => pda.pda.deletions.deleteRecords(ids, OWNER));
    expect(counts).toEqual([2, 1]);
  });

  it('can be restored while they are being deleted: the restoration waits', async () => {
    const { deletions } = pda.pda;
    const ids = await create(numbers(COUNT));
    let deletedCountSoFar = 0;
    let restoration: Promise<unknown> = Promise.resolve();
    runAfterNextTransaction(() => {
      const [entry] = deletions.list({ skip: 0, take: 1 });
      deletedCountSoFar = entry?.records ?? 0;
      restoration = deletions.undo(entry?.deletionId ?? '', OWNER);
    });
    expect(await deletions.deleteRecords(ids, OWNER)).toMatchObject({ records: COUNT });
    expect(deletedCountSoFar).toBe(TRANSACTION_MAX_RECORDS);
    expect(await restoration).toMatchObject({ records: COUNT });
    expect(await dataAt(pda, ENDPOINT)).toEqual(numbers(COUNT));
  });

  it('include changes made during the deletion, and omit records that other requests delete in the meantime', async () => {
    const { deletions, records } = pda.pda;
    const ids = await create(numbers(COUNT));
    const changedId = ids.at(-1) ?? expect.fail('no record');
    const removedId = ids.at(-2) ?? expect.fail('no record');
    let changes: Promise<unknown> = Promise.resolve();
    runAfterNextTransaction(() => {
      changes = Promise.all([
        records.update([{ endpoint: ENDPOINT, recordId: changedId, data: '"changed"' }], OWNER),
        records.remove([removedId], () => true, OWNER),
      ]);
    });
    const { deletionId, records: count } = await deletions.deleteRecords(ids, OWNER);
    await changes;
    expect(count).toBe(COUNT - 1);
    await deletions.undo(deletionId, OWNER);
    expect(await dataAt(pda, ENDPOINT)).toEqual([...numbers(COUNT - 2), 'changed']);
    expect(findInconsistencies(pda.home)).toEqual([]);
  });

  it('each belong to only one of two concurrent deletions', async () => {
    const { deletions } = pda.pda;
    const ids = await create(numbers(COUNT));
    const deletionPair = await Promise.all([
      deletions.deleteRecords(ids, OWNER),
      deletions.deleteRecords(ids.toReversed(), OWNER),
    ]);
    expect(deletionPair.reduce((sum, { records }) => sum + records, 0)).toBe(COUNT);
    await Promise.all(deletionPair.map(({ deletionId }) => deletions.undo(deletionId, OWNER)));
    expect(await dataAt(pda, ENDPOINT)).toEqual(numbers(COUNT));
    expect(findInconsistencies(pda.home)).toEqual([]);
  });

  it.skipIf(!IS_THOROUGH_RUN)('are purged completely after a permanent deletion', async () => {
    const { deletions } = pda.pda;
    const { deletionId } = await deletions.deleteRecords(await create(numbers(1100)), OWNER);
    await deletions.deletePermanently(deletionId);
    expect(deletions.list({ skip: 0, take: 10 })).toEqual([]);
    await deletions.sweep();
    await deletions.sweep();
    expect([countRows('deletions'), countRows('deleted_records')]).toEqual([0, 0]);
  });

  it('are not restored during work that excludes restorations, such as an erasure', async () => {
    const { deletions } = pda.pda;
    const { deletionId } = await deletions.deleteRecords(await create(numbers(3)), OWNER);
    const { promise, resolve } = Promise.withResolvers<void>();
    const exclusion = deletions.runExclusively(() => promise);
    const restoration = deletions.undo(deletionId, OWNER);
    await deletions.sweep();
    expect(await dataAt(pda, ENDPOINT)).toEqual([]);
    resolve();
    await exclusion;
    expect(await restoration).toMatchObject({ records: 3 });
    expect(await dataAt(pda, ENDPOINT)).toEqual(numbers(3));
  });
});

describe('a deleted endpoint at whose path many records have since been stored', () => {
  it('is restored in several transactions, with its import keys', async () => {
    const { deletions } = pda.pda;
    const count = TRANSACTION_MAX_RECORDS + 50;
    await create(numbers(count), '?skipErrors=true');
    withDatabase((db) =>
      db.exec('INSERT INTO import_keys SELECT endpoint, randomblob(16), seq, randomblob(8) FROM records'),
    );
    const { deletionId } = await deletions.deleteEndpoint(ENDPOINT, OWNER);
    await create(numbers(count, count), '?skipErrors=true');
    const counts = await countPerTransaction('restored', async () => {
      expect(await deletions.undo(deletionId, OWNER)).toMatchObject({ records: count });
    });
    expect(counts).toEqual([TRANSACTION_MAX_RECORDS, 50]);
    await deletions.sweep();
    expect(await dataAt(pda, ENDPOINT)).toEqual(numbers(2 * count));
    expect(await create(numbers(2 * count), '?skipErrors=true')).toEqual([]);
    expect(findInconsistencies(pda.home)).toEqual([]);
    const keys = withDatabase((db) =>
      db
        .prepare('SELECT count(*) FROM import_keys AS k JOIN records USING (seq) WHERE k.endpoint = records.endpoint')
        .pluck()
        .get(),
    );
    expect([keys, countRows('import_keys'), countRows('deletions')]).toEqual([count, count, 0]);
  });
});

describe('a restoration that waits for an erasure', () => {
  it('restores nothing of an erased endpoint, not even its path', async () => {
    const { deletions } = pda.pda;
    await create(numbers(3));
    withDatabase((db) =>
      db.exec('INSERT INTO import_keys SELECT endpoint, randomblob(16), seq, randomblob(8) FROM records'),
    );
    const { deletionId } = await deletions.deleteEndpoint(ENDPOINT, OWNER);
    const { records } = deletions.records(deletionId, { after: 0, take: 2 });
    const erasure = deletions.runExclusively(() => {
      withDatabase((db) =>
        db.exec("DELETE FROM deletions; UPDATE endpoints SET deletion = 'for good' WHERE path IS NULL"),
      );
      return Promise.resolve();
    });
    const seqs = records.map(({ seq }) => seq);
    expect(await deletions.restore(deletionId, seqs, OWNER)).toEqual({ restored: 0, left: 0 });
    await erasure;
    const paths = withDatabase((db) => db.prepare('SELECT path FROM endpoints WHERE path IS NOT NULL').all());
    expect(paths).toEqual([]);
  });

  it('fails if the erasure takes too long, and is possible afterwards', async () => {
    const deletionMutex = createDeletionMutex(createWriter(new Database(':memory:')), 1);
    const { promise, resolve } = Promise.withResolvers<void>();
    const erasure = deletionMutex.runExclusively(() => promise);
    await expect(deletionMutex.write(() => 'restored')).rejects.toMatchObject({ code: 'unavailable' });
    resolve();
    await erasure;
    expect(await deletionMutex.write(() => 'restored')).toBe('restored');
  });
});

describe('an endpoint that is deleted in the transaction in which records are stored', () => {
  it('is restored completely in parts, and its number of records is never negative', async () => {
    const { deletions, records } = pda.pda;
    await create([1]);
    const newRecords = ['2', '3'].map((data) => ({ endpoint: ENDPOINT, data }));
    const [, { deletionId }] = await Promise.all([
      records.create(newRecords, OWNER),
      deletions.deleteEndpoint(ENDPOINT, OWNER),
    ]);
    const seqs = deletions.records(deletionId, { after: 0, take: 3 }).records.map(({ seq }) => seq);
    await deletions.restore(deletionId, seqs.slice(0, 2), OWNER);
    expect(deletions.list({ skip: 0, take: 1 })[0]?.records).toBeGreaterThanOrEqual(0);
    await deletions.restore(deletionId, seqs.slice(2), OWNER);
    expect(deletions.list({ skip: 0, take: 1 })).toEqual([]);
    expect(await dataAt(pda, ENDPOINT)).toEqual([1, 2, 3]);
  });
});

describe('a failure of a later transaction', () => {
  it('reports how many records were changed before', () => {
    const failure = new Failure('out_of_disk', 'There is no room left on the disk.');
    expect(withProgress(failure, 300, 'deleted')).toMatchObject({
      code: 'out_of_disk',
      reason: 'There is no room left on the disk. Before that, 300 of the records were deleted.',
    });
    expect(withProgress(failure, 0, 'deleted')).toBe(failure);
    const busyFailure = new Failure('unavailable', 'Others are writing.', { headers: { 'retry-after': '5' } });
    expect(withProgress(busyFailure, 1, 'restored')).toMatchObject({
      code: 'unavailable',
      headers: { 'retry-after': '5' },
    });
  });
});
