import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLog } from '../../../platform/log.ts';
import { describeOnDatabases } from '../../../platform/postgres/database.test-support.ts';
import { uuidV7 } from '../../../platform/postgres/uuid-v7.ts';
import { startTestExchange, type TestExchange } from '../../exchange.test-support.ts';
import type { Database } from '../../storage/index.ts';
import type { NameEntry } from '../rules.ts';
import { insertAddition } from '../store.ts';
import { createCompactor, type Compactor } from './compactor.ts';

describeOnDatabases('the compaction of statistics', ({ kind, createDatabase }) => {
  let exchange: TestExchange;
  let compactor: Compactor;
  let transactionCount = 0;

  beforeAll(async () => {
    exchange = await startTestExchange({ database: await createDatabase(), compactionIntervalMs: 1e8 });
    const database: Database = {
      ...exchange.exchange.database,
      transact(work) {
        transactionCount += 1;
        return exchange.exchange.database.transact(work);
      },
    };
    const options = { database, clock: exchange.clock, log: silentLog(), minReportingPdas: 1 };
    compactor = createCompactor({ ...options, compactionIntervalMs: 1e8 });
  });
  afterAll(async () => {
    await compactor.close();
    await exchange.close();
  });

  const nameOf = (number: number): NameEntry => ({ endpoint: 'many/names', field: `f${number}`, amount: 1 });
  const add = (names: readonly NameEntry[]): Promise<void> =>
    exchange.exchange.database.transact(async (tx) => {
      const time = exchange.clock.now();
      await insertAddition(tx, { id: uuidV7(time), time, bit: 1, counts: [], names });
    });
  const countWaitingStatements = async (): Promise<number> => {
    const { rows } = await exchange.exchange.database.run((db) =>
      sql<{ count: number }>`SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`.execute(db),
    );
    return rows[0]?.count ?? 0;
  };
  const readNames = (endpoint: string) =>
    exchange.exchange.database.run((db) =>
      db.selectFrom('reported_names').select(['field', 'amount']).where('endpoint', '=', endpoint).execute(),
    );

  it('merges few names at once, so that large reports do not block other requests', async () => {
    // 240,000 characters, more than are merged at once, and 10 times 23,000, of which four are merged at once.
    const largeNames = Array.from({ length: 10_000 }, (_, number) => nameOf(number));
    await add(largeNames);
    for (let count = 0; count < 10; count += 1) await add(largeNames.slice(0, 1000));
    await exchange.exchange.database.run((db) => db.updateTable('count_additions').set({ shard: 3 }).execute());
    transactionCount = 0;
    await compactor.compact();
    expect(transactionCount).toBe(4);
    const amounts = (await readNames('many/names')).map(({ amount }) => amount);
    expect(amounts.filter((amount) => amount === 11)).toHaveLength(1000);
    expect(amounts.filter((amount) => amount === 1)).toHaveLength(9000);
  });

  const mergeConcurrently = async (): Promise<void> => {
    const name = { endpoint: 'expired/name', field: '', amount: 3 };
    await add([name]);
    const { database } = exchange.exchange;
    const otherRow = { ...name, amount: 5, seen: 1, pdas: 1, changed: exchange.clock.now() };
    let compacting: Promise<void> | undefined;
    await database.transact(async (tx) => {
      await tx.insertInto('reported_names').values(otherRow).execute();
      compacting = compactor.compact();
      await expect.poll(() => countWaitingStatements()).toBe(1);
    });
    await compacting;
    expect(await readNames('expired/name')).toEqual([{ field: '', amount: 8 }]);
  };
  // PGlite has one connection, so nothing runs beside a transaction.
  if (kind === 'postgresql') it('loses no values if another process adds the same expired name', mergeConcurrently);
});
