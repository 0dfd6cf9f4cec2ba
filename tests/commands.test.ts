import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { disagreements } from './support/database-check.ts';
import { runHere } from './support/run-command.ts';
import {
  endProcesses,
  newFolder,
  newHome,
  removeFolders,
  runCommand,
  type Finished,
} from './support/server-process.ts';
import { OWNER } from './support/test-pda.ts';

/** The command line as its users meet it: exit codes, one line of explanation, and nothing left by halves. */

let home: string;
let folder: string;

beforeAll(async () => {
  home = await newHome();
  folder = newFolder();
});
afterEach(endProcesses);
afterAll(removeFolders);

const FINE = 0;
const FAILED = 1;
const WRONG_ARGUMENTS = 2;

const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

const importing = (endpoint: string, path: string, ...more: string[]): Promise<Finished> =>
  runHere(['import', '--home', home, '--endpoint', endpoint, path, ...more]);
const exporting = (endpoint: string, ...more: string[]): Promise<Finished> =>
  runHere(['export', '--home', home, '--endpoint', endpoint, ...more]);

const ONE_LINE = /^[^\n]+\n$/u;
const expectFailure = (finished: Finished, line: RegExp): void => {
  expect(finished.code, finished.stderr).toBe(FAILED);
  expect(finished.stderr).toMatch(ONE_LINE);
  expect(finished.stderr).toMatch(line);
};

describe('wrong arguments end with 2', () => {
  const CASES: Record<string, string[]> = {
    'no command': [],
    'an unknown command': ['explode'],
    'an unknown option': ['serve', '--home', '/nowhere', '--fast'],
    'no home': ['serve'],
    'no file': ['import', '--home', '/nowhere', '--endpoint', 'a/b'],
    'an endpoint that is none': ['export', '--home', '/nowhere', '--endpoint', 'a'],
    'a format that is none, of an import': [
      'import',
      '--home',
      '/nowhere',
      '--endpoint',
      'a/b',
      '--format',
      'xml',
      'x',
    ],
    'a format that is none, of an export': ['export', '--home', '/nowhere', '--endpoint', 'a/b', '--format', 'json'],
    'a port that is none': ['serve', '--home', '/nowhere', '--port', '70000'],
    'a name that is none': ['init', '--home', '/nowhere', '--name', 'A B', '--password-stdin'],
    'a password that is not on standard input': ['init', '--home', '/nowhere', '--name', 'ada'],
  };
  it.each(Object.keys(CASES))('%s', async (name) => {
    const finished = await runHere(CASES[name] ?? []);
    expect(finished.code).toBe(WRONG_ARGUMENTS);
    expect(finished.stderr).not.toBe('');
    expect(finished.stdout).toBe('');
    expect(existsSync('/nowhere')).toBe(false);
  });

  it('also as a process', async () => {
    expect(await runCommand(['serve'])).toMatchObject({ code: WRONG_ARGUMENTS, stdout: '' });
  });

  it('asking for help or for the version is fine', async () => {
    for (const args of [['--help'], ['import', '--help'], ['--version']]) {
      expect(await runHere(args)).toMatchObject({ code: FINE, stderr: '' });
    }
  });
});

describe('what cannot be done ends with 1 and one line', () => {
  it('a home that is not there is not made, by any command but init and serve', async () => {
    const nowhere = join(folder, 'mistyped');
    const data = file('some.json', '[1]');
    const commands = [
      ['import', '--home', nowhere, '--endpoint', 'a/b', data],
      ['export', '--home', nowhere, '--endpoint', 'a/b'],
      ['verify', '--home', nowhere],
      ['password', '--home', nowhere, '--password-stdin'],
    ];
    for (const command of commands) {
      expectFailure(await runHere(command, undefined, OWNER.password), /There is no PDA in .*mistyped/u);
      expect(existsSync(nowhere)).toBe(false);
    }
  });

  it('a file that is not there, is a folder, or is none of the formats', async () => {
    expectFailure(await importing('a/b', join(folder, 'missing.json')), /no file .*missing\.json/u);
    expectFailure(await importing('a/b', folder), /directory/u);
    expectFailure(
      await importing('a/b', file('picture.png', '\u0089PNG\r\n\u001A\n\0\0')),
      /neither JSON, NDJSON nor CSV/u,
    );
    expectFailure(await importing('a/b', file('empty.json', '')), /neither JSON, NDJSON nor CSV|empty/u);
  });

  it('an endpoint that is not there: no file is made of it', async () => {
    const to = join(folder, 'nothing.ndjson');
    expectFailure(await exporting('not/here', '--to', to), /nothing at not\/here/u);
    expect(readdirSync(folder)).not.toContain('nothing.ndjson');
  });

  it('an export to a file that is there already: it stays as it was', async () => {
    await importing('export/some', file('export-some.json', '[1,2]'));
    const to = file('taken.ndjson', 'mine');
    expectFailure(await exporting('export/some', '--to', to), /taken\.ndjson is there already/u);
    expect(readFileSync(to, 'utf8')).toBe('mine');
  });

  it('a second PDA in the same folder, and a password that is easy to guess', async () => {
    const init = (where: string, password: string): Promise<Finished> =>
      runHere(['init', '--home', where, '--name', 'eve', '--password-stdin'], undefined, password);
    expectFailure(await init(home, OWNER.password), /set up already/u);
    expectFailure(await init(join(folder, 'weak'), 'abc'), /too easy to guess/u);
    expect((await init(join(folder, 'weak'), 'wooden piano under rain\n')).code, 'the next try is fine').toBe(FINE);
  });

  it('a configuration that is not understood, with the file and the key', async () => {
    const other = await newHome();
    writeFileSync(join(other, 'config.json'), '{"publicURL": "https://a.example"}');
    expectFailure(await runCommand(['serve', '--home', other, '--port', '0']), /config\.json: publicURL/u);
    writeFileSync(join(other, 'config.json'), '{');
    expectFailure(await runCommand(['serve', '--home', other, '--port', '0']), /config\.json is not JSON/u);
  });

  it('reports a port that is in use, and leaves the home unlocked', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const refused = await runCommand(['serve', '--home', home, '--port', String(address.port)]);
    await new Promise((resolve) => taken.close(resolve));
    expect(refused.code).toBe(FAILED);
    expect(refused.stdout).toBe('');
    expect(refused.stderr).toMatch(/address already in use.*\n$/u);
    expect(existsSync(join(home, 'running'))).toBe(false);
  });
});

describe('pda import', () => {
  it('reads JSON, NDJSON and CSV, guessing which, and says what it did', async () => {
    const files = [
      file('three.json', '[{"a":1},{"a":2},{"a":3}]'),
      file('three.ndjson', '{"a":1}\n{"a":2}\n\n{"a":3}\n'),
      file('three.csv', 'a\n1\n2\n3\n'),
    ];
    for (const [index, path] of files.entries()) {
      const endpoint = `formats/f${index}`;
      expect(await importing(endpoint, path)).toEqual({
        code: FINE,
        signal: null,
        stdout: '3 added, 0 here already\n',
        stderr: '',
      });
      expect((await exporting(endpoint)).stdout).toBe('{"a":1}\n{"a":2}\n{"a":3}\n');
    }
  });

  it('uses the given format, whatever the file looks like', async () => {
    const path = file('lines.txt', '1\n2\n');
    expect((await importing('formats/as-csv', path, '--format', 'csv')).stdout).toBe('1 added, 0 here already\n');
    expect((await importing('formats/as-lines', path, '--format', 'ndjson')).stdout).toBe('2 added, 0 here already\n');
  });

  it('names the line that is broken, once, and keeps what is before it; the mended file adds the rest', async () => {
    const path = file('broken.ndjson', '{"n":1}\n{"n":2}\n{"n":3\n{"n":4}\n');
    const finished = await importing('broken/lines', path);
    expect(finished.stdout).toBe('2 added, 0 here already\n');
    expectFailure(finished, /^line 3: [^:]+\. Everything before it was stored\.\n$/u);
    writeFileSync(path, '{"n":1}\n{"n":2}\n{"n":3}\n{"n":4}\n');
    expect((await importing('broken/lines', path)).stdout).toBe('2 added, 2 here already\n');
    expect((await exporting('broken/lines')).stdout).toBe('{"n":1}\n{"n":2}\n{"n":3}\n{"n":4}\n');
  });

  it('adds nothing the second time, in whatever order the keys come', async () => {
    const path = file('twice.json', '[{"a":1,"b":[1,2]},{"a":1,"b":[1,2]},"text",null,1.50]');
    expect((await importing('twice/all', path)).stdout, 'equal elements of one file are all kept').toBe(
      '5 added, 0 here already\n',
    );
    expect((await importing('twice/all', path)).stdout).toBe('0 added, 5 here already\n');
    const turned = file('turned.json', '[{"b":[1,2],"a":1},1.5,"other"]');
    expect((await importing('twice/all', turned)).stdout).toBe('1 added, 2 here already\n');
    expect(disagreements(home)).toEqual([]);
  });
});

describe('pda export', () => {
  it('writes a new file that only its owner may read, or standard output', async () => {
    await importing('export/table', file('table.csv', 'name,size\n"a, b",1\n"say ""hi""",2.5\n'));
    const to = join(folder, 'table-out.csv');
    expect(await exporting('export/table', '--format', 'csv', '--to', to)).toMatchObject({ code: FINE, stdout: '' });
    const expected = 'name,size\r\n"a, b",1\r\n"say ""hi""",2.5\r\n';
    expect(readFileSync(to, 'utf8')).toBe(expected);
    expect((await exporting('export/table', '--format', 'csv')).stdout).toBe(expected);
  });
});

describe('pda password', () => {
  it('sets a new one, and the old one is no good any more', async () => {
    const other = await newHome();
    const change = (input: string): Promise<Finished> =>
      runHere(['password', '--home', other, '--password-stdin'], undefined, input);
    const set = await change('another long enough password\n');
    expect(set).toMatchObject({ code: FINE, stderr: '' });
    expectFailure(await change('abc'), /too easy to guess/u);
  });
});
