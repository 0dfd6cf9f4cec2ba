import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { findInconsistencies } from './support/database-check.ts';
import { runInProcess } from './support/run-command.ts';
import {
  killProcesses,
  newFolder,
  newHome,
  removeFolders,
  runCommand,
  spawnServer,
  type CommandResult,
} from './support/server-process.ts';
import { OWNER } from './support/test-pda.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

let home: string;
let folder: string;

beforeAll(async () => {
  home = await newHome();
  folder = newFolder();
});
afterEach(killProcesses);
afterAll(removeFolders);

const EXIT_OK = 0;
const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

const writeInput = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

const runImport = (endpoint: string, path: string, ...extraArgs: string[]): Promise<CommandResult> =>
  runInProcess(['import', '--home', home, '--endpoint', endpoint, path, ...extraArgs]);
const runExport = (endpoint: string, ...extraArgs: string[]): Promise<CommandResult> =>
  runInProcess(['export', '--home', home, '--endpoint', endpoint, ...extraArgs]);

const ONE_LINE = /^[^\n]+\n$/u;
const expectFailure = (result: CommandResult, message: RegExp): void => {
  expect(result.code, result.stderr).toBe(EXIT_FAILURE);
  expect(result.stderr).toMatch(ONE_LINE);
  expect(result.stderr).toMatch(message);
};

describe('the exit code', () => {
  const CASES: Record<string, string[]> = {
    'no command': [],
    'an unknown command': ['explode'],
    'an unknown option': ['serve', '--home', '/nowhere', '--fast'],
    'no home': ['serve'],
    'no file': ['import', '--home', '/nowhere', '--endpoint', 'a/b'],
    'an invalid endpoint': ['export', '--home', '/nowhere', '--endpoint', 'a'],
    'an invalid import format': ['import', '--home', '/nowhere', '--endpoint', 'a/b', '--format', 'xml', 'x'],
    'an import format without an endpoint': ['import', '--home', '/nowhere', '--format', 'csv', 'x'],
    'selected kinds of an export with an endpoint': [
      'import',
      '--home',
      '/nowhere',
      '--endpoint',
      'a/b',
      '--only',
      'c/d',
      '--',
      'x',
    ],
    'an invalid export format': ['export', '--home', '/nowhere', '--endpoint', 'a/b', '--format', 'json'],
    'an invalid port': ['serve', '--home', '/nowhere', '--port', '70000'],
    'an invalid name': ['init', '--home', '/nowhere', '--name', 'A B', '--password-stdin'],
    'no --password-stdin': ['init', '--home', '/nowhere', '--name', 'ada'],
  };
  it.each(Object.keys(CASES))('is 2 for %s', async (name) => {
    const result = await runInProcess(CASES[name] ?? []);
    expect(result.code).toBe(EXIT_USAGE);
    expect(result.stderr).not.toBe('');
    expect(result.stdout).toBe('');
    expect(existsSync('/nowhere')).toBe(false);
  });

  it('is 2 with a message that says what to do for options that do not fit together', async () => {
    const importCommand = ['import', '--home', '/nowhere'];
    const withoutEndpoint = await runInProcess([...importCommand, '--format', 'csv', 'x']);
    expect(withoutEndpoint.stderr).toContain("option '--format <format>' requires '--endpoint <ns/path>'");
    const withOnly = await runInProcess([...importCommand, '--endpoint', 'a/b', '--only', 'c/d', '--', 'x']);
    expect(withOnly.stderr).toContain("option '--only <kinds...>' cannot be used with option '--endpoint <ns/path>'");
  });

  it('is 2 for invalid arguments in a separate process', async () => {
    expect(await runCommand(['serve'])).toMatchObject({ code: EXIT_USAGE, stdout: '' });
  });

  it('is 0 for --help and --version', async () => {
    for (const args of [['--help'], ['import', '--help'], ['--version']]) {
      expect(await runInProcess(args)).toMatchObject({ code: EXIT_OK, stderr: '' });
    }
  });
});

describe('a command that fails with exit code 1 and a one-line message', () => {
  it('does not create a missing home (import, export, verify, password)', async () => {
    const missingHome = join(folder, 'mistyped');
    const data = writeInput('some.json', '[1]');
    const commands = [
      ['import', '--home', missingHome, '--endpoint', 'a/b', data],
      ['export', '--home', missingHome, '--endpoint', 'a/b'],
      ['verify', '--home', missingHome],
      ['password', '--home', missingHome, '--password-stdin'],
    ];
    for (const command of commands) {
      expectFailure(await runInProcess(command, undefined, OWNER.password), /There is no PDA in .*mistyped/u);
      expect(existsSync(missingHome)).toBe(false);
    }
  });

  it('rejects an input file that is missing, is a folder, or has an unknown format', async () => {
    expectFailure(await runImport('a/b', join(folder, 'missing.json')), /file .*missing\.json does not exist/u);
    expectFailure(await runImport('a/b', folder), /directory/u);
    expectFailure(
      await runImport('a/b', writeInput('picture.png', '\u0089PNG\r\n\u001A\n\0\0')),
      /The format of .*picture\.png was not detected\. It is not a text file\. If this is wrong, pass --format\./u,
    );
    expectFailure(await runImport('a/b', writeInput('empty.json', '')), /was not detected\. The file is empty\./u);
  });

  it('creates no file for an export of an unknown endpoint', async () => {
    const target = join(folder, 'nothing.ndjson');
    expectFailure(await runExport('not/here', '--to', target), /no records at not\/here/u);
    expect(readdirSync(folder)).not.toContain('nothing.ndjson');
  });

  it('overwrites no existing file with an export, even through a link in place of the unfinished file', async () => {
    await runImport('export/some', writeInput('export-some.json', '[1,2]'));
    const target = writeInput('existing.ndjson', 'mine');
    expectFailure(await runExport('export/some', '--to', target), /existing\.ndjson already exists/u);
    expect(readFileSync(target, 'utf8')).toBe('mine');
    const newTarget = join(folder, 'new.ndjson');
    symlinkSync(target, `${newTarget}.unfinished`);
    expect(await runExport('export/some', '--to', newTarget)).toMatchObject({ code: EXIT_OK });
    expect([readFileSync(target, 'utf8'), readFileSync(newTarget, 'utf8')]).toEqual(['mine', '1\n2\n']);
  });

  it.skipIf(!IS_THOROUGH_RUN)('rejects a second PDA in the same folder, and a weak password', async () => {
    const init = (targetHome: string, password: string): Promise<CommandResult> =>
      runInProcess(['init', '--home', targetHome, '--name', 'eve', '--password-stdin'], undefined, password);
    expectFailure(await init(home, OWNER.password), /already set up/u);
    expectFailure(await init(join(folder, 'weak'), 'abc'), /too easy to guess/u);
    expect(
      (await init(join(folder, 'weak'), 'wooden piano under rain\n')).code,
      'a stronger password is accepted afterwards',
    ).toBe(EXIT_OK);
  });

  it.skipIf(!IS_THOROUGH_RUN)('names the file and key of an invalid configuration', async () => {
    const otherHome = await newHome();
    writeFileSync(join(otherHome, 'config.json'), '{"publicURL": "https://a.example"}');
    expectFailure(
      await runCommand(['serve', '--home', otherHome, '--port', '0']),
      /config\.json: has the unknown property "publicURL"/u,
    );
    writeFileSync(join(otherHome, 'config.json'), '{');
    expectFailure(await runCommand(['serve', '--home', otherHome, '--port', '0']), /config\.json is not valid JSON/u);
  });
});

describe('pda serve', () => {
  it.skipIf(!IS_THOROUGH_RUN)('reports that the port is in use, and leaves no `running` marker', async () => {
    const otherServer = createServer();
    await new Promise<void>((resolve) => otherServer.listen(0, '127.0.0.1', resolve));
    const address = otherServer.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const refusedStart = await runCommand(['serve', '--home', home, '--port', String(address.port)]);
    await new Promise((resolve) => otherServer.close(resolve));
    expect(refusedStart.code).toBe(EXIT_FAILURE);
    expect(refusedStart.stdout).toBe('');
    expect(refusedStart.stderr).toMatch(/address already in use.*\n$/u);
    expect(existsSync(join(home, 'running'))).toBe(false);
  });
});

describe('pda import', () => {
  it.skipIf(!IS_THOROUGH_RUN)('detects JSON, NDJSON and CSV, and reports the result', async () => {
    const files = [
      writeInput('three.json', '[{"a":1},{"a":2},{"a":3}]'),
      writeInput('three.ndjson', '{"a":1}\n{"a":2}\n\n{"a":3}\n'),
      writeInput('three.csv', 'a\n1\n2\n3\n'),
    ];
    for (const [index, path] of files.entries()) {
      const endpoint = `formats/f${index}`;
      expect(await runImport(endpoint, path)).toEqual({
        code: EXIT_OK,
        signal: null,
        stdout: '3 added, 0 already present\n',
        stderr: '',
      });
      expect((await runExport(endpoint)).stdout).toBe('{"a":1}\n{"a":2}\n{"a":3}\n');
    }
  });

  it('uses the requested format for any content', async () => {
    const path = writeInput('lines.txt', '1\n2\n');
    expect((await runImport('formats/as-csv', path, '--format', 'csv')).stdout).toBe('1 added, 0 already present\n');
    expect((await runImport('formats/as-lines', path, '--format', 'ndjson')).stdout).toBe(
      '2 added, 0 already present\n',
    );
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'reports a broken line once and keeps the records before it; the corrected file adds the rest',
    async () => {
      const path = writeInput('broken.ndjson', '{"n":1}\n{"n":2}\n{"n":3\n{"n":4}\n');
      const result = await runImport('broken/lines', path);
      expect(result.stdout).toBe('2 added, 0 already present\n');
      expectFailure(result, /^line 3: [^:]+\. Everything before it was stored\.\n$/u);
      writeFileSync(path, '{"n":1}\n{"n":2}\n{"n":3}\n{"n":4}\n');
      expect((await runImport('broken/lines', path)).stdout).toBe('2 added, 2 already present\n');
      expect((await runExport('broken/lines')).stdout).toBe('{"n":1}\n{"n":2}\n{"n":3}\n{"n":4}\n');
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('adds no duplicates on a second import, regardless of key order', async () => {
    const path = writeInput('twice.json', '[{"a":1,"b":[1,2]},{"a":1,"b":[1,2]},"text",null,1.50]');
    expect((await runImport('twice/all', path)).stdout, 'equal elements of one file are all kept').toBe(
      '5 added, 0 already present\n',
    );
    expect((await runImport('twice/all', path)).stdout).toBe('0 added, 5 already present\n');
    const reorderedFile = writeInput('reordered.json', '[{"b":[1,2],"a":1},1.5,"other"]');
    expect((await runImport('twice/all', reorderedFile)).stdout).toBe('1 added, 2 already present\n');
    expect(findInconsistencies(home)).toEqual([]);
  });
});

describe('pda export', () => {
  it.skipIf(!IS_THOROUGH_RUN)('writes to a new file that only its owner may read, or to standard output', async () => {
    await runImport('export/table', writeInput('table.csv', 'name,size\n"a, b",1\n"say ""hi""",2.5\n'));
    const target = join(folder, 'table-out.csv');
    expect(await runExport('export/table', '--format', 'csv', '--to', target)).toMatchObject({
      code: EXIT_OK,
      stdout: '',
    });
    const expected = 'name,size\r\n"a, b",1\r\n"say ""hi""",2.5\r\n';
    expect(readFileSync(target, 'utf8')).toBe(expected);
    if (process.platform !== 'win32') expect(statSync(target).mode & 0o777).toBe(0o600);
    expect((await runExport('export/table', '--format', 'csv')).stdout).toBe(expected);
  });
});

describe('pda password', () => {
  it.skipIf(!IS_THOROUGH_RUN)('sets a new password, and the old one stops working', async () => {
    const otherHome = await newHome();
    const change = (input: string): Promise<CommandResult> =>
      runInProcess(['password', '--home', otherHome, '--password-stdin'], undefined, input);
    const changeResult = await change('another long enough password\n');
    expect(changeResult).toMatchObject({ code: EXIT_OK, stderr: '' });
    const server = await spawnServer(otherHome).ready;
    const signIn = async (password: string): Promise<number> => {
      const headers = { username: OWNER.name, password: encodeURIComponent(password) };
      return (await server.call('GET', '/users/access_token', { headers })).status;
    };
    expect(await signIn(OWNER.password)).toBe(401);
    expect(await signIn('another long enough password')).toBe(200);
    await server.stop();
    expectFailure(await change('abc'), /too easy to guess/u);
  });
});
