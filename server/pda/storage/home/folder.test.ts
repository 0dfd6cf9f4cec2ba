import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runInProcess } from '../../../../tests/support/run-command.ts';
import { spawnServer, killProcesses, runCommand } from '../../../../tests/support/server-process.ts';
import { replaceFile } from '../../../platform/io/file-system.ts';
import { openDatabase } from '../database.ts';
import { openHome, readFileIfExists } from './folder.ts';
import { StorageProblem } from '../storage-problem.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pda-home-'));
});
afterEach(async () => {
  await killProcesses();
  rmSync(folder, { recursive: true, force: true });
});

describe('a home folder', () => {
  it('is accessible to its user only, even if it existed before', () => {
    const existingFolder = join(folder, 'existing');
    mkdirSync(existingFolder);
    chmodSync(existingFolder, 0o755);
    for (const homeFolder of [join(folder, 'deep', 'home'), existingFolder]) {
      const home = openHome(homeFolder);
      for (const path of [home.path, home.backups, home.imports]) expect(statSync(path).mode & 0o777).toBe(0o700);
      home.close();
    }
  });

  it('is locked until it is closed, even within one process', () => {
    const home = openHome(folder);
    expect(() => openHome(folder)).toThrow(StorageProblem);
    expect(() => openHome(folder)).toThrow(/Another process is using .*Stop it first/u);
    home.close();
    openHome(folder).close();
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'refuses commands with a one-line message while a server runs, and can be used after the server is killed',
    async () => {
      const server = await spawnServer(folder).ready;
      const commands = [
        ['verify', '--home', folder],
        ['export', '--home', folder, '--endpoint', 'a/b'],
        ['import', '--home', folder, '--endpoint', 'a/b', import.meta.filename, '--format', 'csv'],
      ];
      const results = [await runCommand(['serve', '--home', folder, '--port', '0'])];
      for (const command of commands) results.push(await runInProcess(command));
      for (const result of results) {
        expect(result).toMatchObject({ code: 1, stdout: '' });
        expect(result.stderr).toMatch(/^Another process is using .*\n$/u);
      }
      expect((await server.call('GET', '/healthz')).status, 'the server is not affected').toBe(200);
      await server.kill();
      expect(await runInProcess(['verify', '--home', folder])).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it('reports whether the last run stopped cleanly', () => {
    const firstHome = openHome(folder);
    expect(firstHome.hadUncleanStop).toBe(false);
    firstHome.close();
    const secondHome = openHome(folder);
    expect(secondHome.hadUncleanStop).toBe(false);
    secondHome.close();
    // A killed process leaves this marker.
    writeFileSync(join(folder, 'running'), '');
    const thirdHome = openHome(folder);
    expect(thirdHome.hadUncleanStop).toBe(true);
    thirdHome.close();
    const fourthHome = openHome(folder);
    expect(fourthHome.hadUncleanStop, 'the database has not been checked since').toBe(true);
    fourthHome.markDatabaseSound();
    fourthHome.close();
    expect(existsSync(join(folder, 'running'))).toBe(false);
  });

  it('cannot be a file', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => openHome(file)).toThrow(/cannot be used/u);
  });

  it('is unlocked even if a clean stop cannot be recorded', () => {
    const home = openHome(folder);
    const marker = join(folder, 'running');
    rmSync(marker);
    mkdirSync(marker);
    expect(() => home.close()).toThrow();
    rmdirSync(marker);
    openHome(folder).close();
  });

  it('can be closed twice', () => {
    const home = openHome(folder);
    home.close();
    home.close();
    openHome(folder).close();
  });
});

describe.skipIf(process.platform === 'win32')('the modes of the files in a home', () => {
  const FILES = ['pda.sqlite', 'pda.sqlite-wal', 'pda.sqlite-shm', 'lock'];
  const modesIn = (path: string): number[] => FILES.map((name) => statSync(join(path, name)).mode & 0o777);
  const EXPECTED_MODES = FILES.map(() => 0o600);

  it('are 0600 for new files and are corrected in homes of older versions', () => {
    const path = join(folder, 'modes');
    const openHomeAndDatabase = (): (() => void) => {
      const home = openHome(path);
      const db = openDatabase(home.database, { backups: home.backups, registerFunctions: () => undefined });
      return () => {
        db.close();
        home.close();
      };
    };
    const previousUmask = process.umask(0o022);
    try {
      openHomeAndDatabase()();
      for (const name of ['pda.sqlite', 'lock']) {
        expect(statSync(join(path, name)).mode & 0o777).toBe(0o600);
        chmodSync(join(path, name), 0o644);
      }
      const copy = join(path, 'backups', 'before-format-2-from-1.sqlite');
      writeFileSync(copy, '', { mode: 0o644 });
      const close = openHomeAndDatabase();
      expect(modesIn(path)).toStrictEqual(EXPECTED_MODES);
      expect(statSync(copy).mode & 0o777).toBe(0o600);
      close();
    } finally {
      process.umask(previousUmask);
    }
  });
});

describe('replaceFile', () => {
  it('replaces the file and makes it readable by its user only', () => {
    const file = join(folder, 'config.json');
    expect(readFileIfExists(file)).toBeUndefined();
    replaceFile(file, 'one');
    replaceFile(file, 'two');
    expect(readFileSync(file, 'utf8')).toBe('two');
    expect(readFileIfExists(file)).toBe('two');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
