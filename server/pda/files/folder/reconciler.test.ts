import { readdirSync, renameSync, symlinkSync, truncateSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../platform/clock.ts';
import { createSequence, newId } from '../../core/sequence.ts';
import { foldedName } from '../content/disk-names.ts';
import { createFileScanner, type FileScanner } from './scanner.ts';
import { createReconciler, type ReconcileOutcome, type ReconcilerParts } from './reconciler.ts';
import { readNewestFileSeq } from '../store.ts';
import { TEST_DELAYS, startTestFolder, type TestFolder } from './harness.test-support.ts';

// The tests drive the reconciler path by path, without the watcher.

let harness: TestFolder;
beforeEach(async () => {
  harness = await startTestFolder({}, { isSyncStarted: false });
});
afterEach(() => harness.remove());

const reconcilerWith = (scanner: FileScanner, overrides: Partial<ReconcilerParts> = {}) =>
  createReconciler({
    store: harness.store,
    disk: harness.disk,
    writer: harness.writer,
    events: { notify: () => undefined },
    sequence: createSequence(readNewestFileSeq(harness.db), systemClock),
    newId,
    clock: systemClock,
    scanner,
    diskClock: { now: () => Date.now() + 60_000 },
    delays: TEST_DELAYS,
    withReadSlot: (work) => work(),
    mayRemove: () => true,
    onUnmounted: () => undefined,
    beforeWrite: () => Promise.resolve(),
    isClosed: () => false,
    ...overrides,
  });

/** Creates a scanner that simulates a file system that ignores case and Unicode normalisation. */
const createCaseInsensitiveScanner = (): FileScanner => {
  const scanner = createFileScanner(harness.root);
  const storedPathOf = (path: string): string =>
    readdirSync(harness.root).find((name) => foldedName(name) === foldedName(path)) ?? path;
  return {
    ...scanner,
    stat: (path) => scanner.stat(storedPathOf(path)),
    read: (path, entry, isWanted) => scanner.read(storedPathOf(path), entry, isWanted),
  };
};

describe('on a file system that ignores case', () => {
  it('registers a file once for all spellings, in any order', async () => {
    const { reconcile } = reconcilerWith(createCaseInsensitiveScanner());
    harness.put('Photo.jpg', 'a photo');
    for (const path of ['Photo.jpg', 'photo.JPG', 'PHOTO.jpg', 'Photo.jpg']) await reconcile(path);
    expect([...harness.rows().keys()]).toEqual(['Photo.jpg']);
    expect(harness.allRows()).toHaveLength(1);
  });

  it('corrects the spelling of a file that was first found under another spelling', async () => {
    const { reconcile } = reconcilerWith(createCaseInsensitiveScanner());
    harness.put('cafe\u0301.txt', 'a menu');
    for (const path of ['caf\u00e9.txt', 'cafe\u0301.txt', 'caf\u00e9.txt']) await reconcile(path);
    expect([...harness.rows().keys()]).toEqual(['cafe\u0301.txt']);
    expect(harness.allRows()).toHaveLength(1);
  });

  it('treats a new spelling as a new name of the same file', async () => {
    const { reconcile } = reconcilerWith(createCaseInsensitiveScanner());
    harness.put('letter.txt', 'dear');
    await reconcile('letter.txt');
    const { seq } = harness.row('letter.txt');
    renameSync(harness.pathOf('letter.txt'), harness.pathOf('LETTER.txt'));
    for (const path of ['letter.txt', 'LETTER.txt', 'letter.txt']) await reconcile(path);
    expect([...harness.rows()].map(([path, row]) => [path, row.seq, row.name])).toEqual([
      ['LETTER.txt', seq, 'LETTER.txt'],
    ]);
    expect(harness.allRows()).toHaveLength(1);
  });
});

describe('a path', () => {
  it('is registered once if it is reconciled several times concurrently', async () => {
    const { reconcile } = reconcilerWith(createFileScanner(harness.root));
    harness.put('a.txt', 'once');
    await Promise.all(Array.from({ length: 10 }, () => reconcile('a.txt')));
    expect(harness.allRows()).toHaveLength(1);
    expect(harness.quota.getUsedBytes()).toBe(4);
  });

  it('is postponed while the server works on it', async () => {
    harness.put('a.txt', 'a');
    const busyPaths = new Set(['a.txt']);
    const { reconcile } = reconcilerWith(createFileScanner(harness.root), {
      disk: { busyPaths, quota: harness.disk.quota },
    });
    expect(await reconcile('a.txt')).toEqual({ kind: 'later', ms: TEST_DELAYS.busyRetryMs } satisfies ReconcileOutcome);
    expect(harness.allRows()).toEqual([]);
    busyPaths.clear();
    await reconcile('a.txt');
    await harness.writer.write((tx) => tx.db.prepare('UPDATE files SET moving = 1').run());
    harness.put('a.txt', 'another');
    expect(await reconcile('a.txt')).toEqual({ kind: 'later', ms: TEST_DELAYS.busyRetryMs } satisfies ReconcileOutcome);
    expect(harness.row('a.txt').size).toBe(1);
  });

  it('is postponed if the server starts to work on it during reconciliation', async () => {
    const busyPaths = new Set<string>();
    const scanner = createFileScanner(harness.root);
    const occupyingScanner: FileScanner = {
      ...scanner,
      async read(path, entry, isWanted) {
        const content = await scanner.read(path, entry, isWanted);
        busyPaths.add(path);
        return content;
      },
    };
    harness.put('a.txt', 'a');
    const { reconcile } = reconcilerWith(occupyingScanner, { disk: { busyPaths, quota: harness.disk.quota } });
    expect(await reconcile('a.txt')).toEqual({ kind: 'later', ms: TEST_DELAYS.busyRetryMs } satisfies ReconcileOutcome);
    expect(harness.allRows()).toEqual([]);
  });

  it('is postponed if its file changes during reading, and nothing is stored', async () => {
    const scanner = createFileScanner(harness.root);
    harness.put('a.txt', 'first');
    const changingScanner: FileScanner = {
      ...scanner,
      async read(path, entry, isWanted) {
        harness.put('a.txt', 'second, and longer');
        return scanner.read(path, entry, isWanted);
      },
    };
    const { reconcile } = reconcilerWith(changingScanner);
    expect(await reconcile('a.txt')).toEqual({ kind: 'later', ms: TEST_DELAYS.quietMs } satisfies ReconcileOutcome);
    expect(harness.allRows()).toEqual([]);
  });

  it('is not read if another file has replaced the scanned one', async () => {
    const scanner = createFileScanner(harness.root);
    harness.put('a.txt', 'harmless');
    harness.put('b.txt', 'other one');
    const entry = await scanner.stat('a.txt');
    renameSync(harness.pathOf('b.txt'), harness.pathOf('a.txt'));
    expect(entry).toBeDefined();
    if (entry !== undefined) expect(await scanner.read('a.txt', entry, () => true)).toBeUndefined();
  });

  it('is neither read nor taken for the new path of a known file if it leads through a link', async () => {
    const scanner = createFileScanner(harness.root);
    const { reconcile } = reconcilerWith(scanner);
    harness.put('a/one.txt', 'one');
    await reconcile('a/one.txt');
    renameSync(harness.pathOf('a'), `${harness.home}/outside`);
    symlinkSync(`${harness.home}/outside`, harness.pathOf('link'));
    expect(await reconcile('link/one.txt')).toEqual({ kind: 'done' } satisfies ReconcileOutcome);
    expect([...harness.rows().keys()]).toEqual(['a/one.txt']);
    const entry = await scanner.stat('link/one.txt');
    expect(entry?.kind).toBe('file');
    if (entry !== undefined) expect(await scanner.read('link/one.txt', entry, () => true)).toBeUndefined();
  });

  it('is postponed if it becomes busy while a moved file is recognised there', async () => {
    const busyPaths = new Set<string>();
    const scanner = createFileScanner(harness.root);
    const occupyingScanner: FileScanner = {
      ...scanner,
      stat(path) {
        if (path === 'a.txt' && harness.store.hasPath('a.txt')) busyPaths.add('b.txt');
        return scanner.stat(path);
      },
    };
    const { reconcile } = reconcilerWith(occupyingScanner, { disk: { busyPaths, quota: harness.disk.quota } });
    harness.put('a.txt', 'moved');
    await reconcile('a.txt');
    renameSync(harness.pathOf('a.txt'), harness.pathOf('b.txt'));
    expect(await reconcile('b.txt')).toEqual({ kind: 'later', ms: TEST_DELAYS.busyRetryMs } satisfies ReconcileOutcome);
    expect([...harness.rows().keys()]).toEqual(['a.txt']);
  });

  it('is not read to the end when the server stops', async () => {
    const scanner = createFileScanner(harness.root);
    truncateSync(harness.put('large.bin', ''), 100_000_000);
    const entry = await scanner.stat('large.bin');
    let chunks = 0;
    const content = entry && (await scanner.read('large.bin', entry, () => (chunks += 1) < 3));
    expect(content).toBeUndefined();
    expect(chunks).toBe(3);
  });

  it('is not marked as deleted before all other paths have been scanned, because its file may have moved', async () => {
    let mayRemove = false;
    const { reconcile } = reconcilerWith(createFileScanner(harness.root), {
      mayRemove: () => mayRemove,
      delays: { ...TEST_DELAYS, removalMs: 0 },
    });
    harness.put('a.txt', 'moved later');
    await reconcile('a.txt');
    const { seq } = harness.row('a.txt');
    renameSync(harness.pathOf('a.txt'), harness.pathOf('b.txt'));
    expect((await reconcile('a.txt')).kind).toBe('later');
    await reconcile('b.txt');
    mayRemove = true;
    expect((await reconcile('a.txt')).kind).toBe('nothing');
    expect(harness.row('b.txt')).toMatchObject({ seq, status: 'Completed' });
  });

  it('is the new path of an existing row when many identical files are moved together', async () => {
    const { reconcile } = reconcilerWith(createFileScanner(harness.root));
    for (let n = 0; n < 20; n += 1) harness.put(`old-${n}.txt`, 'the same');
    for (let n = 0; n < 20; n += 1) await reconcile(`old-${n}.txt`);
    const initialSeqs = new Set(harness.allRows().map((row) => row.seq));
    for (let n = 0; n < 20; n += 1) renameSync(harness.pathOf(`old-${n}.txt`), harness.pathOf(`new-${n}.txt`));
    await pause(1);
    for (let n = 0; n < 20; n += 1) await reconcile(`old-${n}.txt`);
    await Promise.all(Array.from({ length: 20 }, (_, n) => reconcile(`new-${n}.txt`)));
    expect(new Set([...harness.rows().values()].map((row) => row.seq))).toEqual(initialSeqs);
  });
});
