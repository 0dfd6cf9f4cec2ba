import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { anApplication } from '../../../../tests/support/applications.ts';
import { applicationSchema } from '../../../wire/applications.ts';
import { migrate } from '../../storage/migrations/migrator.ts';
import { createWriter } from '../../storage/writer.ts';
import { createApplicationStore } from './store.ts';

it('does not cache an approval whose transaction is rolled back', async () => {
  const db = new Database(':memory:');
  migrate(db);
  const store = createApplicationStore(db);
  const definition = applicationSchema.parse(anApplication());
  const failedWrite = createWriter(db).write((tx) => {
    store.approve(tx, { id: 'notes', version: '1.0.0', definition, approved: 0, origin: '' });
    store.find('notes');
    throw new Error('rolled back');
  });
  await expect(failedWrite).rejects.toThrow('rolled back');
  expect([store.find('notes'), store.list()]).toStrictEqual([undefined, []]);
  db.close();
});
