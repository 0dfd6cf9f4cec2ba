import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_COLLECTION_FILES, MAX_COLLECTIONS } from '../../../wire/limits.ts';
import { migrate } from '../../storage/migrations/migrator.ts';
import { createWriter, type Writer } from '../../storage/writer.ts';
import { createFileStore } from '../store.ts';
import { createCollectionService, type CollectionService } from './service.ts';
import { createCollectionStore } from './store.ts';

let db: Database.Database;
let writer: Writer;
let collections: CollectionService;
beforeEach(() => {
  db = new Database(':memory:');
  db.pragma('foreign_keys = ON');
  migrate(db);
  writer = createWriter(db);
  collections = createCollectionService({
    store: createCollectionStore(db),
    files: createFileStore(db),
    writer,
    events: { notify: () => undefined },
    clock: { now: () => 0 },
  });
});
afterEach(async () => {
  await writer.close();
  db.close();
});

describe('the limits of collections', () => {
  it('refuse one collection too many', async () => {
    const insert = db.prepare('INSERT INTO collections (id, name, name_key, created) VALUES (:id, :id, :id, 0)');
    db.transaction(() => {
      for (let number = 1; number < MAX_COLLECTIONS; number += 1) insert.run({ id: `c${number}` });
    })();
    await collections.create('the last one');
    await expect(collections.create('one too many')).rejects.toThrow(
      'There can be at most 1000 collections. Delete one first.',
    );
    expect(collections.list()).toHaveLength(MAX_COLLECTIONS);
  });

  it('refuse one file too many, and count no deleted files', async () => {
    const { collectionId } = await collections.create('Trip');
    const insertFile = db.prepare(
      `INSERT INTO files (seq, id, file_id, name, source, created, updated, added, status, uploader)
       VALUES (:seq, :id, :id, '', '', 0, 0, 0, 'Completed', 'folder')`,
    );
    const insert = db.prepare('INSERT INTO collection_files (collection, position, seq) VALUES (?, ?, ?)');
    db.transaction(() => {
      for (let seq = 1; seq <= MAX_COLLECTION_FILES + 2; seq += 1) insertFile.run({ seq, id: String(seq) });
      for (let seq = 1; seq < MAX_COLLECTION_FILES; seq += 1) insert.run(collectionId, seq, seq);
    })();
    const count = () => db.prepare('SELECT count(*) FROM collection_files').pluck().get();
    const [lastFileId, excessFileId] = [`${MAX_COLLECTION_FILES}`, `${MAX_COLLECTION_FILES + 1}`];
    // Adds all files or none.
    await expect(collections.addFiles(collectionId, [lastFileId, excessFileId])).rejects.toThrow(
      'A collection can contain up to 10000 files.',
    );
    expect(count()).toBe(MAX_COLLECTION_FILES - 1);
    await collections.addFiles(collectionId, [lastFileId, '1']);
    db.exec("UPDATE files SET status = 'Deleted' WHERE seq = 1");
    await collections.addFiles(collectionId, [excessFileId]);
    await expect(collections.addFiles(collectionId, [`${MAX_COLLECTION_FILES + 2}`])).rejects.toThrow('10000 files');
  });
});
