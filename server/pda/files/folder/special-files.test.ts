import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestFolder, type TestFolder } from './harness.test-support.ts';

let t: TestFolder;
beforeEach(async () => {
  t = await startTestFolder();
});
afterEach(() => t.remove());

const waitUntilIdle = (): Promise<void> => t.waitUntilIdle();
const paths = (): string[] => [...t.rows().keys()];
const isLinux = process.platform === 'linux';

describe("entries that are not the owner's files", () => {
  it('include links to files and folders, inside and outside of the folder', async () => {
    writeFileSync(join(t.home, 'secret.txt'), 'a secret');
    mkdirSync(join(t.home, 'secrets'));
    writeFileSync(join(t.home, 'secrets/more.txt'), 'more secrets');
    t.put('real/one.txt', 'one');
    symlinkSync(join(t.home, 'secret.txt'), t.on('link.txt'));
    symlinkSync(join(t.home, 'secrets'), t.on('link'));
    symlinkSync(t.on('real'), t.on('inside'));
    symlinkSync('/proc/self/environ', t.on('real/environ.txt'));
    symlinkSync(t.on('loop'), t.on('loop'));
    await waitUntilIdle();
    expect(paths()).toEqual(['real/one.txt']);
    await t.stop();
    await t.start();
    expect(paths()).toEqual(['real/one.txt']);
  });

  it('mark a file as deleted when they replace the file or its folder', async () => {
    t.put('a/one.txt', 'one');
    t.put('two.txt', 'two');
    t.put('b/three.txt', 'three');
    await waitUntilIdle();
    renameSync(t.on('b'), join(t.home, 'moved-too'));
    t.put('b', 'a file where a folder was');
    renameSync(t.on('a'), join(t.home, 'moved-out'));
    symlinkSync(join(t.home, 'moved-out'), t.on('a'));
    renameSync(t.on('two.txt'), join(t.home, 'two.txt'));
    symlinkSync(join(t.home, 'two.txt'), t.on('two.txt'));
    await waitUntilIdle();
    expect(paths()).toEqual(['b']);
    expect(t.all().filter(({ status, deleted_by }) => status === 'Deleted' && deleted_by === 'outside')).toHaveLength(
      3,
    );
  });

  it('include pipes without a writer and sockets', { skip: process.platform === 'win32' }, async () => {
    execFileSync('mkfifo', [t.on('pipe.txt')]);
    const server = createServer().listen(t.on('socket.txt'));
    t.put('one.txt', 'one');
    await waitUntilIdle();
    expect(paths()).toEqual(['one.txt']);
    unlinkSync(t.on('one.txt'));
    execFileSync('mkfifo', [t.on('one.txt')]);
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
      t.put(name, 'not yet');
    for (const name of ['.DS_Store', 'Thumbs.db', 'DESKTOP.INI', '$RECYCLE.BIN/a.txt', 'lost+found/b.txt'])
      t.put(name, 'of a system');
    t.put('folder.part/whole.txt', 'whole');
    await waitUntilIdle();
    expect(paths()).toEqual(['folder.part/whole.txt']);
    renameSync(t.on('film.mp4.part'), t.on('film.mp4'));
    await waitUntilIdle();
    expect(paths()).toEqual(['film.mp4', 'folder.part/whole.txt']);
  });

  it('do not include an uploaded file with such a name, whose changes are registered', async () => {
    const row = await t.upload('test', 'notes.tmp', 'uploaded');
    writeFileSync(t.on(row.path ?? ''), 'edited outside');
    await waitUntilIdle();
    expect(t.store.bySeq(row.seq)?.size).toBe(14);
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
    for (const name of names) t.put(`odd/${name}`, `content of ${name}`);
    await waitUntilIdle();
    expect(new Set(t.all().map((row) => row.name))).toEqual(new Set(names));
    expect(t.all().every((row) => row.source === 'odd' && /^[a-z0-9.-]+$/u.test(row.file_id))).toBe(true);
  });

  it(
    'belong to separate files if they differ only in case or normalization and the file system has both',
    { skip: !isLinux },
    async () => {
      t.put('caf\u00e9.txt', 'one');
      t.put('cafe\u0301.txt', 'two');
      t.put('CAF\u00c9.txt', 'three');
      await waitUntilIdle();
      expect(t.all()).toHaveLength(3);
      renameSync(t.on('caf\u00e9.txt'), t.on('Caf\u00e9.txt'));
      await waitUntilIdle();
      expect(t.all()).toHaveLength(3);
      expect(t.row('Caf\u00e9.txt').status).toBe('Completed');
    },
  );

  it(
    'are ignored if they are not valid UTF-8, and so are files in folders with such names',
    { skip: !isLinux },
    async () => {
      const invalidName = Buffer.concat([
        Buffer.from(`${t.root}/bad-`),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('.txt'),
      ]);
      writeFileSync(invalidName, 'a');
      const folder = Buffer.concat([Buffer.from(`${t.root}/folder-`), Buffer.from([0xc3])]);
      mkdirSync(folder);
      writeFileSync(Buffer.concat([folder, Buffer.from('/in.txt')]), 'b');
      t.put('good.txt', 'good');
      await waitUntilIdle();
      await t.stop();
      await t.start();
      expect(paths()).toEqual(['good.txt']);
      expect(t.logged()).toContain('whose names are not valid UTF-8 were ignored');
      expect(t.logged()).not.toContain('bad-');
    },
  );

  it('can have the maximum length, in deeply nested folders', async () => {
    const name = `${'n'.repeat(251)}.txt`;
    const deep = Array.from({ length: 12 }, () => 'd'.repeat(200)).join('/');
    t.put(name, 'long');
    t.put(`${deep}/${name}`, 'deep');
    await waitUntilIdle();
    expect(t.row(name).name).toBe(name);
    expect(t.row(`${deep}/${name}`)).toMatchObject({ source: 'd'.repeat(200), name });
  });
});

describe('the folder sync during operations of the server', () => {
  it('does not register the content of an upload as a second file', async () => {
    for (let n = 0; n < 20; n += 1) await t.upload('camera', `IMG ${n}.txt`, `picture ${n}`);
    await waitUntilIdle();
    expect(t.all()).toHaveLength(20);
    expect(t.all().every((row) => row.uploader === 'owner' && row.status === 'Completed')).toBe(true);
    await t.stop();
    await t.start();
    expect(t.all()).toHaveLength(20);
  });

  it("never overwrites the owner's files with an upload, registered or not", async () => {
    t.put('camera/IMG.txt', 'the owner’s');
    const first = await t.upload('camera', 'IMG.txt', 'uploaded');
    await waitUntilIdle();
    const second = await t.upload('camera', 'IMG.txt', 'uploaded too');
    await waitUntilIdle();
    expect(first.path).toBe('camera/IMG (1).txt');
    expect(second.path).toBe('camera/IMG (2).txt');
    expect(t.read('camera/IMG.txt')).toBe('the owner’s');
    expect(t.row('camera/IMG.txt').uploader).toBe('folder');
    expect(t.all()).toHaveLength(3);
  });

  it('keeps uploads and dropped files with the same names side by side', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `both ${n}.txt`);
    const uploads = names.map((name) => t.upload('same', name, `uploaded ${name}`));
    for (const name of names) {
      writeFileSync(t.on(`dropped ${name}`), `dropped ${name}`);
      mkdirSync(t.on('same'), { recursive: true });
      try {
        writeFileSync(t.on(`same/${name}`), `dropped ${name}`, { flag: 'wx' });
      } catch {
        // The upload was faster.
      }
    }
    const rows = await Promise.all(uploads);
    await waitUntilIdle();
    expect(new Set(rows.map((row) => row.path)).size).toBe(40);
    for (const row of rows) expect(t.read(row.path ?? '')).toBe(`uploaded ${row.name}`);
    for (const [path, row] of t.rows()) expect(row.size, path).toBe(Buffer.byteLength(t.read(path)));
  });

  it('does not treat deletions and restorations through the server as outside changes', async () => {
    t.put('a/one.txt', 'one');
    await waitUntilIdle();
    const row = t.row('a/one.txt');
    const removed = await t.disk.remove(row);
    await waitUntilIdle();
    expect(t.store.bySeq(row.seq)).toMatchObject({ status: 'Deleted', deleted_by: 'owner', undo_path: 'a/one.txt' });
    t.put('a/one.txt', 'one');
    await waitUntilIdle();
    expect(t.row('a/one.txt').seq, 'a new file: the old one can still be restored').not.toBe(row.seq);
    const back = await t.disk.restore(removed);
    await waitUntilIdle();
    expect(back).toMatchObject({ seq: row.seq, status: 'Completed', path: 'a/one (1).txt' });
    expect(t.all()).toHaveLength(2);
  });

  it('registers other files while one is not readable', { skip: process.getuid?.() === 0 }, async () => {
    chmodSync(t.put('locked.txt', 'locked'), 0);
    t.put('open.txt', 'open');
    await expect.poll(paths).toEqual(['open.txt']);
  });
});
