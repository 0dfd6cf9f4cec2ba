import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runHere } from '../../../../tests/support/run-command.ts';
import { beginServer, endProcesses, runCommand } from '../../../../tests/support/server-process.ts';
import { replaceFile } from '../../../platform/io/file-system.ts';
import { openDatabase } from '../database.ts';
import { openHome, readIfThere } from './folder.ts';
import { StorageProblem } from '../storage-problem.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pda-home-'));
});
afterEach(async () => {
  await endProcesses();
  rmSync(folder, { recursive: true, force: true });
});

describe('a home folder', () => {
  it('is private to the account, whoever made it', () => {
    const home = openHome(join(folder, 'deep', 'home'));
    for (const path of [home.path, home.backups, home.imports]) expect(statSync(path).mode & 0o777).toBe(0o700);
    home.close();
  });

  it('is held by one process at a time, and by one opening within it', () => {
    const home = openHome(folder);
    expect(() => openHome(folder)).toThrow(StorageProblem);
    expect(() => openHome(folder)).toThrow(/Another process is using .*Stop it first/u);
    home.close();
    openHome(folder).close();
  });

  it('refuses every command beside a running server in one line, and lets it in after the server was killed', async () => {
    const server = await beginServer(folder).ready;
    const commands = [
      ['verify', '--home', folder],
      ['export', '--home', folder, '--endpoint', 'a/b'],
      ['import', '--home', folder, '--endpoint', 'a/b', import.meta.filename, '--format', 'csv'],
    ];
    const answers = [await runCommand(['serve', '--home', folder, '--port', '0'])];
    for (const command of commands) answers.push(await runHere(command));
    for (const refused of answers) {
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toMatch(/^Another process is using .*\n$/u);
    }
    expect((await server.call('GET', '/healthz')).status, 'the server did not notice').toBe(200);
    await server.kill();
    expect(await runHere(['verify', '--home', folder])).toMatchObject({ code: 0, stderr: '' });
  });

  it('knows whether the last run ended in order', () => {
    const first = openHome(folder);
    expect(first.uncleanStop).toBe(false);
    first.close();
    const second = openHome(folder);
    expect(second.uncleanStop).toBe(false);
    second.close();
    // As a kill would leave it.
    writeFileSync(join(folder, 'running'), '');
    const third = openHome(folder);
    expect(third.uncleanStop).toBe(true);
    third.close();
    const fourth = openHome(folder);
    expect(fourth.uncleanStop, 'nobody has looked at the database since').toBe(true);
    fourth.foundSound();
    fourth.close();
    expect(existsSync(join(folder, 'running'))).toBe(false);
  });

  it('cannot be a file', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    expect(() => openHome(file)).toThrow(/cannot be used/u);
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
  const PRIVATE = FILES.map(() => 0o600);

  it('are 0600 from the start, and are narrowed when an older version left wider ones', () => {
    const path = join(folder, 'modes');
    const openBoth = (): (() => void) => {
      const home = openHome(path);
      const db = openDatabase(home.database, { backups: home.backups, registerFunctions: () => undefined });
      return () => {
        db.close();
        home.close();
      };
    };
    const before = process.umask(0o022);
    try {
      openBoth()();
      for (const name of ['pda.sqlite', 'lock']) {
        expect(statSync(join(path, name)).mode & 0o777).toBe(0o600);
        chmodSync(join(path, name), 0o644);
      }
      const copy = join(path, 'backups', 'before-format-2-from-1.sqlite');
      writeFileSync(copy, '', { mode: 0o644 });
      const close = openBoth();
      expect(modesIn(path)).toStrictEqual(PRIVATE);
      expect(statSync(copy).mode & 0o777).toBe(0o600);
      close();
    } finally {
      process.umask(before);
    }
  });
});

describe('a small file', () => {
  it('is replaced whole, readable for the owner only', () => {
    const file = join(folder, 'config.json');
    expect(readIfThere(file)).toBeUndefined();
    replaceFile(file, 'one');
    replaceFile(file, 'two');
    expect(readFileSync(file, 'utf8')).toBe('two');
    expect(readIfThere(file)).toBe('two');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});
