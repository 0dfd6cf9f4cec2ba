import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { migrate } from '../../../storage/migrations/migrator.ts';
import { createWriter } from '../../../storage/writer.ts';
import { createSweepStore } from './sweep-store.ts';

it('keeps a deletion with a wrong record count until its last record is erased', async () => {
  const db = new Database(':memory:');
  migrate(db);
  db.exec(`
    INSERT INTO origins (id, kind, name, reference) VALUES (1, 'owner', 'owner', '');
    INSERT INTO endpoints (id, path, deletion) VALUES (1, NULL, 'with a record'), (2, NULL, 'empty');
    INSERT INTO deletions (id, path, endpoint, records, time)
      VALUES ('with a record', 'd/one', 1, 0, 0), ('empty', 'd/two', 2, 0, 0);
    INSERT INTO records (seq, id, endpoint, origin, created, data) VALUES (1, 'x', 1, 1, 0, '1');
  `);
  const sweep = createSweepStore(db, { all: async () => [], exec: async () => undefined });
  const drop = (refs: Parameters<typeof sweep.dropHiddenRecords>[1]): Promise<void> =>
    createWriter(db).write((tx) => sweep.dropHiddenRecords(tx, refs));
  const selectDeletions = db.prepare('SELECT id, records FROM deletions');
  await drop([]);
  expect(selectDeletions.all()).toEqual([{ id: 'with a record', records: 0 }]);
  await drop([{ seq: 1, endpoint: 1, bytes: 1 }]);
  expect(selectDeletions.all()).toEqual([]);
});
