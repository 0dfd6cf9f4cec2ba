import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { partsOfInstalledApp } from '../main/places.ts';
import { keepsOurFile, keepsPackageFile, productionPackages, stagePda } from './stage.ts';

const LINUX = { platform: 'linux', arch: 'x64', musl: false } as const;
const LOCK = {
  packages: {
    '': { name: 'project' },
    'node_modules/koa': {},
    'node_modules/koa/node_modules/mime-db': {},
    'node_modules/@scope/native': {},
    'node_modules/@scope/native-win32': { optional: true },
    'node_modules/vite': { dev: true },
    'node_modules/node-addon-api': {},
  },
};

describe('the packages of the app', () => {
  it('are those of production, as the lockfile knows them', () => {
    expect(productionPackages(LOCK)).toEqual([
      'node_modules/koa',
      'node_modules/koa/node_modules/mime-db',
      'node_modules/@scope/native',
      'node_modules/@scope/native-win32',
    ]);
  });

  it.each([null, [], {}, { packages: [] }, 'text'])('are not guessed from something else: %j', (lock) => {
    expect(() => productionPackages(lock)).toThrow('package-lock.json');
  });

  it.each([
    ['koa', 'lib/application.js'],
    ['koa', 'package.json'],
    ['koa', 'LICENSE.md'],
    ['koa', 'lib/test/helper.js'],
    ['better-sqlite3', 'prebuilds/linux-x64.node'],
    ['better-sqlite3', 'lib/linux-x64.js'],
    ['mime-db', 'db.json'],
    ['@node-rs/argon2-linux-x64-gnu', 'argon2.linux-x64-gnu.node'],
  ])('come with what runs: %s %s', (name, path) => {
    expect(keepsPackageFile(name, path, LINUX)).toBe(true);
  });

  it.each([
    ['koa', 'README.md'],
    ['koa', 'index.d.ts'],
    ['koa', 'index.d.cts'],
    ['koa', 'dist/index.js.map'],
    ['koa', 'test/index.js'],
    ['zod', 'src/index.ts'],
    ['better-sqlite3', 'deps/sqlite3/sqlite3.c'],
    ['better-sqlite3', 'prebuilds/darwin-arm64.node'],
    ['better-sqlite3', 'prebuilds/linux-arm64.node'],
    ['better-sqlite3', 'prebuilds/linuxmusl-x64.node'],
    ['isolated-vm', 'isolated-vm-7.0.1.tgz'],
    ['isolated-vm', 'vendor/v8_inspector/string-16.h'],
    ['isolated-vm', 'prebuilds/darwin-arm64/isolated-vm.abi137.node'],
    ['isolated-vm', 'prebuilds/linux-x64/isolated-vm.abi137.musl.node'],
    ['isolated-vm', 'prebuilds/linux-x64/isolated-vm.abi1.glibc.node'],
  ])('leave behind what does not: %s %s', (name, path) => {
    expect(keepsPackageFile(name, path, LINUX)).toBe(false);
  });

  it('bring the native files of a musl system to a musl system', () => {
    const musl = { ...LINUX, musl: true };
    expect(keepsPackageFile('better-sqlite3', 'prebuilds/linuxmusl-x64.node', musl)).toBe(true);
    expect(keepsPackageFile('better-sqlite3', 'prebuilds/linux-x64.node', musl)).toBe(false);
    const isolatedVm = `prebuilds/linux-x64/isolated-vm.abi${process.versions.modules}`;
    expect(keepsPackageFile('isolated-vm', `${isolatedVm}.musl.node`, musl)).toBe(true);
    expect(keepsPackageFile('isolated-vm', `${isolatedVm}.glibc.node`, musl)).toBe(false);
    expect(keepsPackageFile('isolated-vm', `${isolatedVm}.glibc.node`, LINUX)).toBe(true);
  });
});

describe('our own files', () => {
  it('go along without tests', () => {
    expect(keepsOurFile('records/service.ts')).toBe(true);
    expect(keepsOurFile('records/service.test.ts')).toBe(false);
    expect(keepsOurFile('queries/database.test-support.ts')).toBe(false);
  });
});

describe('the stage', () => {
  let root: string;
  const write = (path: string, text = ''): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'stage-'));
    for (const path of [
      'server/pda/entry.js',
      'server/pda/cli.test.ts',
      'server/exchange/cli.ts',
      'renderer/dist/index.html',
      'renderer/main.tsx',
    ])
      write(path);
    for (const path of [
      'koa/lib/application.js',
      'koa/node_modules/mime-db/db.json',
      '@scope/native/index.js',
      'vite/index.js',
      'node/bin/node',
    ])
      write(`node_modules/${path}`);
    write('package.json', '{"name":"project","version":"1.2.3"}');
    write('package-lock.json', JSON.stringify(LOCK));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('has everything where the shell looks for it, and nothing that does not run', () => {
    write('out/pda/left-over', '');
    const parts = stagePda(root, join(root, 'out'), LINUX);
    const there = (path: string): boolean => existsSync(join(root, 'out/pda', path));
    const { root: pda, node } = partsOfInstalledApp(join(root, 'out'), 'linux');
    expect(existsSync(node)).toBe(true);
    expect(existsSync(join(pda, 'server/pda/entry.js'))).toBe(true);
    for (const path of [
      'renderer/dist/index.html',
      'node_modules/koa/node_modules/mime-db/db.json',
      'node_modules/@scope/native/index.js',
      'package.json',
    ])
      expect([path, there(path)]).toEqual([path, true]);
    for (const path of [
      'server/pda/cli.test.ts',
      'server/exchange',
      'renderer/main.tsx',
      'node_modules/vite',
      'left-over',
    ])
      expect([path, there(path)]).toEqual([path, false]);
    expect(parts.map(({ name }) => name)).toEqual(['node', 'node_modules', 'server/pda', 'renderer/dist']);
  });

  it('is refused when a package is missing that every system needs', () => {
    rmSync(join(root, 'node_modules/koa'), { recursive: true });
    expect(() => stagePda(root, join(root, 'out'), LINUX)).toThrow(
      'node_modules/koa is in package-lock.json and not installed',
    );
  });
});
