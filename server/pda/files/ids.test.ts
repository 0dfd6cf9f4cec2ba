import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newId } from '../core/sequence.ts';
import { migrate } from '../storage/migrations/migrator.ts';
import { createWriter, type Writer } from '../storage/writer.ts';
import { assignFileId } from './ids.ts';
import { createFileStore, type FileStore } from './store.ts';

let db: Database.Database;
let store: FileStore;
let writer: Writer;
let lastSeq: number;

beforeEach(() => {
  db = new Database(':memory:');
  migrate(db);
  store = createFileStore(db);
  writer = createWriter(db);
  lastSeq = 0;
});
afterEach(() => db.close());

const add = (name: string): Promise<string> =>
  writer.write((tx) => {
    lastSeq += 1;
    const fileId = assignFileId(store, tx, 'x', name);
    store.insert(tx, {
      seq: lastSeq,
      id: newId(lastSeq),
      file_id: fileId,
      name,
      source: 'x',
      title: null,
      description: null,
      tags: null,
      created: 0,
      updated: 0,
      added: 0,
      status: 'New',
      uploader: 'owner',
      application: null,
      nonce: null,
      size: null,
      sha256: null,
      type: null,
      kind: 'other',
      path: null,
      modified: null,
      inode: null,
    });
    return fileId;
  });

const erase = (fileId: string): Promise<void> =>
  writer.write((tx) => {
    const row = store.findByFileId(fileId);
    if (row === undefined) throw new Error('there is no such file');
    store.eraseCompletely(tx, row);
  });

const slugs = (): string[] => db.prepare<[], string>('SELECT slug FROM file_slugs ORDER BY slug').pluck().all();

it.each(['a', 'a.txt', 'a-2', 'a 2.txt', 'a.my ext', 'a.v-2', 'a-1.v-2', '.', 'ä.'])(
  'leaves no slug after the erasure of all files with this name: %j',
  async (name) => {
    const fileIds = [await add(name), await add(name), await add(name)];
    expect(new Set(fileIds).size).toBe(3);
    for (const [index, fileId] of fileIds.entries()) {
      expect(slugs()).toHaveLength(1);
      await erase(fileId);
      expect(slugs()).toHaveLength(index === 2 ? 0 : 1);
    }
  },
);

it('drops the slug of an erased file although other ids begin with the slug and a number', async () => {
  const fileId = await add('a');
  for (const name of ['a 2b', 'a 3.txt', 'a 4 5']) await add(name);
  await erase(fileId);
  expect(slugs()).toStrictEqual(['xa-2b', 'xa-3.txt', 'xa-4-5']);
});
