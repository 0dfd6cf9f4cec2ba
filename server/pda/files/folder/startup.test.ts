import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestFolder, type TestFolder } from './harness.test-support.ts';
import { openFolderWatcher, type FolderWatcherParts } from './watcher.ts';

let t: TestFolder;
beforeEach(async () => {
  t = await startTestFolder();
});
afterEach(() => t.remove());

const waitUntilIdle = (): Promise<void> => t.waitUntilIdle();
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (isTrue: () => boolean, condition: string): Promise<void> => {
  for (const end = performance.now() + 20_000; !isTrue(); await pause(5))
    if (performance.now() > end) throw new Error(`timeout while waiting until ${condition}`);
};

const limit = (code: string): Error => Object.assign(new Error(`${code}: no more watchers`), { code });

describe('the first scan after a restart', () => {
  it('registers new, edited, moved and removed files, each once', async () => {
    for (const name of ['stays', 'edited', 'moved', 'copied', 'touched', 'gone'])
      t.put(`a/${name}.txt`, `this is ${name}`);
    await waitUntilIdle();
    const before = new Map(t.all().map((row) => [row.name, row]));
    await t.stop();
    writeFileSync(t.on('a/edited.txt'), 'this is another text');
    mkdirSync(t.on('b'));
    renameSync(t.on('a/moved.txt'), t.on('b/renamed.txt'));
    t.put('b/copied.txt', 'this is copied');
    unlinkSync(t.on('a/copied.txt'));
    utimesSync(t.on('a/touched.txt'), 1_000_000, 1_000_000);
    unlinkSync(t.on('a/gone.txt'));
    t.put('c/new.txt', 'new');
    await t.start();
    const seqOf = (name: string) => before.get(`${name}.txt`)?.seq;
    expect([...t.rows()].map(([path, row]) => [path, row.seq])).toEqual([
      ['a/edited.txt', seqOf('edited')],
      ['a/stays.txt', seqOf('stays')],
      ['a/touched.txt', seqOf('touched')],
      ['b/copied.txt', seqOf('copied')],
      ['b/renamed.txt', seqOf('moved')],
      ['c/new.txt', t.row('c/new.txt').seq],
    ]);
    expect(t.row('a/edited.txt').size).toBe(20);
    expect(t.row('a/stays.txt')).toEqual(before.get('stays.txt'));
    expect(t.store.bySeq(seqOf('gone') ?? 0)).toMatchObject({ status: 'Deleted', deleted_by: 'outside' });
    expect(t.all()).toHaveLength(7);
    expect(t.quota.used()).toBe(t.store.usage().reduce((sum, { bytes }) => sum + bytes, 0));
  });

  it('changes nothing if the folder did not change, for any number of starts', async () => {
    for (let n = 0; n < 20; n += 1) t.put(`a/${n}.txt`, `file ${n}`);
    await waitUntilIdle();
    const before = t.all();
    const notifications = t.notificationCount();
    for (let round = 0; round < 3; round += 1) {
      await t.stop();
      await t.start();
    }
    expect(t.all()).toEqual(before);
    expect(t.notificationCount()).toBe(notifications);
  });

  it('reads no content if only the device number of the disk changed', async () => {
    t.put('a.txt', 'on a disk');
    await waitUntilIdle();
    const { seq, inode, updated } = t.row('a.txt');
    await t.writer.write((tx) =>
      tx.db.prepare("UPDATE files SET inode = '99:' || substr(inode, instr(inode, ':') + 1), sha256 = 'kept'").run(),
    );
    await t.stop();
    await t.start();
    expect(t.row('a.txt')).toMatchObject({ seq, inode, updated, sha256: 'kept' });
  });
});

describe('a missing folder', () => {
  it('is recreated if no known file is missing', async () => {
    await t.stop();
    rmSync(t.root, { recursive: true });
    await t.start();
    expect(t.folder.isWatching()).toBe(true);
    t.put('a.txt', 'a');
    await waitUntilIdle();
    expect(t.rows().size).toBe(1);
  });

  it('changes no file at start, and is watched again when it is back', async () => {
    t.put('a.txt', 'a');
    await waitUntilIdle();
    const before = t.all();
    await t.stop();
    renameSync(t.root, `${t.home}/unplugged`);
    await t.start();
    await pause(300);
    expect(t.all()).toEqual(before);
    expect(t.folder.isWatching()).toBe(false);
    expect(t.logged()).toContain('the files folder is missing');
    renameSync(`${t.home}/unplugged`, t.root);
    t.put('b.txt', 'b');
    await until(() => t.store.hasPath('b.txt'), 'the folder is scanned again');
    await waitUntilIdle();
    expect(t.folder.isWatching()).toBe(true);
    expect(t.row('a.txt')).toEqual(before[0]);
  });

  it('marks nothing as deleted if it is moved away at run time, and is scanned when it is back', async () => {
    t.put('a/one.txt', 'one');
    t.put('a/two.txt', 'two');
    await waitUntilIdle();
    renameSync(t.root, `${t.home}/unplugged`);
    await until(() => !t.folder.isWatching(), 'the folder counts as missing');
    await pause(500);
    expect(t.all().map((row) => row.status)).toEqual(['Completed', 'Completed']);
    unlinkSync(`${t.home}/unplugged/a/one.txt`);
    renameSync(`${t.home}/unplugged`, t.root);
    await until(() => t.folder.isWatching(), 'it is back');
    await waitUntilIdle();
    expect([...t.rows().keys()]).toEqual(['a/two.txt']);
    t.put('a/three.txt', 'watched again');
    await waitUntilIdle();
    expect(t.rows().has('a/three.txt')).toBe(true);
  });

  it('is distinguished from an empty folder on another disk that is mounted at times', async () => {
    t.put('usb/one.txt', 'one');
    t.put('two.txt', 'two');
    await waitUntilIdle();
    await t.writer.write((tx) =>
      tx.db.prepare("UPDATE files SET inode = '99:' || inode WHERE path = 'usb/one.txt'").run(),
    );
    await t.stop();
    unlinkSync(t.on('usb/one.txt'));
    unlinkSync(t.on('two.txt'));
    await t.start();
    expect([...t.rows().keys()], 'only the file on this disk is deleted, the other disk is not mounted').toEqual([
      'usb/one.txt',
    ]);
  });

  it('may be a link to a larger disk', async () => {
    await t.stop();
    renameSync(t.root, `${t.home}/large`);
    symlinkSync(`${t.home}/large`, t.root);
    await t.start();
    t.put('a/b.txt', 'there');
    await waitUntilIdle();
    expect([...t.rows().keys()]).toEqual(['a/b.txt']);
  });
});

describe('a folder that cannot be watched', () => {
  it('is scanned periodically if the system has no watches left, until it can be watched', async () => {
    let isFull = true;
    const openWatcher: typeof openFolderWatcher = (parts) =>
      isFull ? Promise.reject(limit('ENOSPC')) : openFolderWatcher(parts);
    await t.stop();
    await t.start({ openWatcher });
    expect(t.folder.isWatching()).toBe(false);
    expect(t.logged()).toContain('ENOSPC');
    t.put('a/one.txt', 'one');
    await until(() => t.store.hasPath('a/one.txt'), 'the file is found by a scan');
    isFull = false;
    await until(() => t.folder.isWatching(), 'it watches again');
    t.put('a/two.txt', 'two');
    await waitUntilIdle();
    expect(t.rows().size).toBe(2);
  });

  it('is watched again later after a failure of the watcher', async () => {
    const watchers: FolderWatcherParts[] = [];
    await t.stop();
    await t.start({
      openWatcher(parts) {
        watchers.push(parts);
        return openFolderWatcher(parts);
      },
    });
    watchers[0]?.onFailure(limit('EIO'));
    expect(t.folder.isWatching()).toBe(false);
    await until(() => t.folder.isWatching(), 'it is watched again');
    expect(watchers).toHaveLength(2);
    t.put('a/one.txt', 'one');
    await waitUntilIdle();
    expect(t.rows().size).toBe(1);
  });

  it('reports that there are too many files', async () => {
    t.put('a.txt', 'a');
    await waitUntilIdle();
    await t.stop();
    await t.start({ maxWatchedFiles: 0 });
    expect(t.folder.isWatching()).toBe(false);
    expect(t.logged()).toContain('too many files');
    t.put('b.txt', 'found by the walk');
    await waitUntilIdle();
    expect(t.rows().size).toBe(2);
  });
});

describe('closing', () => {
  it('stops the first scan before it is done; the next start registers the rest, each file once', async () => {
    await t.stop();
    const FILES = 600;
    for (let n = 0; n < FILES; n += 1) t.put(`d${n % 30}/${n}.txt`, `file ${n}`);
    const starting = t.start();
    await until(() => t.all().length > 100, 'some are registered');
    await t.folder.close();
    await starting;
    expect(t.all().length).toBeLessThan(FILES);
    await t.stop();
    await t.start();
    expect(t.rows().size).toBe(FILES);
    expect(new Set(t.all().map((row) => row.file_id)).size).toBe(FILES);
  });
});
