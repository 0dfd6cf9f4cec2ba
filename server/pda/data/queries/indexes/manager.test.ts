import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { silentLog } from '../../../../platform/log.ts';
import type { DatabaseThread, Transaction, Writer } from '../../../storage/index.ts';
import type { QueryStore } from '../store.ts';
import { createIndexManager, type RequiredIndex } from './manager.ts';

const INDEX = { name: 'i1', endpoint: 7, path: 'a/b', expressionSql: 'data', createSql: 'CREATE INDEX i1 …' };

it('does not retry the build of an index if one record took too long', async () => {
  const builds: string[] = [];
  let pauses = 0;
  const manager = createIndexManager({
    store: { indexes: () => [], addIndex: () => undefined } as unknown as QueryStore,
    writer: {
      write: (job: (tx: Transaction) => unknown) => Promise.resolve(job({} as Transaction)),
      pause() {
        pauses += 1;
        return Promise.resolve(() => (pauses -= 1));
      },
    } as unknown as Writer,
    maintenance: {
      exec(sql: string) {
        builds.push(sql);
        return Promise.reject(Object.assign(new Error('stuck'), { code: 'READ_LIMIT_TIME' }));
      },
    } as unknown as DatabaseThread,
    log: silentLog(),
    collectRequiredIndexes: () => Promise.resolve([INDEX]),
  });
  for (let round = 0; round < 2; round += 1) {
    manager.reconcile();
    await manager.waitUntilIdle();
  }
  expect(builds).toEqual([INDEX.createSql]);
  expect(pauses).toBe(0);
  expect(manager.readyNames().size).toBe(0);
  expect(manager.isAwaited('i1')).toBe(false);
  await manager.close();
});

it('awaits no index if the required indexes cannot be determined', async () => {
  let attempts = 0;
  const manager = createIndexManager({
    store: { indexes: () => [] } as unknown as QueryStore,
    writer: {} as unknown as Writer,
    maintenance: {} as unknown as DatabaseThread,
    log: silentLog(),
    collectRequiredIndexes() {
      attempts += 1;
      return Promise.reject(new Error('disk full'));
    },
  });
  for (let round = 1; round <= 2; round += 1) {
    manager.reconcile();
    await manager.waitUntilIdle();
    expect(attempts).toBe(round);
    expect(manager.isAwaited('i1')).toBe(false);
  }
  await manager.close();
});

it('awaits any index while the required ones are determined, then only a required one until it is ready', async () => {
  const collection = Promise.withResolvers<readonly RequiredIndex[]>();
  const build = Promise.withResolvers<undefined>();
  const manager = createIndexManager({
    store: { indexes: () => [], addIndex: () => undefined, markReady: () => undefined } as unknown as QueryStore,
    writer: {
      write: (job: (tx: Transaction) => unknown) => Promise.resolve(job({} as Transaction)),
      pause: () => Promise.resolve(() => undefined),
    } as unknown as Writer,
    maintenance: { exec: () => build.promise } as unknown as DatabaseThread,
    log: silentLog(),
    collectRequiredIndexes: () => collection.promise,
  });
  const areAwaited = (): boolean[] => ['i1', 'i2'].map((name) => manager.isAwaited(name));
  manager.reconcile();
  expect(areAwaited(), 'while the required indexes are being determined').toEqual([true, true]);
  collection.resolve([INDEX]);
  await collection.promise;
  await nextTurn();
  expect(areAwaited()).toEqual([true, false]);
  build.resolve(undefined);
  await manager.waitUntilIdle();
  expect(areAwaited()).toEqual([false, false]);
  expect([...manager.readyNames()]).toEqual(['i1']);
  await manager.close();
});
