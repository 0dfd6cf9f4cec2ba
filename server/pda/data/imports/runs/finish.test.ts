import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestClock } from '../../../../../tests/support/test-pda.ts';
import { Failure } from '../../../../platform/failure.ts';
import { migrate } from '../../../storage/migrations/migrator.ts';
import { createWriter, type Writer } from '../../../storage/writer.ts';
import { createImportStore, type ImportRow, type ImportStore } from '../store.ts';
import { finishImport, runImport } from './finish.ts';
import { createImportRow } from './job-rows.ts';
import { createKindsStore, type KindsStore } from './kinds-store.ts';

const clock = createTestClock();
let writer: Writer;
let store: ImportStore;
let kinds: KindsStore;
beforeEach(() => {
  const db = new Database(':memory:');
  migrate(db);
  writer = createWriter(db);
  store = createImportStore(db);
  kinds = createKindsStore(db);
});

/**
 * Finishes a running import.
 * @returns the endpoints whose cached fields were evicted, each with the state of the import at that time
 */
const finish = async (
  row: Pick<ImportRow, 'id' | 'endpoint'>,
): Promise<[endpoint: string, state: string | undefined][]> => {
  const evictions: [string, string | undefined][] = [];
  const evictFields = (endpoint: string): void => void evictions.push([endpoint, store.find(row.id)?.state]);
  await finishImport({ store, kinds, writer, clock, evictFields }, row, { state: 'done' });
  return evictions;
};

describe('finishImport', () => {
  it('evicts the cached fields of the endpoint before the import is recorded as done', async () => {
    const row = {
      ...createImportRow('days.ndjson', 10, clock.now()),
      state: 'running' as const,
      endpoint: 'diary/days',
    };
    await writer.write((tx) => store.insert(tx, row));
    expect(await finish(row)).toStrictEqual([['diary/days', 'running']]);
    expect(store.find(row.id)).toMatchObject({ state: 'done', finished: clock.now() });
  });

  it('evicts the cached fields of all kinds of an export', async () => {
    const row = { ...createImportRow('export.zip', 10, clock.now()), state: 'running' as const, endpoint: null };
    await writer.write((tx) => {
      store.insert(tx, row);
      kinds.addKind(tx, row.id, 'mail/messages', null);
      kinds.addKind(tx, row.id, 'calendar/events', null);
    });
    expect(await finish(row)).toStrictEqual([
      ['calendar/events', 'running'],
      ['mail/messages', 'running'],
    ]);
    expect(store.find(row.id)?.state).toBe('done');
  });
});

describe('runImport', () => {
  const createRow = () => ({
    ...createImportRow('a.csv', 10, clock.now()),
    state: 'running' as const,
    endpoint: 'a/b',
  });
  /** @returns the outcome of an import that fails with `error` */
  const runAndFail = async (row: ReturnType<typeof createRow>, error: Error, signal = new AbortController().signal) => {
    await writer.write((tx) => store.insert(tx, row));
    const parts = { store, kinds, writer, clock, evictFields: () => undefined };
    return runImport(parts, row, signal, () => Promise.reject(error));
  };

  it.each(['out_of_disk', 'unavailable'] as const)(
    'rethrows the error %s, and the import stays running',
    async (code) => {
      const row = createRow();
      const failure = new Failure(code, 'Not now.');
      await expect(runAndFail(row, failure)).rejects.toBe(failure);
      expect(store.find(row.id)?.state).toBe('running');
    },
  );

  it.each([new Failure('query_limit_exceeded', 'Too large.'), new Error('broken')])(
    'records the error %s as a failure of the import',
    async (error) => {
      const row = createRow();
      expect(await runAndFail(row, error)).toBe('failed');
      expect(store.find(row.id)).toMatchObject({ state: 'failed', error_problem: error.message });
    },
  );

  it('records that the import was cancelled, but not that the server stopped', async () => {
    const failure = new Failure('unavailable', 'Not now.');
    const [stoppedRow, cancelledRow] = [createRow(), createRow()];
    expect(await runAndFail(stoppedRow, failure, AbortSignal.abort('stopping'))).toBe('stopped');
    expect(store.find(stoppedRow.id)?.state).toBe('running');
    expect(await runAndFail(cancelledRow, failure, AbortSignal.abort('cancelled'))).toBe('cancelled');
    expect(store.find(cancelledRow.id)?.state).toBe('cancelled');
  });
});
