import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestFolder, type TestFolder } from './harness.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

let harness: TestFolder;
beforeEach(async () => {
  harness = await startTestFolder();
});
afterEach(() => harness.remove());

const waitUntilIdle = (): Promise<void> => harness.waitUntilIdle();
const paths = (): string[] => [...harness.rows().keys()];
const isLinux = process.platform === 'linux';

describe("entries that are not the owner's files", () => {
  it('include links to files and folders, inside and outside the folder', async () => {
    writeFileSync(join(harness.home, 'secret.txt'), 'a secret');
    mkdirSync(join(harness.home, 'secrets'));
    writeFileSync(join(harness.home, 'secrets/more.txt'), 'more secrets');
    harness.put('real/one.txt', 'one');
    symlinkSync(join(harness.home, 'secret.txt'), harness.pathOf('link.txt'));
    symlinkSync(join(harness.home, 'secrets'), harness.pathOf('link'));
    symlinkSync(harness.pathOf('real'), harness.pathOf('inside'));
    symlinkSync('/proc/self/environ', harness.pathOf('real/environ.txt'));
    symlinkSync(harness.pathOf('loop'), harness.pathOf('loop'));
    await waitUntilIdle();
    expect(paths()).toEqual(['real/one.txt']);
    await harness.stop();
    await harness.start();
    expect(paths()).toEqual(['real/one.txt']);
  });

  it('cause a file to be marked as deleted if they replace the file or its folder', async () => {
    harness.put('a/one.txt', 'one');
    harness.put('two.txt', 'two');
    harness.put('b/three.txt', 'three');
    await waitUntilIdle();
    renameSync(harness.pathOf('b'), join(harness.home, 'moved-too'));
    harness.put('b', 'a file where a folder was');
    renameSync(harness.pathOf('a'), join(harness.home, 'moved-out'));
    symlinkSync(join(harness.home, 'moved-out'), harness.pathOf('a'));
    renameSync(harness.pathOf('two.txt'), join(harness.home, 'two.txt'));
    symlinkSync(join(harness.home, 'two.txt'), harness.pathOf('two.txt'));
    await waitUntilIdle();
    expect(paths()).toEqual(['b']);
    expect(
      harness.allRows().filter(({ status, deleted_by }) => status === 'Deleted' && deleted_by === 'outside'),
    ).toHaveLength(3);
  });

  it('include sockets, and pipes without a writer', { skip: process.platform === 'win32' }, async () => {
    execFileSync('mkfifo', [harness.pathOf('pipe.txt')]);
    const server = createServer().listen(harness.pathOf('socket.txt'));
    harness.put('one.txt', 'one');
    await waitUntilIdle();
    expect(paths()).toEqual(['one.txt']);
    unlinkSync(harness.pathOf('one.txt'));
    execFileSync('mkfifo', [harness.pathOf('one.txt')]);
    await waitUntilIdle();
    expect(paths()).toEqual([]);
    await new Promise((resolve) => server.close(resolve));
  });

  it('include hidden, unfinished and system files, by name', async () => {
    for (const name of [
      '.hidden',
      '.git/config',
      '~$letter.docx',
      'film.mp4.part',
      'film.crdownload',
      'a.tmp',
      'a.txt~',
    ])
      harness.put(name, 'not yet');
    for (const name of ['.DS_Store', 'Thumbs.db', 'DESKTOP.INI', '$RECYCLE.BIN/a.txt', 'lost+found/b.txt'])
      harness.put(name, 'of a system');
    harness.put('folder.part/whole.txt', 'whole');
    await waitUntilIdle();
    expect(paths()).toEqual(['folder.part/whole.txt']);
    renameSync(harness.pathOf('film.mp4.part'), harness.pathOf('film.mp4'));
    await waitUntilIdle();
    expect(paths()).toEqual(['film.mp4', 'folder.part/whole.txt']);
  });

  it('do not include an uploaded file that is named like an unfinished file: its changes are registered', async () => {
    const row = await harness.upload('test', 'notes.tmp', 'uploaded');
    writeFileSync(harness.pathOf(row.path ?? ''), 'edited outside');
    await waitUntilIdle();
    expect(harness.store.findBySeq(row.seq)?.size).toBe(14);
  });
});

describe('names', () => {
  it('are registered unchanged, with line breaks, bidirectional marks and other scripts', async () => {
    const names = [
      'two\nlines.txt',
      'photo\u202Egnp.exe',
      'ünïcödé — 日本語 🏖.txt',
      'quote\'s "and" $(things).txt',
      ' spaces ',
      'a\\b.txt',
      '__proto__',
      'null',
    ];
    for (const name of names) harness.put(`odd/${name}`, `content of ${name}`);
    await waitUntilIdle();
    expect(new Set(harness.allRows().map((row) => row.name))).toEqual(new Set(names));
    expect(harness.allRows().every((row) => row.source === 'odd' && /^[a-z0-9.-]+$/u.test(row.file_id))).toBe(true);
  });

  it(
    'belong to separate files if they differ only in case or normalisation and the file system distinguishes them',
    { skip: !isLinux },
    async () => {
      harness.put('caf\u00e9.txt', 'one');
      harness.put('cafe\u0301.txt', 'two');
      harness.put('CAF\u00c9.txt', 'three');
      await waitUntilIdle();
      expect(harness.allRows()).toHaveLength(3);
      renameSync(harness.pathOf('caf\u00e9.txt'), harness.pathOf('Caf\u00e9.txt'));
      await waitUntilIdle();
      expect(harness.allRows()).toHaveLength(3);
      expect(harness.row('Caf\u00e9.txt').status).toBe('Completed');
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)(
    'are ignored if they are not valid UTF-8, and so are files in folders with such names',
    { skip: !isLinux },
    async () => {
      const invalidName = Buffer.concat([
        Buffer.from(`${harness.root}/bad-`),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('.txt'),
      ]);
      writeFileSync(invalidName, 'a');
      const folder = Buffer.concat([Buffer.from(`${harness.root}/folder-`), Buffer.from([0xc3])]);
      mkdirSync(folder);
      writeFileSync(Buffer.concat([folder, Buffer.from('/in.txt')]), 'b');
      harness.put('good.txt', 'good');
      await waitUntilIdle();
      await harness.stop();
      await harness.start();
      expect(paths()).toEqual(['good.txt']);
      expect(harness.logText()).toContain('whose names are not valid UTF-8 were ignored');
      expect(harness.logText()).not.toContain('bad-');
    },
  );

  it('can have the maximum length, in deeply nested folders', async () => {
    const name = `${'n'.repeat(251)}.txt`;
    const deepPath = Array.from({ length: 12 }, () => 'd'.repeat(200)).join('/');
    harness.put(name, 'long');
    harness.put(`${deepPath}/${name}`, 'deep');
    await waitUntilIdle();
    expect(harness.row(name).name).toBe(name);
    expect(harness.row(`${deepPath}/${name}`)).toMatchObject({ source: 'd'.repeat(200), name });
  });
});

describe('the folder sync during operations of the server', () => {
  it.skipIf(!IS_THOROUGH_RUN)('does not register the content of an upload as a second file', async () => {
    for (let n = 0; n < 20; n += 1) await harness.upload('camera', `IMG ${n}.txt`, `picture ${n}`);
    await waitUntilIdle();
    expect(harness.allRows()).toHaveLength(20);
    expect(harness.allRows().every((row) => row.uploader === 'owner' && row.status === 'Completed')).toBe(true);
    await harness.stop();
    await harness.start();
    expect(harness.allRows()).toHaveLength(20);
  });

  it('never overwrites a file of the owner with an upload, whether the file is registered or not', async () => {
    harness.put('camera/IMG.txt', 'the owner’s');
    const firstUpload = await harness.upload('camera', 'IMG.txt', 'uploaded');
    await waitUntilIdle();
    const secondUpload = await harness.upload('camera', 'IMG.txt', 'uploaded too');
    await waitUntilIdle();
    expect(firstUpload.path).toBe('camera/IMG (1).txt');
    expect(secondUpload.path).toBe('camera/IMG (2).txt');
    expect(harness.read('camera/IMG.txt')).toBe('the owner’s');
    expect(harness.row('camera/IMG.txt').uploader).toBe('folder');
    expect(harness.allRows()).toHaveLength(3);
  });

  it.skipIf(!IS_THOROUGH_RUN)('keeps uploads and dropped files with the same names side by side', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `both ${n}.txt`);
    const uploads = names.map((name) => harness.upload('same', name, `uploaded ${name}`));
    for (const name of names) {
      writeFileSync(harness.pathOf(`dropped ${name}`), `dropped ${name}`);
      mkdirSync(harness.pathOf('same'), { recursive: true });
      try {
        writeFileSync(harness.pathOf(`same/${name}`), `dropped ${name}`, { flag: 'wx' });
      } catch {
        // The upload was faster.
      }
    }
    const rows = await Promise.all(uploads);
    await waitUntilIdle();
    expect(new Set(rows.map((row) => row.path)).size).toBe(40);
    for (const row of rows) expect(harness.read(row.path ?? '')).toBe(`uploaded ${row.name}`);
    for (const [path, row] of harness.rows()) expect(row.size, path).toBe(Buffer.byteLength(harness.read(path)));
  });

  it('does not treat deletions and restorations through the server as outside changes', async () => {
    harness.put('a/one.txt', 'one');
    await waitUntilIdle();
    const row = harness.row('a/one.txt');
    const removedRow = await harness.disk.remove(row);
    await waitUntilIdle();
    expect(harness.store.findBySeq(row.seq)).toMatchObject({
      status: 'Deleted',
      deleted_by: 'owner',
      undo_path: 'a/one.txt',
    });
    harness.put('a/one.txt', 'one');
    await waitUntilIdle();
    expect(harness.row('a/one.txt').seq, 'a new file: the old one can still be restored').not.toBe(row.seq);
    const restoredRow = await harness.disk.restore(removedRow);
    await waitUntilIdle();
    expect(restoredRow).toMatchObject({ seq: row.seq, status: 'Completed', path: 'a/one (1).txt' });
    expect(harness.allRows()).toHaveLength(2);
  });
});

describe('a file that cannot be read', () => {
  it('does not keep other files from being registered', { skip: process.getuid?.() === 0 }, async () => {
    chmodSync(harness.put('locked.txt', 'locked'), 0);
    harness.put('open.txt', 'open');
    await expect.poll(paths).toEqual(['open.txt']);
  });
});
