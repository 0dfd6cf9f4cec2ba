import { readdirSync, renameSync, symlinkSync, truncateSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../platform/clock.ts';
import { createSequence, idAt } from '../../core/sequence.ts';
import { foldedName } from '../content/disk-names.ts';
import { createFolderLooks, type FolderLooks } from './scanner.ts';
import { createSettle, type Outcome, type SettleParts } from './reconciler.ts';
import { newestFileSeq } from '../store.ts';
import { QUICK, startTestFolder, type TestFolder } from './harness.test-support.ts';

/** The tests drive the reconciler path by path, without watcher and scanner. */
let t: TestFolder;
beforeEach(async () => {
  t = await startTestFolder({}, { wait: false });
});
afterEach(() => t.remove());

const settlerWith = (looks: FolderLooks, more: Partial<SettleParts> = {}) =>
  createSettle({
    store: t.store,
    disk: t.disk,
    writer: t.writer,
    events: { tell: () => undefined },
    sequence: createSequence(newestFileSeq(t.db), systemClock),
    idAt,
    clock: systemClock,
    looks,
    diskClock: { now: () => Date.now() + 60_000 },
    waits: QUICK,
    reading: (work) => work(),
    mayRemove: () => true,
    onAway: () => undefined,
    beforeWrite: () => Promise.resolve(),
    isClosed: () => false,
    ...more,
  });

/** A disk that does not tell upper and lower case and the forms of a letter apart. */
const tolerant = (): FolderLooks => {
  const looks = createFolderLooks(t.root);
  const stored = (path: string): string =>
    readdirSync(t.root).find((name) => foldedName(name) === foldedName(path)) ?? path;
  return {
    ...looks,
    find: (path) => looks.find(stored(path)),
    read: (path, found, isWanted) => looks.read(stored(path), found, isWanted),
  };
};

describe('on a disk that does not tell upper and lower case apart', () => {
  it('a file is one, by whatever spelling it is asked for, and in whatever order', async () => {
    const { settle } = settlerWith(tolerant());
    t.put('Photo.jpg', 'a photo');
    for (const path of ['Photo.jpg', 'photo.JPG', 'PHOTO.jpg', 'Photo.jpg']) await settle(path);
    expect([...t.rows().keys()]).toEqual(['Photo.jpg']);
    expect(t.all()).toHaveLength(1);
  });

  it('a file that was first met under another spelling ends under its own', async () => {
    const { settle } = settlerWith(tolerant());
    t.put('cafe\u0301.txt', 'a menu');
    for (const path of ['caf\u00e9.txt', 'cafe\u0301.txt', 'caf\u00e9.txt']) await settle(path);
    expect([...t.rows().keys()]).toEqual(['cafe\u0301.txt']);
    expect(t.all()).toHaveLength(1);
  });

  it('a new spelling is a new name of the same file', async () => {
    const { settle } = settlerWith(tolerant());
    t.put('letter.txt', 'dear');
    await settle('letter.txt');
    const { seq } = t.row('letter.txt');
    renameSync(t.on('letter.txt'), t.on('LETTER.txt'));
    for (const path of ['letter.txt', 'LETTER.txt', 'letter.txt']) await settle(path);
    expect([...t.rows()].map(([path, row]) => [path, row.seq, row.name])).toEqual([['LETTER.txt', seq, 'LETTER.txt']]);
    expect(t.all()).toHaveLength(1);
  });
});

describe('a path', () => {
  it('may be looked at any number of times at once: the file is there once', async () => {
    const { settle } = settlerWith(createFolderLooks(t.root));
    t.put('a.txt', 'once');
    await Promise.all(Array.from({ length: 10 }, () => settle('a.txt')));
    expect(t.all()).toHaveLength(1);
    expect(t.quota.used()).toBe(4);
  });

  it('at which the server is at work is left for later', async () => {
    t.put('a.txt', 'a');
    const busy = new Set(['a.txt']);
    const { settle } = settlerWith(createFolderLooks(t.root), { disk: { busy, quota: t.disk.quota } });
    expect(await settle('a.txt')).toEqual({ kind: 'later', ms: QUICK.busy } satisfies Outcome);
    expect(t.all()).toEqual([]);
    busy.clear();
    await settle('a.txt');
    await t.writer.write((tx) => tx.db.prepare('UPDATE files SET moving = 1').run());
    t.put('a.txt', 'another');
    expect(await settle('a.txt')).toEqual({ kind: 'later', ms: QUICK.busy } satisfies Outcome);
    expect(t.row('a.txt').size).toBe(1);
  });

  it('at which the server begins to work while it is looked at is left for later too', async () => {
    const busy = new Set<string>();
    const looks = createFolderLooks(t.root);
    const late: FolderLooks = {
      ...looks,
      async read(path, found, isWanted) {
        const content = await looks.read(path, found, isWanted);
        busy.add(path);
        return content;
      },
    };
    t.put('a.txt', 'a');
    const { settle } = settlerWith(late, { disk: { busy, quota: t.disk.quota } });
    expect(await settle('a.txt')).toEqual({ kind: 'later', ms: QUICK.busy } satisfies Outcome);
    expect(t.all()).toEqual([]);
  });

  it('whose file changes while it is read is looked at again, and nothing of the half is kept', async () => {
    const looks = createFolderLooks(t.root);
    let found = await looks.find('');
    t.put('a.txt', 'first');
    const changing: FolderLooks = {
      ...looks,
      async find(path) {
        found = await looks.find(path);
        return found;
      },
      async read(path, at, isWanted) {
        t.put('a.txt', 'second, and longer');
        return looks.read(path, at, isWanted);
      },
    };
    const { settle } = settlerWith(changing);
    expect(await settle('a.txt')).toEqual({ kind: 'later', ms: QUICK.rest } satisfies Outcome);
    expect(t.all()).toEqual([]);
  });

  it('at which another file lies than was looked at is not read', async () => {
    const looks = createFolderLooks(t.root);
    t.put('a.txt', 'harmless');
    t.put('b.txt', 'other one');
    const found = await looks.find('a.txt');
    renameSync(t.on('b.txt'), t.on('a.txt'));
    expect(found).toBeDefined();
    if (found !== undefined) expect(await looks.read('a.txt', found, () => true)).toBeUndefined();
  });

  it('to which a link leads is no place for a known file, and is not read', async () => {
    const looks = createFolderLooks(t.root);
    const { settle } = settlerWith(looks);
    t.put('a/one.txt', 'one');
    await settle('a/one.txt');
    renameSync(t.on('a'), `${t.home}/outside`);
    symlinkSync(`${t.home}/outside`, t.on('link'));
    expect(await settle('link/one.txt')).toEqual({ kind: 'done' } satisfies Outcome);
    expect([...t.rows().keys()]).toEqual(['a/one.txt']);
    const found = await looks.find('link/one.txt');
    expect(found?.kind).toBe('file');
    if (found !== undefined) expect(await looks.read('link/one.txt', found, () => true)).toBeUndefined();
  });

  it('that is taken while a file is found to have moved there is left for later', async () => {
    const busy = new Set<string>();
    const looks = createFolderLooks(t.root);
    const taking: FolderLooks = {
      ...looks,
      find(path) {
        if (path === 'a.txt' && t.store.isAt('a.txt')) busy.add('b.txt');
        return looks.find(path);
      },
    };
    const { settle } = settlerWith(taking, { disk: { busy, quota: t.disk.quota } });
    t.put('a.txt', 'moved');
    await settle('a.txt');
    renameSync(t.on('a.txt'), t.on('b.txt'));
    expect(await settle('b.txt')).toEqual({ kind: 'later', ms: QUICK.busy } satisfies Outcome);
    expect([...t.rows().keys()]).toEqual(['a.txt']);
  });

  it('at which a large file lies is left in the middle when the server stops', async () => {
    const looks = createFolderLooks(t.root);
    truncateSync(t.put('large.bin', ''), 100_000_000);
    const found = await looks.find('large.bin');
    let pieces = 0;
    const content = found && (await looks.read('large.bin', found, () => (pieces += 1) < 3));
    expect(content).toBeUndefined();
    expect(pieces).toBe(3);
  });

  it('is marked as gone only once nothing is left to be looked at elsewhere', async () => {
    let mayRemove = false;
    const { settle } = settlerWith(createFolderLooks(t.root), {
      mayRemove: () => mayRemove,
      waits: { ...QUICK, removal: 0 },
    });
    t.put('a.txt', 'moved later');
    await settle('a.txt');
    const { seq } = t.row('a.txt');
    renameSync(t.on('a.txt'), t.on('b.txt'));
    expect((await settle('a.txt')).kind).toBe('later');
    await settle('b.txt');
    mayRemove = true;
    expect((await settle('a.txt')).kind).toBe('nothing');
    expect(t.row('b.txt')).toMatchObject({ seq, status: 'Completed' });
  });

  it('of many equal files that are moved at once gives each of them its own place', async () => {
    const { settle } = settlerWith(createFolderLooks(t.root));
    for (let n = 0; n < 20; n += 1) t.put(`old-${n}.txt`, 'the same');
    for (let n = 0; n < 20; n += 1) await settle(`old-${n}.txt`);
    const before = new Set(t.all().map((row) => row.seq));
    for (let n = 0; n < 20; n += 1) renameSync(t.on(`old-${n}.txt`), t.on(`new-${n}.txt`));
    await pause(1);
    for (let n = 0; n < 20; n += 1) await settle(`old-${n}.txt`);
    await Promise.all(Array.from({ length: 20 }, (_, n) => settle(`new-${n}.txt`)));
    expect(new Set([...t.rows().values()].map((row) => row.seq))).toEqual(before);
  });
});
