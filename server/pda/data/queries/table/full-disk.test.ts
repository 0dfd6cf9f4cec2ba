import { expect, it } from 'vitest';
import { silentLog } from '../../../../platform/log.ts';
import { createWriter } from '../../../storage/writer.ts';
import { createIndexUses } from '../indexes/index-uses.ts';
import { insertRecords, openRecords } from '../sql/database.test-support.ts';
import { createTableService } from './service.ts';
import { createTableStore } from './store.ts';

const ENDPOINT = 7;

it('a slow read succeeds although the use of its index cannot be stored on a full disk', async () => {
  const db = openRecords();
  insertRecords(
    db,
    [3, 1, 2].map((n) => [ENDPOINT, JSON.stringify({ n })] as const),
  );
  db.exec(`CREATE TABLE table_indexes (endpoint TEXT NOT NULL, columns TEXT NOT NULL, used INTEGER NOT NULL,
    PRIMARY KEY (endpoint, columns)) STRICT, WITHOUT ROWID`);
  db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true }) as number}`);
  const store = createTableStore(db);
  const writer = createWriter(db);
  const clock = { now: () => 0 };
  const indexes = {
    readyNames: () => new Set<string>(),
    isAwaited: () => true,
    generation: () => 0,
    checkEndpointId: () => undefined,
    reconcile: () => undefined,
  };
  const table = createTableService({
    store,
    endpoints: {
      summary: () => ({
        id: ENDPOINT,
        path: 'a/b',
        records: 3,
        bytes: 30,
        first_created: null,
        last_created: null,
        last_change: null,
      }),
    },
    reader: {
      all: async <Row>(sql: string, parameters?: readonly unknown[]) =>
        db.prepare(sql).all(...(parameters ?? [])) as Row[],
      numbers: async (sql, parameters, reportWorkTime) => {
        reportWorkTime?.(1000);
        return Float64Array.from(
          (
            db
              .prepare(sql)
              .raw()
              .all(...parameters) as number[][]
          ).flat(),
        );
      },
    },
    indexes,
    indexUses: createIndexUses({ store, writer, indexes, clock, log: silentLog() }),
    fieldsOf: async () => ({ endpoint: 'a/b', name: 'B', corrected: false, sampled: 0, fields: [] }),
    clock,
  });
  // The row for the index of these sorts needs another page of the database.
  const sorts = ['n', 'x'.repeat(8000)].map((field) => ({ field, descending: false }));
  const page = await table.page('a/b', { search: '', filters: [], sorts, oldestFirst: false }, { skip: 0, take: 10 });
  expect(page.seqs).toEqual([2, 3, 1]);
  expect(store.list()).toEqual([]);
});
