import {
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestFolder, type TestFolder } from './harness.test-support.ts';
import { openFolderWatcher, type FolderWatcherParts } from './watcher.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

let harness: TestFolder;
beforeEach(async () => {
  harness = await startTestFolder();
});
afterEach(() => harness.remove());

const waitUntilIdle = (): Promise<void> => harness.waitUntilIdle();
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const waitUntil = async (isTrue: () => boolean, condition: string): Promise<void> => {
  for (const deadline = performance.now() + 60_000; !isTrue(); await pause(5))
    if (performance.now() > deadline) throw new Error(`timeout while waiting until ${condition}`);
};

/** Waits for several more checks for the missing folder. */
const waitForMissingChecks = async (): Promise<void> => {
  // Each check also asks whether files are known.
  const checks = vi.spyOn(harness.store, 'filesAfterPath');
  await waitUntil(() => checks.mock.calls.length >= 3, 'the missing folder has been checked again');
  checks.mockRestore();
};

const watchError = (code: string): Error => Object.assign(new Error(`${code}: no more watchers`), { code });

describe('the first scan after a restart', () => {
  it('detects new, edited, moved and removed files, each once', async () => {
    for (const name of ['stays', 'edited', 'moved', 'copied', 'touched', 'gone'])
      harness.put(`a/${name}.txt`, `this is ${name}`);
    await waitUntilIdle();
    const initialRows = new Map(harness.allRows().map((row) => [row.name, row]));
    await harness.stop();
    writeFileSync(harness.pathOf('a/edited.txt'), 'this is another text');
    mkdirSync(harness.pathOf('b'));
    renameSync(harness.pathOf('a/moved.txt'), harness.pathOf('b/renamed.txt'));
    harness.put('b/copied.txt', 'this is copied');
    unlinkSync(harness.pathOf('a/copied.txt'));
    utimesSync(harness.pathOf('a/touched.txt'), 1_000_000, 1_000_000);
    unlinkSync(harness.pathOf('a/gone.txt'));
    harness.put('c/new.txt', 'new');
    await harness.start();
    const seqOf = (name: string) => initialRows.get(`${name}.txt`)?.seq;
    expect([...harness.rows()].map(([path, row]) => [path, row.seq])).toEqual([
      ['a/edited.txt', seqOf('edited')],
      ['a/stays.txt', seqOf('stays')],
      ['a/touched.txt', seqOf('touched')],
      ['b/copied.txt', seqOf('copied')],
      ['b/renamed.txt', seqOf('moved')],
      ['c/new.txt', harness.row('c/new.txt').seq],
    ]);
    expect(harness.row('a/edited.txt').size).toBe(20);
    expect(harness.row('a/stays.txt')).toEqual(initialRows.get('stays.txt'));
    expect(harness.store.findBySeq(seqOf('gone') ?? 0)).toMatchObject({ status: 'Deleted', deleted_by: 'outside' });
    expect(harness.allRows()).toHaveLength(7);
    expect(harness.quota.getUsedBytes()).toBe(harness.store.usage().reduce((sum, { bytes }) => sum + bytes, 0));
  });

  it.skipIf(!IS_THOROUGH_RUN)('changes nothing during several restarts if the folder did not change', async () => {
    for (let n = 0; n < 20; n += 1) harness.put(`a/${n}.txt`, `file ${n}`);
    await waitUntilIdle();
    const initialRows = harness.allRows();
    const notifications = harness.notificationCount();
    for (let round = 0; round < 3; round += 1) {
      await harness.stop();
      await harness.start();
    }
    expect(harness.allRows()).toEqual(initialRows);
    expect(harness.notificationCount()).toBe(notifications);
  });

  it('reads no content if only the device number of the disk changed', async () => {
    harness.put('a.txt', 'on a disk');
    await waitUntilIdle();
    const { seq, inode, updated } = harness.row('a.txt');
    await harness.writer.write((tx) =>
      tx.db.prepare("UPDATE files SET inode = '99:' || substr(inode, instr(inode, ':') + 1), sha256 = 'kept'").run(),
    );
    await harness.stop();
    await harness.start();
    expect(harness.row('a.txt')).toMatchObject({ seq, inode, updated, sha256: 'kept' });
  });
});

describe('a missing folder', () => {
  it.skipIf(!IS_THOROUGH_RUN)('is recreated if no files are known', async () => {
    await harness.stop();
    rmSync(harness.root, { recursive: true });
    await harness.start();
    expect(harness.folder.isWatching()).toBe(true);
    harness.put('a.txt', 'a');
    await waitUntilIdle();
    expect(harness.rows().size).toBe(1);
  });

  it('is not created in a folder that replaces the home, for example after its disk was removed', async () => {
    const elsewhere = `${harness.home}-elsewhere`;
    renameSync(harness.home, elsewhere);
    mkdirSync(harness.home);
    // The watcher follows the moved folder and reports this change.
    renameSync(`${elsewhere}/files`, `${elsewhere}/unplugged`);
    await waitForMissingChecks();
    expect(readdirSync(harness.home)).toEqual([]);
    rmdirSync(harness.home);
    renameSync(`${elsewhere}/unplugged`, `${elsewhere}/files`);
    renameSync(elsewhere, harness.home);
    await waitUntil(() => harness.folder.isWatching(), 'the folder is back');
  });

  it.skipIf(!IS_THOROUGH_RUN)('causes no changes at start, and is watched again when it is back', async () => {
    harness.put('a.txt', 'a');
    await waitUntilIdle();
    const initialRows = harness.allRows();
    await harness.stop();
    renameSync(harness.root, `${harness.home}/unplugged`);
    await harness.start();
    await waitForMissingChecks();
    expect(harness.allRows()).toEqual(initialRows);
    expect(harness.folder.isWatching()).toBe(false);
    expect(harness.logText()).toContain('the files folder is missing');
    renameSync(`${harness.home}/unplugged`, harness.root);
    harness.put('b.txt', 'b');
    await waitUntil(() => harness.store.hasPath('b.txt'), 'the folder is scanned again');
    await waitUntilIdle();
    expect(harness.folder.isWatching()).toBe(true);
    expect(harness.row('a.txt')).toEqual(initialRows[0]);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'causes no deletions if it is moved away at run time, and is scanned when it is back',
    async () => {
      harness.put('a/one.txt', 'one');
      harness.put('a/two.txt', 'two');
      await waitUntilIdle();
      renameSync(harness.root, `${harness.home}/unplugged`);
      await waitUntil(() => !harness.folder.isWatching(), 'the folder counts as missing');
      await waitForMissingChecks();
      expect(harness.allRows().map((row) => row.status)).toEqual(['Completed', 'Completed']);
      unlinkSync(`${harness.home}/unplugged/a/one.txt`);
      renameSync(`${harness.home}/unplugged`, harness.root);
      await waitUntil(() => harness.folder.isWatching(), 'the folder is back');
      await waitUntilIdle();
      expect([...harness.rows().keys()]).toEqual(['a/two.txt']);
      harness.put('a/three.txt', 'watched again');
      await waitUntilIdle();
      expect(harness.rows().has('a/three.txt')).toBe(true);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('can be on an unmounted disk, whose files are not marked as deleted', async () => {
    harness.put('usb/one.txt', 'one');
    harness.put('two.txt', 'two');
    await waitUntilIdle();
    await harness.writer.write((tx) =>
      tx.db.prepare("UPDATE files SET inode = '99:' || inode WHERE path = 'usb/one.txt'").run(),
    );
    await harness.stop();
    unlinkSync(harness.pathOf('usb/one.txt'));
    unlinkSync(harness.pathOf('two.txt'));
    await harness.start();
    expect([...harness.rows().keys()], 'only the file on this disk is deleted; the other disk is not mounted').toEqual([
      'usb/one.txt',
    ]);
  });

  it.skipIf(!IS_THOROUGH_RUN)('is not assumed if the folder is a link to a larger disk', async () => {
    await harness.stop();
    renameSync(harness.root, `${harness.home}/large`);
    symlinkSync(`${harness.home}/large`, harness.root);
    await harness.start();
    harness.put('a/b.txt', 'there');
    await waitUntilIdle();
    expect([...harness.rows().keys()]).toEqual(['a/b.txt']);
  });
});

describe('a folder that cannot be watched', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'is scanned periodically if the system has no watches left, until it can be watched',
    async () => {
      let hasNoWatchesLeft = true;
      const openWatcher: typeof openFolderWatcher = (parts) =>
        hasNoWatchesLeft ? Promise.reject(watchError('ENOSPC')) : openFolderWatcher(parts);
      await harness.stop();
      await harness.start({ openWatcher });
      expect(harness.folder.isWatching()).toBe(false);
      expect(harness.logText()).toContain('ENOSPC');
      harness.put('a/one.txt', 'one');
      await waitUntil(() => harness.store.hasPath('a/one.txt'), 'the file is found by a scan');
      hasNoWatchesLeft = false;
      await waitUntil(() => harness.folder.isWatching(), 'the folder is watched again');
      harness.put('a/two.txt', 'two');
      await waitUntilIdle();
      expect(harness.rows().size).toBe(2);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('is watched again some time after a failure of the watcher', async () => {
    const watchers: FolderWatcherParts[] = [];
    await harness.stop();
    await harness.start({
      openWatcher(parts) {
        watchers.push(parts);
        return openFolderWatcher(parts);
      },
    });
    watchers[0]?.onFailure(watchError('EIO'));
    expect(harness.folder.isWatching()).toBe(false);
    await waitUntil(() => harness.folder.isWatching(), 'the folder is watched again');
    expect(watchers).toHaveLength(2);
    harness.put('a/one.txt', 'one');
    await waitUntilIdle();
    expect(harness.rows().size).toBe(1);
  });

  it('is scanned periodically if there are too many files, which is logged', async () => {
    harness.put('a.txt', 'a');
    await waitUntilIdle();
    await harness.stop();
    await harness.start({ maxWatchedFiles: 0 });
    expect(harness.folder.isWatching()).toBe(false);
    expect(harness.logText()).toContain('too many files');
    harness.put('b.txt', 'found by the walk');
    await waitUntilIdle();
    expect(harness.rows().size).toBe(2);
  });
});

describe('closing', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'stops the first scan before it is done; the next start registers the remaining files, each once',
    async () => {
      await harness.stop();
      const FILE_COUNT = 600;
      for (let n = 0; n < FILE_COUNT; n += 1) harness.put(`d${n % 30}/${n}.txt`, `file ${n}`);
      const startPromise = harness.start();
      await waitUntil(() => harness.allRows().length > 100, 'more than 100 files are registered');
      await harness.folder.close();
      await startPromise;
      expect(harness.allRows().length).toBeLessThan(FILE_COUNT);
      await harness.stop();
      await harness.start();
      expect(harness.rows().size).toBe(FILE_COUNT);
      expect(new Set(harness.allRows().map((row) => row.file_id)).size).toBe(FILE_COUNT);
    },
  );
});
