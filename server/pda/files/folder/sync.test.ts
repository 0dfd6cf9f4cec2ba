import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDiskClock, startTestFolder, TEST_DELAYS, type TestFolder } from './harness.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

let harness: TestFolder;
beforeEach(async () => {
  harness = await startTestFolder();
});
afterEach(() => harness.remove());

const PICTURE = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000', 'hex');
const waitUntilIdle = (): Promise<void> => harness.waitUntilIdle();

const putSharedFile = async (path: string): Promise<number> => {
  harness.put(path, `content of ${path}`);
  await waitUntilIdle();
  const { seq } = harness.row(path);
  await harness.writer.write((tx) => {
    harness.store.setPublic(tx, seq, true);
    harness.store.grant(tx, seq, 'someone', true);
  });
  return seq;
};

describe('a file dropped into the folder', () => {
  it('becomes a completed file with the hash, size and type of its content', async () => {
    harness.put('Holiday 2026/Beach.png', PICTURE);
    await waitUntilIdle();
    const row = harness.row('Holiday 2026/Beach.png');
    expect(row).toMatchObject({
      name: 'Beach.png',
      source: 'Holiday 2026',
      file_id: 'holiday-2026beach.png',
      status: 'Completed',
      uploader: 'folder',
      application: null,
      public: 0,
      size: PICTURE.length,
      sha256: createHash('sha256').update(PICTURE).digest('hex'),
      type: 'image/png',
      kind: 'image',
      moving: 0,
      nonce: null,
    });
    const handle = await harness.disk.open(row);
    expect(await handle.readFile()).toEqual(PICTURE);
    await handle.close();
    expect(harness.quota.getUsedBytes()).toBe(PICTURE.length);
  });

  it('gets its first folder as the source, or "folder" at the top level', async () => {
    harness.put('letter.txt', 'hello');
    harness.put('a/b/c/letter.txt', 'hello there');
    await waitUntilIdle();
    expect(harness.row('letter.txt')).toMatchObject({
      source: 'folder',
      file_id: 'folderletter.txt',
      type: 'text/plain',
    });
    expect(harness.row('a/b/c/letter.txt')).toMatchObject({ source: 'a', name: 'letter.txt', file_id: 'aletter.txt' });
  });

  it('gets a different id if another file has the same name, and may be empty', async () => {
    harness.put('a/x/one.txt', 'first');
    harness.put('a/y/one.txt', 'second');
    harness.put('a/z/one.txt', '');
    await waitUntilIdle();
    expect(new Set(harness.allRows().map((row) => row.file_id))).toEqual(
      new Set(['aone.txt', 'aone-1.txt', 'aone-2.txt']),
    );
    expect(harness.row('a/z/one.txt')).toMatchObject({ size: 0, status: 'Completed' });
  });

  it.skipIf(!IS_THOROUGH_RUN)('shares notifications with other files that are dropped at the same time', async () => {
    for (let n = 0; n < 300; n += 1) harness.put(`many/${n}.txt`, `file ${n}`);
    await waitUntilIdle();
    expect(harness.rows().size).toBe(300);
    expect(harness.notificationCount()).toBeGreaterThan(0);
    expect(harness.notificationCount()).toBeLessThan(300);
  });

  it('is registered if its folder is moved in', async () => {
    mkdirSync(`${harness.home}/elsewhere/deep`, { recursive: true });
    writeFileSync(`${harness.home}/elsewhere/deep/a.txt`, 'a');
    writeFileSync(`${harness.home}/elsewhere/b.txt`, 'b');
    renameSync(`${harness.home}/elsewhere`, harness.pathOf('in'));
    await waitUntilIdle();
    expect([...harness.rows().keys()]).toEqual(['in/b.txt', 'in/deep/a.txt']);
    harness.put('in/deep/later.txt', 'a later file is registered too');
    await waitUntilIdle();
    expect(harness.row('in/deep/later.txt').source).toBe('in');
  });
});

describe('an edit', () => {
  it('changes size, hash and type, and keeps the id', async () => {
    harness.put('notes/plan.txt', 'a plan');
    await waitUntilIdle();
    const initialRow = harness.row('notes/plan.txt');
    writeFileSync(harness.pathOf('notes/plan.txt'), PICTURE);
    await waitUntilIdle();
    expect(harness.row('notes/plan.txt')).toMatchObject({
      seq: initialRow.seq,
      type: 'image/png',
      size: PICTURE.length,
      sha256: createHash('sha256').update(PICTURE).digest('hex'),
    });
    expect(harness.quota.getUsedBytes()).toBe(PICTURE.length);
    expect(harness.allRows()).toHaveLength(1);
  });

  it('keeps the hash if only the modification time changes', async () => {
    harness.put('a.txt', 'same');
    await waitUntilIdle();
    const initialRow = harness.row('a.txt');
    utimesSync(harness.pathOf('a.txt'), 1_000_000, 1_000_000);
    await waitUntilIdle();
    const currentRow = harness.row('a.txt');
    expect(currentRow).toMatchObject({
      sha256: initialRow.sha256,
      updated: initialRow.updated,
      modified: '1000000000000000',
    });
  });

  it('can be an atomic replacement of the file by an editor', async () => {
    harness.put('letter.txt', 'first');
    await waitUntilIdle();
    const { seq } = harness.row('letter.txt');
    writeFileSync(harness.pathOf('letter.new'), 'second');
    renameSync(harness.pathOf('letter.new'), harness.pathOf('letter.txt'));
    await waitUntilIdle();
    expect(harness.allRows()).toHaveLength(1);
    expect(harness.row('letter.txt')).toMatchObject({ seq, size: 6 });
  });

  it('keeps the id if the editor first renames the old file, with or without a remaining backup', async () => {
    harness.put('one.txt', 'first one');
    harness.put('two.txt', 'first two');
    await waitUntilIdle();
    const [firstSeq, secondSeq] = [harness.row('one.txt').seq, harness.row('two.txt').seq];
    renameSync(harness.pathOf('one.txt'), harness.pathOf('one.txt~'));
    writeFileSync(harness.pathOf('one.txt'), 'second one');
    unlinkSync(harness.pathOf('one.txt~'));
    renameSync(harness.pathOf('two.txt'), harness.pathOf('two.bak'));
    writeFileSync(harness.pathOf('two.txt'), 'second two');
    await waitUntilIdle();
    expect(harness.row('one.txt')).toMatchObject({ seq: firstSeq, size: 10 });
    expect(harness.row('two.txt')).toMatchObject({ seq: secondSeq, size: 10 });
    expect(harness.row('two.bak').seq).not.toBe(secondSeq);
    expect(harness.allRows().every((row) => row.status === 'Completed')).toBe(true);
  });
});

describe('a moved file', () => {
  it('keeps its id and its grants, and changes name and source', async () => {
    const seq = await putSharedFile('in/old.txt');
    mkdirSync(harness.pathOf('out'));
    renameSync(harness.pathOf('in/old.txt'), harness.pathOf('out/new.txt'));
    await waitUntilIdle();
    expect(harness.allRows()).toHaveLength(1);
    expect(harness.row('out/new.txt')).toMatchObject({
      seq,
      name: 'new.txt',
      source: 'out',
      public: 1,
      status: 'Completed',
    });
    expect(harness.store.grantsOf(seq)).toHaveLength(1);
    expect(harness.row('out/new.txt').file_id).toBe('inold.txt');
  });

  it('is recognised if it was copied and then deleted, as in a move between disks', async () => {
    const seq = await putSharedFile('in/old.txt');
    copyFileSync(harness.pathOf('in/old.txt'), harness.pathOf('copied.txt'));
    unlinkSync(harness.pathOf('in/old.txt'));
    await waitUntilIdle();
    expect(harness.allRows()).toHaveLength(1);
    expect(harness.row('copied.txt')).toMatchObject({ seq, status: 'Completed' });
  });

  it('keeps its id when its whole folder is moved', async () => {
    for (let n = 0; n < 50; n += 1) harness.put(`old/deep/${n}.txt`, `file ${n}`);
    await waitUntilIdle();
    const initialSeqs = new Map(harness.allRows().map((row) => [row.name, row.seq]));
    renameSync(harness.pathOf('old'), harness.pathOf('new'));
    await waitUntilIdle();
    expect(harness.allRows()).toHaveLength(50);
    for (const [path, row] of harness.rows()) {
      expect(path.startsWith('new/deep/')).toBe(true);
      expect(row).toMatchObject({ source: 'new', seq: initialSeqs.get(row.name) });
    }
    harness.put('new/deep/more.txt', 'the moved folder is watched where it is now');
    await waitUntilIdle();
    expect(harness.rows().has('new/deep/more.txt')).toBe(true);
  });

  it('keeps a name that the owner chose, and the source of its upload', async () => {
    const row = await harness.upload('camera', 'IMG 1.txt', 'a picture');
    await harness.writer.write((tx) => harness.store.describe(tx, { ...row, name: 'The beach' }));
    renameSync(harness.pathOf(row.path ?? ''), harness.pathOf('beach.txt'));
    await waitUntilIdle();
    expect(harness.row('beach.txt')).toMatchObject({
      seq: row.seq,
      name: 'The beach',
      source: 'camera',
      uploader: 'owner',
    });
  });

  it('has the hash of its content after three files have exchanged their names', async () => {
    for (const name of ['a', 'b', 'c']) harness.put(`${name}.txt`, `this is ${name}`);
    await waitUntilIdle();
    renameSync(harness.pathOf('a.txt'), harness.pathOf('x.txt'));
    renameSync(harness.pathOf('c.txt'), harness.pathOf('a.txt'));
    renameSync(harness.pathOf('b.txt'), harness.pathOf('c.txt'));
    renameSync(harness.pathOf('x.txt'), harness.pathOf('b.txt'));
    await waitUntilIdle();
    expect([...harness.rows().keys()]).toEqual(['a.txt', 'b.txt', 'c.txt']);
    for (const [path, row] of harness.rows())
      expect(row.sha256).toBe(
        createHash('sha256')
          .update(readFileSync(harness.pathOf(path)))
          .digest('hex'),
      );
  });
});

describe('a deleted or linked file', () => {
  it('is not confused with another file that reuses its inode number', async () => {
    const seq = await putSharedFile('public.txt');
    unlinkSync(harness.pathOf('public.txt'));
    // File systems reuse a free inode number for the next file.
    for (let n = 0; n < 50; n += 1) harness.put(`private/${n}.txt`, `secret ${n}`);
    await waitUntilIdle();
    expect([...harness.rows().values()].filter((row) => row.seq === seq || row.public === 1)).toEqual([]);
    expect(harness.rows().size).toBe(50);
  });

  it('passes neither its id nor its public access to another empty file', async () => {
    harness.put('empty.txt', '');
    await waitUntilIdle();
    const { seq } = harness.row('empty.txt');
    await harness.writer.write((tx) => harness.store.setPublic(tx, seq, true));
    harness.put('diary.txt', '');
    unlinkSync(harness.pathOf('empty.txt'));
    await waitUntilIdle();
    expect(harness.row('diary.txt')).toMatchObject({ public: 0 });
    expect(harness.row('diary.txt').seq).not.toBe(seq);
  });

  it('counts as two files while it has two hard links, and one can be deleted', async () => {
    harness.put('a.txt', 'linked');
    await waitUntilIdle();
    linkSync(harness.pathOf('a.txt'), harness.pathOf('b.txt'));
    await waitUntilIdle();
    const [firstSeq, secondSeq] = [harness.row('a.txt').seq, harness.row('b.txt').seq];
    expect(firstSeq).not.toBe(secondSeq);
    unlinkSync(harness.pathOf('a.txt'));
    await waitUntilIdle();
    expect(harness.row('b.txt').seq).toBe(secondSeq);
    expect(harness.store.findBySeq(firstSeq)).toMatchObject({ status: 'Deleted', deleted_by: 'outside' });
  });
});

describe('a missing file', () => {
  it('is marked as deleted outside the PDA, keeps its grants, and no longer counts against the quota', async () => {
    harness.put('a/one.txt', 'one');
    await waitUntilIdle();
    const { seq } = harness.row('a/one.txt');
    await harness.writer.write((tx) => harness.store.grant(tx, seq, 'someone', true));
    unlinkSync(harness.pathOf('a/one.txt'));
    await waitUntilIdle();
    expect(harness.store.findBySeq(seq)).toMatchObject({
      status: 'Deleted',
      deleted_by: 'outside',
      path: null,
      undo_path: null,
    });
    expect(harness.store.grantsOf(seq)).toHaveLength(1);
    expect(harness.quota.getUsedBytes()).toBe(0);
    expect(harness.store.usage().reduce((sum, { bytes }) => sum + bytes, 0)).toBe(0);
  });

  it('keeps its id if it comes back with the same content', async () => {
    harness.put('a/one.txt', 'one and only');
    await waitUntilIdle();
    const { seq } = harness.row('a/one.txt');
    rmSync(harness.pathOf('a'), { recursive: true });
    await waitUntilIdle();
    expect(harness.store.findBySeq(seq)?.status).toBe('Deleted');
    harness.put('b/one.txt', 'one and only');
    await waitUntilIdle();
    expect(harness.row('b/one.txt')).toMatchObject({ seq, status: 'Completed', deleted: null, deleted_by: null });
    expect(harness.quota.getUsedBytes()).toBe(12);
    harness.put('b/other.txt', 'something else');
    await waitUntilIdle();
    expect(harness.allRows()).toHaveLength(2);
  });

  it('is marked as deleted if its whole folder is moved out', async () => {
    for (let n = 0; n < 30; n += 1) harness.put(`gone/deep/${n}.txt`, `file ${n}`);
    harness.put('stays.txt', 'here');
    await waitUntilIdle();
    renameSync(harness.pathOf('gone'), `${harness.home}/elsewhere`);
    await waitUntilIdle();
    expect([...harness.rows().keys()]).toEqual(['stays.txt']);
    writeFileSync(`${harness.home}/elsewhere/deep/new.txt`, 'no longer ours');
    await waitUntilIdle();
    expect(harness.allRows()).toHaveLength(31);
  });

  it('is marked as deleted if a folder replaces it, and the files in the folder are registered', async () => {
    harness.put('thing', 'a file');
    await waitUntilIdle();
    const { seq } = harness.row('thing');
    unlinkSync(harness.pathOf('thing'));
    harness.put('thing/inside.txt', 'in a folder');
    await waitUntilIdle();
    expect(harness.store.findBySeq(seq)?.status).toBe('Deleted');
    expect([...harness.rows().keys()]).toEqual(['thing/inside.txt']);
    harness.put('thing/later.txt', 'the folder is watched');
    await waitUntilIdle();
    expect([...harness.rows().keys()]).toEqual(['thing/inside.txt', 'thing/later.txt']);
  });

  it('is not marked as deleted before the removal delay has passed', async () => {
    const diskClock = createDiskClock();
    diskClock.advance(1000);
    await harness.stop();
    await harness.start({ diskClock });
    harness.put('a.txt', 'one');
    diskClock.advance(10_000);
    await waitUntilIdle();
    const { seq } = harness.row('a.txt');
    unlinkSync(harness.pathOf('a.txt'));
    await diskClock.waitUntilCompared();
    expect(harness.store.findBySeq(seq)?.status).toBe('Completed');
    diskClock.advance(TEST_DELAYS.removalMs - 1);
    await diskClock.waitUntilCompared();
    expect(harness.store.findBySeq(seq)?.status).toBe('Completed');
    harness.put('a.txt', 'one');
    diskClock.advance(10_000);
    await waitUntilIdle();
    expect(harness.row('a.txt')).toMatchObject({ seq, status: 'Completed' });
  });
});
