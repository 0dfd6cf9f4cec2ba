import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFileMover } from '../bulk/moves.ts';
import { startTestFolder, type TestFolder } from '../folder/harness.test-support.ts';

// Tests moves of files to other folders, with the folder sync running and after the server was killed.

let harness: TestFolder;
beforeEach(async () => {
  harness = await startTestFolder();
});
afterEach(() => harness.remove());

const mover = () => createFileMover({ store: harness.store, disk: harness.disk });
const move = (folder: string, ...movedPaths: string[]) =>
  mover().move([{ folder, fileIds: movedPaths.map((path) => harness.row(path).file_id) }]);
const paths = (): string[] => [...harness.rows().keys()];
const filesOnDisk = (): string[] =>
  readdirSync(harness.root, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(harness.pathOf(path)).isFile())
    .toSorted();

const put = async (...newPaths: string[]): Promise<void> => {
  for (const path of newPaths) harness.put(path, `this is ${path}`);
  await harness.waitUntilIdle();
};

describe('a file that is moved to another folder', () => {
  it('keeps its id, name and grants, moves on the disk, and is recognised by the scan', async () => {
    await put('photos/a.jpg', 'b.jpg');
    const rowBefore = harness.row('photos/a.jpg');
    await harness.writer.write((tx) => harness.store.grant(tx, rowBefore.seq, 'grace', true));
    expect(await move('trips/2024', 'photos/a.jpg', 'b.jpg')).toMatchObject({ moved: 2, refused: [] });
    expect(filesOnDisk()).toEqual(['trips/2024/a.jpg', 'trips/2024/b.jpg']);
    await harness.waitUntilIdle();
    await harness.stop();
    await harness.start();
    const rowAfter = harness.row('trips/2024/a.jpg');
    expect(rowAfter).toEqual({ ...rowBefore, path: 'trips/2024/a.jpg', source: 'trips', updated: rowAfter.updated });
    expect(harness.store.grantsOf(rowAfter.seq)).toEqual([{ user_id: 'grace', content: 1 }]);
    expect(harness.allRows()).toHaveLength(2);
    expect(harness.store.pendingMoves()).toEqual([]);
    const handle = await harness.disk.open(rowAfter);
    expect((await handle.readFile()).toString()).toBe('this is photos/a.jpg');
    await handle.close();
  });

  it('keeps its source if it was uploaded', async () => {
    const { file_id: fileId, path } = await harness.upload('camera', 'a.jpg', 'a picture');
    await mover().move([{ folder: '', fileIds: [fileId] }]);
    await harness.waitUntilIdle();
    expect(path).toBe('camera/a.jpg');
    expect(harness.row('a.jpg')).toMatchObject({ file_id: fileId, source: 'camera', uploader: 'owner' });
  });

  it('returns to its former folder when the move is undone', async () => {
    await put('a/1.txt', 'a/2.txt', 'b/3.txt', '4.txt');
    const rowsBefore = harness.allRows();
    const { undo } = await move('c', 'a/1.txt', 'a/2.txt', 'b/3.txt', '4.txt');
    expect(paths()).toEqual(['c/1.txt', 'c/2.txt', 'c/3.txt', 'c/4.txt']);
    expect(await mover().move(undo)).toMatchObject({ moved: 4, refused: [] });
    await harness.waitUntilIdle();
    expect(harness.allRows().map((row) => ({ ...row, updated: 0 }))).toEqual(
      rowsBefore.map((row) => ({ ...row, updated: 0 })),
    );
    expect(filesOnDisk()).toEqual(['4.txt', 'a/1.txt', 'a/2.txt', 'b/3.txt']);
  });

  it('never replaces another file, and the other files of the request are moved', async () => {
    await put('a/1.txt', 'a/2.txt', 'a/3.txt', 'b/1.txt', 'c/1.txt');
    // This file is not registered yet.
    writeFileSync(harness.pathOf('b/2.txt'), 'new');
    const result = await move('b', 'a/1.txt', 'a/2.txt', 'a/3.txt', 'c/1.txt', 'b/1.txt');
    expect(result.moved).toBe(1);
    expect(result.refused.map(({ name, problem }) => `${name} ${problem}`).toSorted()).toEqual([
      '1.txt name_taken',
      '1.txt name_taken',
      '2.txt name_taken',
    ]);
    await harness.waitUntilIdle();
    expect(filesOnDisk()).toEqual(['a/1.txt', 'a/2.txt', 'b/1.txt', 'b/2.txt', 'b/3.txt', 'c/1.txt']);
    for (const path of ['a/1.txt', 'a/2.txt', 'b/1.txt', 'c/1.txt']) expect(harness.read(path)).toBe(`this is ${path}`);
    expect(harness.read('b/2.txt')).toBe('new');
    expect(harness.store.pendingMoves()).toEqual([]);
  });

  it('is moved if it is the first of several files with the same name; the others are refused', async () => {
    await put('a/x.txt', 'b/x.txt', 'c/x.txt');
    const result = await move('d', 'a/x.txt', 'b/x.txt', 'c/x.txt');
    expect([result.moved, result.refused.length]).toEqual([1, 2]);
    await harness.waitUntilIdle();
    expect(paths()).toEqual(['b/x.txt', 'c/x.txt', 'd/x.txt']);
    expect(harness.read('d/x.txt')).toBe('this is a/x.txt');
  });

  it('is refused while the file on the disk is not the registered one', async () => {
    await put('a/edited.txt', 'a/linked.txt', 'a/gone.txt', 'other.txt');
    const ids = ['a/edited.txt', 'a/linked.txt', 'a/gone.txt'].map((path) => harness.row(path).file_id);
    await harness.folder.close();
    appendFileSync(harness.pathOf('a/edited.txt'), '!');
    unlinkSync(harness.pathOf('a/linked.txt'));
    symlinkSync(harness.pathOf('other.txt'), harness.pathOf('a/linked.txt'));
    unlinkSync(harness.pathOf('a/gone.txt'));
    const { moved, refused } = await mover().move([{ folder: 'b', fileIds: [...ids, 'unknown'] }]);
    expect(moved).toBe(0);
    expect(Object.fromEntries(refused.map(({ name, problem }) => [name, problem]))).toEqual({
      'edited.txt': 'changed',
      'linked.txt': 'changed',
      'gone.txt': 'changed',
      '': 'missing',
    });
    expect(existsSync(harness.pathOf('b'))).toBe(false);
  });

  it('stays in place if one of the folders is not writable, or the new folder is a link or a file', async () => {
    await put('a/1.txt', 'closed/2.txt', 'out/3.txt');
    mkdirSync(`${harness.home}/elsewhere`);
    symlinkSync(`${harness.home}/elsewhere`, harness.pathOf('link'));
    writeFileSync(harness.pathOf('file'), '');
    expect((await move('link', 'a/1.txt')).refused).toMatchObject([{ problem: 'not_possible' }]);
    expect((await move('file/below', 'a/1.txt')).refused).toMatchObject([{ problem: 'not_possible' }]);
    // The system user root may write to any folder.
    if (process.getuid?.() !== 0) {
      chmodSync(harness.pathOf('closed'), 0o500);
      chmodSync(harness.pathOf('out'), 0o500);
      expect((await move('closed', 'a/1.txt')).refused).toMatchObject([{ problem: 'not_possible' }]);
      expect((await move('a', 'out/3.txt')).refused).toMatchObject([{ problem: 'not_possible' }]);
      chmodSync(harness.pathOf('closed'), 0o700);
      chmodSync(harness.pathOf('out'), 0o700);
    }
    expect(readdirSync(`${harness.home}/elsewhere`)).toEqual([]);
    expect(filesOnDisk()).toEqual(['a/1.txt', 'closed/2.txt', 'file', 'out/3.txt']);
    expect(harness.store.pendingMoves()).toEqual([]);
  });

  it('is not moved to an invalid folder, nor is any other file of the request moved', async () => {
    await put('a/1.txt', 'a/2.txt');
    for (const folder of ['../out', '/etc', 'a/../b', '.hidden', 'new\u202Ename', 'CON', 'a/b?']) {
      const moves = [
        { folder: 'b', fileIds: [harness.row('a/1.txt').file_id] },
        { folder, fileIds: [harness.row('a/2.txt').file_id] },
      ];
      await expect(mover().move(moves), folder).rejects.toMatchObject({ code: 'invalid_input' });
    }
    expect(filesOnDisk()).toEqual(['a/1.txt', 'a/2.txt']);
  });

  it('can be moved to an existing folder with a name that is refused for new folders', async () => {
    await put('a/1.txt', 'what? a: folder/2.txt');
    const { undo } = await move('what? a: folder', 'a/1.txt');
    await move('b', 'what? a: folder/2.txt');
    expect((await mover().move(undo)).moved).toBe(1);
    expect(paths()).toEqual(['a/1.txt', 'b/2.txt']);
  });
});

describe('a move that was interrupted', () => {
  /** Stops the folder sync, records a move and changes the disk as a killed server would leave it. */
  const interrupt = async (changeDisk: (from: string, to: string) => void): Promise<void> => {
    await put('a/1.txt');
    mkdirSync(harness.pathOf('b'));
    const { seq } = harness.row('a/1.txt');
    await harness.folder.close();
    await harness.writer.write((tx) => harness.store.insertMove(tx, seq, 'b/1.txt'));
    changeDisk(harness.pathOf('a/1.txt'), harness.pathOf('b/1.txt'));
    await harness.disk.recover();
    expect(harness.store.pendingMoves()).toEqual([]);
    const recoveredRows = harness.allRows();
    await harness.stop();
    await harness.start();
    // The scan finds nothing to correct.
    expect(harness.allRows()).toEqual(recoveredRows);
  };

  it.each([
    ['before the file was linked', () => undefined, 'a/1.txt'],
    ['while the file had both names', (from: string, to: string) => linkSync(from, to), 'b/1.txt'],
    ['after the file had arrived', (from: string, to: string) => renameSync(from, to), 'b/1.txt'],
  ])('%s leaves one file with its content', async (_moment, changeDisk, expected) => {
    await interrupt(changeDisk);
    expect(filesOnDisk()).toEqual([expected]);
    expect(paths()).toEqual([expected]);
    expect(harness.allRows()).toHaveLength(1);
    expect(harness.read(expected)).toBe('this is a/1.txt');
  });

  it('does not touch a file that another program put at the new path', async () => {
    await put('a/1.txt');
    const { seq } = harness.row('a/1.txt');
    await harness.folder.close();
    await harness.writer.write((tx) => harness.store.insertMove(tx, seq, 'b/1.txt'));
    harness.put('b/1.txt', 'another');
    await harness.disk.recover();
    expect(harness.row('a/1.txt').seq).toBe(seq);
    expect([harness.read('a/1.txt'), harness.read('b/1.txt')]).toEqual(['this is a/1.txt', 'another']);
  });

  it('is completed before the next operation on the file', async () => {
    await put('a/1.txt');
    mkdirSync(harness.pathOf('b'));
    const row = harness.row('a/1.txt');
    await harness.folder.close();
    await harness.writer.write((tx) => harness.store.insertMove(tx, row.seq, 'b/1.txt'));
    linkSync(harness.pathOf('a/1.txt'), harness.pathOf('b/1.txt'));
    expect(await harness.disk.relocate(row, 'c')).toBe('moved');
    expect(filesOnDisk()).toEqual(['c/1.txt']);
    expect(paths()).toEqual(['c/1.txt']);
  });
});
