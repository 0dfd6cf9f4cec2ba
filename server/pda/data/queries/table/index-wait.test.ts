import { expect, it } from 'vitest';
import type { TableSelection } from '../../../../wire/table.ts';
import { createTableService, type TableParts } from './service.ts';
import { tableIndex } from './statements.ts';
import type { TableIndexRow } from './store.ts';

const ENDPOINT_ID = 7;
const SELECTION: TableSelection = {
  search: '',
  filters: [],
  sorts: [{ field: 'n', descending: false }],
  oldestFirst: false,
};
const PAGE = { skip: 0, take: 10 };

/** A service over a reader that exceeds its time limit as long as no index is ready. */
const createSlowService = () => {
  const rows: TableIndexRow[] = [];
  const ready = new Set<string>();
  let reads = 0;
  const service = createTableService({
    store: {
      all: () => rows,
      save: (_tx: unknown, { endpoint, columns, used }: TableIndexRow) => rows.push({ endpoint, columns, used }),
      prune: () => undefined,
    },
    endpoints: { summary: () => ({ id: ENDPOINT_ID, records: 1, bytes: 8, last_change: 0 }) },
    reader: {
      numbers() {
        reads += 1;
        return ready.size > 0
          ? Promise.resolve(Float64Array.of(5))
          : Promise.reject(Object.assign(new Error('too slow'), { code: 'READ_LIMIT_TIME' }));
      },
    },
    writer: {
      write(job: (tx: undefined) => void) {
        job(undefined);
        return Promise.resolve();
      },
    },
    indexes: {
      ready: () => ready,
      generation: () => ready.size,
      reconcile: () => undefined,
      checkEndpointId: () => undefined,
    },
    fieldsOf: () => Promise.resolve({ fields: [] }),
    clock: { now: () => 0 },
  } as unknown as TableParts);
  return {
    service,
    reads: () => reads,
    buildIndex() {
      for (const { columns } of rows) ready.add(tableIndex(ENDPOINT_ID, columns).name);
    },
  };
};

it('a read that exceeds its limit asks to retry until its index is built, and is not tried again before', async () => {
  const { service, reads, buildIndex } = createSlowService();
  const failure = { code: 'query_limit_exceeded', headers: { 'retry-after': '5' } };
  await expect(service.page('a/b', SELECTION, PAGE)).rejects.toMatchObject(failure);
  expect(reads()).toBe(1);
  await expect(service.page('a/b', SELECTION, PAGE)).rejects.toMatchObject(failure);
  expect(reads()).toBe(1);
  buildIndex();
  expect(await service.page('a/b', SELECTION, PAGE)).toEqual({ seqs: [5], total: 1, leftOut: 0, indexing: false });
});

it('a read that no index can support only fails', async () => {
  const { service } = createSlowService();
  await expect(service.page('a/b', { ...SELECTION, search: 'x' }, PAGE)).rejects.toMatchObject({
    code: 'query_limit_exceeded',
    headers: {},
  });
});
