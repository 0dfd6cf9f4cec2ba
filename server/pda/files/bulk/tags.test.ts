import Database from 'better-sqlite3';
import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_BULK_FILES, MAX_FILE_TAGS } from '../../../wire/limits.ts';
import { createTestClock } from '../../../../tests/support/test-pda.ts';
import { migrate } from '../../storage/migrations/migrator.ts';
import { createWriter } from '../../storage/writer.ts';
import { createFileSearchStore } from '../search/store.ts';
import { ownerFilesQuery } from '../../../wire/files.ts';
import { createFileStore } from '../store.ts';
import { createFileTagging } from './tags.ts';

/** Opens a database with files f1, f2 … @param tags tags of each file */
const openFiles = async (tags: readonly string[][]) => {
  const db = new Database(':memory:');
  migrate(db);
  const store = createFileStore(db);
  const writer = createWriter(db);
  const clock = createTestClock();
  let notifications = 0;
  const tagging = createFileTagging({ store, writer, clock, events: { notify: () => void (notifications += 1) } });
  const emptyFields = {
    title: null,
    description: null,
    application: null,
    nonce: null,
    modified: null,
    inode: null,
  } as const;
  await writer.write((tx) =>
    tags.forEach((list, index) => {
      const id = `f${index + 1}`;
      const times = { created: 1, updated: 1, added: 1 };
      const content = { size: 1, sha256: null, type: null, kind: 'other', path: `${id}.txt` } as const;
      const row = {
        seq: index + 1,
        id,
        file_id: id,
        name: `${id}.txt`,
        source: 'test',
        ...times,
        ...content,
        ...emptyFields,
      };
      const text = list.length === 0 ? null : JSON.stringify(list);
      store.insert(tx, { ...row, tags: text, status: 'Completed', uploader: 'owner' });
    }),
  );
  const search = createFileSearchStore(db, store);
  return {
    tagging,
    store,
    writer,
    storedTags: () => tags.map((_, index) => store.findByFileId(`f${index + 1}`)?.tags),
    notificationCount: () => notifications,
    fileIdsWithTag: (tag: string) =>
      search.findOwnerFiles(ownerFilesQuery.parse({ tag, order: 'ascending' })).rows.map((row) => row.file_id),
    close: () => db.close(),
  };
};

describe('tags of many files', () => {
  let files: Awaited<ReturnType<typeof openFiles>>;
  beforeEach(async () => {
    files = await openFiles([['b', 'a'], ['a'], [], ['a'], ['c']]);
    return () => files.close();
  });

  it('are counted, the most frequent first', () => {
    expect(files.tagging.count(['f1', 'f2', 'f2', 'f5', 'none'])).toEqual({
      files: 3,
      tags: [
        { tag: 'a', files: 2 },
        { tag: 'b', files: 1 },
        { tag: 'c', files: 1 },
      ],
    });
  });

  it('are added and removed, found by the search, and restored exactly', async () => {
    const tagsBefore = files.storedTags();
    const result = await files.tagging.change({ fileIds: ['f1', 'f2', 'f3', 'f5'], add: ['c', 'd'], remove: ['a'] });
    expect(files.storedTags()).toEqual(['["b","c","d"]', '["c","d"]', '["c","d"]', '["a"]', '["c","d"]']);
    expect(files.fileIdsWithTag('d')).toEqual(['f1', 'f2', 'f3', 'f5']);
    expect(files.fileIdsWithTag('a')).toEqual(['f4']);
    expect(result.changed).toBe(4);
    expect(files.notificationCount()).toBe(1);
    expect(await files.tagging.assign(result.previousTags)).toBe(4);
    expect(files.storedTags()).toEqual(tagsBefore);
    expect(files.fileIdsWithTag('a')).toEqual(['f1', 'f2', 'f4']);
    expect(files.fileIdsWithTag('d')).toEqual([]);
  });

  it('stay unchanged in files that already have the resulting tags, as does the time of the last change', async () => {
    const result = await files.tagging.change({ fileIds: ['f2', 'f4', 'f5'], add: ['a'], remove: [] });
    expect(result).toEqual({ changed: 1, previousTags: [{ tags: ['c'], fileIds: ['f5'] }] });
    expect(files.store.findByFileId('f2')?.updated).toBe(1);
    expect(files.store.findByFileId('f5')?.updated).toBeGreaterThan(1);
    expect(await files.tagging.change({ fileIds: ['f2'], add: ['a'], remove: [] })).toEqual({
      changed: 0,
      previousTags: [],
    });
    expect(files.notificationCount()).toBe(1);
  });

  it('are changed in all files or in none', async () => {
    const tagsBefore = files.storedTags();
    const change = { fileIds: ['f1', 'gone'], add: ['x'], remove: [] };
    await expect(files.tagging.change(change)).rejects.toMatchObject({ code: 'not_found' });
    const add = Array.from({ length: MAX_FILE_TAGS - 1 }, (_, n) => `tag ${n}`);
    await expect(files.tagging.change({ fileIds: ['f2', 'f1'], add, remove: [] })).rejects.toMatchObject({
      code: 'invalid_input',
      message: `“f1.txt” would have more than ${MAX_FILE_TAGS} tags. Nothing was changed.`,
    });
    await files.writer.write((tx) =>
      files.store.remove(tx, { seq: 5, time: 1, by: 'owner', undo_path: 'f5.txt', inode: null }),
    );
    await expect(files.tagging.change({ ...change, fileIds: ['f1', 'f5'] })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(files.storedTags()).toEqual(tagsBefore);
    expect(files.notificationCount()).toBe(0);
  });

  it('are restored in files that were deleted in the meantime, and files that were erased are left out', async () => {
    const { previousTags } = await files.tagging.change({ fileIds: ['f1', 'f2', 'f5'], add: ['x'], remove: [] });
    await files.writer.write((tx) => {
      files.store.remove(tx, { seq: 1, time: 1, by: 'owner', undo_path: 'f1.txt', inode: null });
      files.store.erase(tx, 5);
    });
    expect(await files.tagging.assign(previousTags)).toBe(2);
    expect(files.store.findByFileId('f1')).toMatchObject({ tags: '["b","a"]', status: 'Deleted' });
  });
});

it('a change that could not be undone with one request is refused', async () => {
  const longTags = Array.from({ length: 20 }, (_, n) => `${n} ${'ä'.repeat(190)}`);
  const files = await openFiles(Array.from({ length: 100 }, (_, n) => [...longTags, `${n}`]));
  const fileIds = Array.from({ length: 100 }, (_, n) => `f${n + 1}`);
  await expect(files.tagging.change({ fileIds, add: ['x'], remove: [] })).rejects.toMatchObject({ code: 'too_large' });
  expect(files.fileIdsWithTag('x')).toEqual([]);
  expect(await files.tagging.change({ fileIds: fileIds.slice(0, 50), add: ['x'], remove: [] })).toMatchObject({
    changed: 50,
  });
  files.close();
});

it('a change of the maximum number of files succeeds', async () => {
  const fileIds = Array.from({ length: MAX_BULK_FILES }, (_, n) => `f${n + 1}`);
  const files = await openFiles(fileIds.map(() => ['a', 'b']));
  const { changed } = await files.tagging.change({ fileIds, add: ['x'], remove: [] });
  expect(changed).toBe(MAX_BULK_FILES);
  files.close();
});
