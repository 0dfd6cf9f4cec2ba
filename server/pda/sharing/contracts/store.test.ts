import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { migrate } from '../../storage/migrations/migrator.ts';
import { createWriter } from '../../storage/writer.ts';
import { createContractStore } from './store.ts';

it('does not cache a contract whose transaction is rolled back', async () => {
  const db = new Database(':memory:');
  migrate(db);
  const store = createContractStore(db);
  const failedWrite = createWriter(db).write((tx) => {
    store.begin(tx, 'study', 'joining', 0);
    store.find('study');
    throw new Error('rolled back');
  });
  await expect(failedWrite).rejects.toThrow('rolled back');
  expect([store.find('study'), store.list()]).toStrictEqual([undefined, []]);
  db.close();
});
