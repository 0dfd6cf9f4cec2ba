import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { forgetPacked, inputOf, isPacked, writePackedFrom } from './packed.ts';

const PROJECT = dirname(import.meta.dirname);
const root = mkdtempSync(join(tmpdir(), 'pda-packed-'));
const SOURCES = ['server/pda/commands.ts', 'server/pda/other.ts'] as const;

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

beforeAll(() => {
  mkdirSync(join(root, 'server/pda'), { recursive: true });
  cpSync(join(PROJECT, 'server/pda/entry.js'), join(root, 'server/pda/entry.js'));
  symlinkSync(join(PROJECT, 'node_modules'), join(root, 'node_modules'));
  write('package.json', '{"type":"module"}');
  write('dist/server/commands.js', `export const main = () => (console.log('packed'), 0);`);
});

beforeEach(() => {
  write(SOURCES[0], `export const main = (): number => (console.log('sources'), 0);`);
  write(SOURCES[1], 'export const other = 1;');
  writePackedFrom(
    root,
    SOURCES.map((path) => inputOf(root, path)),
  );
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** What the program says that was started, and what the build takes it for. */
const started = (env: Readonly<Record<string, string>> = {}): [said: string, isPacked: boolean] => {
  const { stdout } = spawnSync(process.execPath, [join(root, 'server/pda/entry.js')], {
    encoding: 'utf8',
    env: { ...process.env, PDA_CODE_CACHE: join(root, 'code'), ...env },
  });
  return [stdout.trim(), isPacked(root)];
};

describe('a start runs', () => {
  it('what was packed while nothing has changed', () => {
    expect(started()).toStrictEqual(['packed', true]);
  });

  it('the sources when they are asked for', () => {
    expect(started({ PDA_FROM_SOURCES: '1' })[0]).toBe('sources');
  });

  it('the sources when one of them is longer', () => {
    write(SOURCES[1], 'export const other = 12;');
    expect(started()).toStrictEqual(['sources', false]);
  });

  it('the sources when one was written again, be it of the same length', () => {
    utimesSync(join(root, SOURCES[1]), new Date(), new Date(1_700_000_000_000));
    expect(started()).toStrictEqual(['sources', false]);
  });

  it('the sources when one is gone', () => {
    rmSync(join(root, SOURCES[1]));
    expect(started()).toStrictEqual(['sources', false]);
  });

  it('the sources when nothing was packed', () => {
    forgetPacked(root);
    expect(started()).toStrictEqual(['sources', false]);
  });

  it.each(['', '[["server/pda/commands.ts",', '{}', 'null', '[1]'])('the sources when the list is %j', (text) => {
    write('dist/server/packed-from.json', text);
    expect(started()).toStrictEqual(['sources', false]);
  });

  it('what was packed where no sources are', () => {
    rmSync(join(root, 'server/pda/commands.ts'));
    writePackedFrom(root, []);
    expect(started()).toStrictEqual(['packed', true]);
  });
});
