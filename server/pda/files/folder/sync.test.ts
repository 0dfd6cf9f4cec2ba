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
import { startTestFolder, type TestFolder } from './harness.test-support.ts';

let t: TestFolder;
beforeEach(async () => {
  t = await startTestFolder();
});
afterEach(() => t.remove());

const PICTURE = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000', 'hex');
const waitUntilIdle = (): Promise<void> => t.waitUntilIdle();
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a file dropped into the folder', () => {
  it('becomes a completed file with hash, size and type of its content', async () => {
    t.put('Holiday 2026/Beach.png', PICTURE);
    await waitUntilIdle();
    const row = t.row('Holiday 2026/Beach.png');
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
    const handle = await t.disk.open(row);
    expect(await handle.readFile()).toEqual(PICTURE);
    await handle.close();
    expect(t.quota.used()).toBe(PICTURE.length);
  });

  it('gets its first folder as the source, or "folder" at the top', async () => {
    t.put('letter.txt', 'hello');
    t.put('a/b/c/letter.txt', 'hello there');
    await waitUntilIdle();
    expect(t.row('letter.txt')).toMatchObject({ source: 'folder', file_id: 'folderletter.txt', type: 'text/plain' });
    expect(t.row('a/b/c/letter.txt')).toMatchObject({ source: 'a', name: 'letter.txt', file_id: 'aletter.txt' });
  });

  it('gets a different id for an equal name, and may be empty', async () => {
    t.put('a/x/one.txt', 'first');
    t.put('a/y/one.txt', 'second');
    t.put('a/z/one.txt', '');
    await waitUntilIdle();
    expect(new Set(t.all().map((row) => row.file_id))).toEqual(new Set(['aone.txt', 'aone-1.txt', 'aone-2.txt']));
    expect(t.row('a/z/one.txt')).toMatchObject({ size: 0, status: 'Completed' });
  });

  it('notifies listeners once for many files', async () => {
    for (let n = 0; n < 300; n += 1) t.put(`many/${n}.txt`, `file ${n}`);
    await waitUntilIdle();
    expect(t.rows().size).toBe(300);
    expect(t.notificationCount()).toBeGreaterThan(0);
    expect(t.notificationCount()).toBeLessThan(300);
  });

  it('is registered if its folder is moved in', async () => {
    mkdirSync(`${t.home}/elsewhere/deep`, { recursive: true });
    writeFileSync(`${t.home}/elsewhere/deep/a.txt`, 'a');
    writeFileSync(`${t.home}/elsewhere/b.txt`, 'b');
    renameSync(`${t.home}/elsewhere`, t.on('in'));
    await waitUntilIdle();
    expect([...t.rows().keys()]).toEqual(['in/b.txt', 'in/deep/a.txt']);
    t.put('in/deep/later.txt', 'a later file is registered too');
    await waitUntilIdle();
    expect(t.row('in/deep/later.txt').source).toBe('in');
  });
});

describe('an edit', () => {
  it('changes size, hash and type, and keeps the id', async () => {
    t.put('notes/plan.txt', 'a plan');
    await waitUntilIdle();
    const before = t.row('notes/plan.txt');
    writeFileSync(t.on('notes/plan.txt'), PICTURE);
    await waitUntilIdle();
    expect(t.row('notes/plan.txt')).toMatchObject({ seq: before.seq, type: 'image/png', size: PICTURE.length });
    expect(t.quota.used()).toBe(PICTURE.length);
    expect(t.all()).toHaveLength(1);
  });

  it('keeps the hash if only the modification time changes', async () => {
    t.put('a.txt', 'same');
    await waitUntilIdle();
    const before = t.row('a.txt');
    utimesSync(t.on('a.txt'), 1_000_000, 1_000_000);
    await waitUntilIdle();
    const after = t.row('a.txt');
    expect(after).toMatchObject({ sha256: before.sha256, updated: before.updated, modified: '1000000000000000' });
  });

  it('treats an atomic replacement by an editor as an edit of the same file', async () => {
    t.put('letter.txt', 'first');
    await waitUntilIdle();
    const { seq } = t.row('letter.txt');
    writeFileSync(t.on('letter.new'), 'second');
    renameSync(t.on('letter.new'), t.on('letter.txt'));
    await waitUntilIdle();
    expect(t.all()).toHaveLength(1);
    expect(t.row('letter.txt')).toMatchObject({ seq, size: 6 });
  });

  it('keeps the id if the editor first renames the old file, with or without a remaining backup', async () => {
    t.put('one.txt', 'first one');
    t.put('two.txt', 'first two');
    await waitUntilIdle();
    const [one, two] = [t.row('one.txt').seq, t.row('two.txt').seq];
    renameSync(t.on('one.txt'), t.on('one.txt~'));
    writeFileSync(t.on('one.txt'), 'second one');
    unlinkSync(t.on('one.txt~'));
    renameSync(t.on('two.txt'), t.on('two.bak'));
    writeFileSync(t.on('two.txt'), 'second two');
    await waitUntilIdle();
    expect(t.row('one.txt')).toMatchObject({ seq: one, size: 10 });
    expect(t.row('two.txt')).toMatchObject({ seq: two, size: 10 });
    expect(t.row('two.bak').seq).not.toBe(two);
    expect(t.all().every((row) => row.status === 'Completed')).toBe(true);
  });
});

describe('a moved file', () => {
  const granted = async (path: string): Promise<number> => {
    t.put(path, `content of ${path}`);
    await waitUntilIdle();
    const { seq } = t.row(path);
    await t.writer.write((tx) => {
      t.store.setPublic(tx, seq, true);
      t.store.grant(tx, seq, 'someone', true);
    });
    return seq;
  };

  it('keeps its id and its grants, and changes name and source', async () => {
    const seq = await granted('in/old.txt');
    mkdirSync(t.on('out'));
    renameSync(t.on('in/old.txt'), t.on('out/new.txt'));
    await waitUntilIdle();
    expect(t.all()).toHaveLength(1);
    expect(t.row('out/new.txt')).toMatchObject({ seq, name: 'new.txt', source: 'out', public: 1, status: 'Completed' });
    expect(t.store.grantsOf(seq)).toHaveLength(1);
    expect(t.row('out/new.txt').file_id).toBe('inold.txt');
  });

  it('is recognized after a move to another disk, by copying and deleting', async () => {
    const seq = await granted('in/old.txt');
    copyFileSync(t.on('in/old.txt'), t.on('copied.txt'));
    unlinkSync(t.on('in/old.txt'));
    await waitUntilIdle();
    expect(t.all()).toHaveLength(1);
    expect(t.row('copied.txt')).toMatchObject({ seq, status: 'Completed' });
  });

  it('keeps its id when its whole folder is moved', async () => {
    for (let n = 0; n < 50; n += 1) t.put(`old/deep/${n}.txt`, `file ${n}`);
    await waitUntilIdle();
    const before = new Map(t.all().map((row) => [row.name, row.seq]));
    renameSync(t.on('old'), t.on('new'));
    await waitUntilIdle();
    expect(t.all()).toHaveLength(50);
    for (const [path, row] of t.rows()) {
      expect(path.startsWith('new/deep/')).toBe(true);
      expect(row).toMatchObject({ source: 'new', seq: before.get(row.name) });
    }
    t.put('new/deep/more.txt', 'the moved folder is watched where it is now');
    await waitUntilIdle();
    expect(t.rows().has('new/deep/more.txt')).toBe(true);
  });

  it('keeps a name that the owner chose, and the source of its upload', async () => {
    const row = await t.upload('camera', 'IMG 1.txt', 'a picture');
    await t.writer.write((tx) => t.store.describe(tx, { ...row, name: 'The beach' }));
    renameSync(t.on(row.path ?? ''), t.on('beach.txt'));
    await waitUntilIdle();
    expect(t.row('beach.txt')).toMatchObject({ seq: row.seq, name: 'The beach', source: 'camera', uploader: 'owner' });
  });

  it('is not confused with another file that reuses its inode number', async () => {
    const seq = await granted('public.txt');
    unlinkSync(t.on('public.txt'));
    // File systems reuse a free inode number for the next file.
    for (let n = 0; n < 50; n += 1) t.put(`private/${n}.txt`, `secret ${n}`);
    await waitUntilIdle();
    expect([...t.rows().values()].filter((row) => row.seq === seq || row.public === 1)).toEqual([]);
    expect(t.rows().size).toBe(50);
  });

  it('does not pass its grants to another empty file', async () => {
    t.put('empty.txt', '');
    await waitUntilIdle();
    const { seq } = t.row('empty.txt');
    await t.writer.write((tx) => t.store.setPublic(tx, seq, true));
    t.put('diary.txt', '');
    unlinkSync(t.on('empty.txt'));
    await waitUntilIdle();
    expect(t.row('diary.txt')).toMatchObject({ public: 0 });
    expect(t.row('diary.txt').seq).not.toBe(seq);
  });

  it('counts as two files while it has two hard links, and one can be deleted', async () => {
    t.put('a.txt', 'linked');
    await waitUntilIdle();
    linkSync(t.on('a.txt'), t.on('b.txt'));
    await waitUntilIdle();
    const [a, b] = [t.row('a.txt').seq, t.row('b.txt').seq];
    expect(a).not.toBe(b);
    unlinkSync(t.on('a.txt'));
    await waitUntilIdle();
    expect(t.row('b.txt').seq).toBe(b);
    expect(t.store.bySeq(a)).toMatchObject({ status: 'Deleted', deleted_by: 'outside' });
  });

  it('keeps its content when three files exchange their names', async () => {
    for (const name of ['a', 'b', 'c']) t.put(`${name}.txt`, `this is ${name}`);
    await waitUntilIdle();
    renameSync(t.on('a.txt'), t.on('x.txt'));
    renameSync(t.on('c.txt'), t.on('a.txt'));
    renameSync(t.on('b.txt'), t.on('c.txt'));
    renameSync(t.on('x.txt'), t.on('b.txt'));
    await waitUntilIdle();
    expect([...t.rows().keys()]).toEqual(['a.txt', 'b.txt', 'c.txt']);
    for (const [path, row] of t.rows())
      expect(row.sha256).toBe(
        createHash('sha256')
          .update(readFileSync(t.on(path)))
          .digest('hex'),
      );
  });
});

describe('a missing file', () => {
  it('is marked as deleted outside, keeps its grants, and no longer counts against the quota', async () => {
    t.put('a/one.txt', 'one');
    await waitUntilIdle();
    const { seq } = t.row('a/one.txt');
    await t.writer.write((tx) => t.store.grant(tx, seq, 'someone', true));
    unlinkSync(t.on('a/one.txt'));
    await waitUntilIdle();
    expect(t.store.bySeq(seq)).toMatchObject({ status: 'Deleted', deleted_by: 'outside', path: null, undo_path: null });
    expect(t.store.grantsOf(seq)).toHaveLength(1);
    expect(t.quota.used()).toBe(0);
    expect(t.store.usage().reduce((sum, { bytes }) => sum + bytes, 0)).toBe(0);
  });

  it('keeps its id if it comes back with the same content', async () => {
    t.put('a/one.txt', 'one and only');
    await waitUntilIdle();
    const { seq } = t.row('a/one.txt');
    rmSync(t.on('a'), { recursive: true });
    await waitUntilIdle();
    expect(t.store.bySeq(seq)?.status).toBe('Deleted');
    t.put('b/one.txt', 'one and only');
    await waitUntilIdle();
    expect(t.row('b/one.txt')).toMatchObject({ seq, status: 'Completed', deleted: null, deleted_by: null });
    expect(t.quota.used()).toBe(12);
    t.put('b/other.txt', 'something else');
    await waitUntilIdle();
    expect(t.all()).toHaveLength(2);
  });

  it('is marked as deleted if its whole folder is moved out', async () => {
    for (let n = 0; n < 30; n += 1) t.put(`gone/deep/${n}.txt`, `file ${n}`);
    t.put('stays.txt', 'here');
    await waitUntilIdle();
    renameSync(t.on('gone'), `${t.home}/elsewhere`);
    await waitUntilIdle();
    expect([...t.rows().keys()]).toEqual(['stays.txt']);
    writeFileSync(`${t.home}/elsewhere/deep/new.txt`, 'no longer ours');
    await waitUntilIdle();
    expect(t.all()).toHaveLength(31);
  });

  it('is marked as deleted if a folder replaces it, and the files in the folder are registered', async () => {
    t.put('thing', 'a file');
    await waitUntilIdle();
    const { seq } = t.row('thing');
    unlinkSync(t.on('thing'));
    t.put('thing/inside.txt', 'in a folder');
    await waitUntilIdle();
    expect(t.store.bySeq(seq)?.status).toBe('Deleted');
    expect([...t.rows().keys()]).toEqual(['thing/inside.txt']);
    t.put('thing/later.txt', 'the folder is watched');
    await waitUntilIdle();
    expect([...t.rows().keys()]).toEqual(['thing/inside.txt', 'thing/later.txt']);
  });

  it('is not marked as deleted before the removal delay has passed', async () => {
    let now = Date.now() + 1000;
    await t.stop();
    await t.start({ diskClock: { now: () => now } });
    t.put('a.txt', 'one');
    now += 10_000;
    await waitUntilIdle();
    const { seq } = t.row('a.txt');
    unlinkSync(t.on('a.txt'));
    await pause(100);
    expect(t.store.bySeq(seq)?.status).toBe('Completed');
    now += 199;
    await pause(100);
    expect(t.store.bySeq(seq)?.status).toBe('Completed');
    t.put('a.txt', 'one');
    now += 10_000;
    await waitUntilIdle();
    expect(t.row('a.txt')).toMatchObject({ seq, status: 'Completed' });
  });
});
