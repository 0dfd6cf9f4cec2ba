import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packagedInstallation } from '../main/server/installation.ts';
import { keepsProjectFile, keepsPackageFile, stagePda } from './stage.ts';

const LINUX = { platform: 'linux', arch: 'x64', musl: false } as const;
const LOCK = {
  packages: {
    '': { name: 'project', dependencies: { koa: '1', '@scope/native': '1', unused: '1' } },
    'node_modules/koa': { dependencies: { 'mime-db': '1' } },
    'node_modules/koa/node_modules/mime-db': {},
    'node_modules/@scope/native': { optionalDependencies: { '@scope/native-win32': '1' } },
    'node_modules/@scope/native-win32': { optional: true, os: ['win32'] },
    'node_modules/unused': {},
    'node_modules/vite': { dev: true },
  },
};

describe('the packages of the app', () => {
  it.each([
    ['koa', 'lib/application.js'],
    ['koa', 'package.json'],
    ['koa', 'LICENSE.md'],
    ['koa', 'lib/test/helper.js'],
    ['better-sqlite3', 'prebuilds/linux-x64.node'],
    ['better-sqlite3', 'lib/linux-x64.js'],
    ['mime-db', 'db.json'],
    ['zod', 'v4/core/schemas.js'],
    ['csv-parse', 'lib/index.js'],
    ['@zxcvbn-ts/language-en', 'dist/index.cjs'],
    ['@zxcvbn-ts/language-en', 'LICENSE.txt'],
    ['@node-rs/argon2-linux-x64-gnu', 'argon2.linux-x64-gnu.node'],
  ])('include run-time files and licences: %s %s', (name, path) => {
    expect(keepsPackageFile(name, path, LINUX)).toBe(true);
  });

  it.each([
    ['koa', 'README.md'],
    ['koa', 'index.d.ts'],
    ['koa', 'index.d.cts'],
    ['koa', 'dist/index.js.map'],
    ['koa', 'test/index.js'],
    ['zod', 'src/index.ts'],
    ['zod', 'v4/core/schemas.cjs'],
    ['csv-parse', 'dist/umd/index.js'],
    ['@zxcvbn-ts/language-en', 'src/lastnames.json'],
    ['@zxcvbn-ts/language-en', 'dist/index.mjs'],
    ['pino', 'favicon.ico'],
    ['isolated-vm', 'Dockerfile.alpine'],
    ['better-sqlite3', 'deps/sqlite3/sqlite3.c'],
    ['better-sqlite3', 'prebuilds/darwin-arm64.node'],
    ['better-sqlite3', 'prebuilds/linux-arm64.node'],
    ['better-sqlite3', 'prebuilds/linuxmusl-x64.node'],
    ['isolated-vm', 'isolated-vm-7.0.1.tgz'],
    ['isolated-vm', 'vendor/v8_inspector/string-16.h'],
    ['isolated-vm', 'prebuilds/darwin-arm64/isolated-vm.abi137.node'],
    ['isolated-vm', 'prebuilds/linux-x64/isolated-vm.abi137.musl.node'],
    ['isolated-vm', 'prebuilds/linux-x64/isolated-vm.abi1.glibc.node'],
  ])('exclude other files: %s %s', (name, path) => {
    expect(keepsPackageFile(name, path, LINUX)).toBe(false);
  });

  it('include musl binaries for a musl target', () => {
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
  it('are staged without tests and source maps', () => {
    expect(keepsProjectFile('records/service.ts')).toBe(true);
    expect(keepsProjectFile('records/service.test.ts')).toBe(false);
    expect(keepsProjectFile('queries/database.test-support.ts')).toBe(false);
    expect(keepsProjectFile('assets/index.js.map')).toBe(false);
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
      'server/exchange/cli.ts',
      'functions-sandbox/hardening.test.ts',
      'renderer/dashboard/dist/index.html',
      'renderer/dashboard/main.tsx',
    ])
      write(path);
    write('server/pda/cli/main.js', `await import('./commands.ts');`);
    write('functions-sandbox/sandbox.cjs', `require('@scope/native')`);
    write(
      'server/pda/cli/commands.ts',
      `import type { Type } from '../types.ts'; import '../../platform/http.ts'; new Worker(new URL('../a/thread.ts', import.meta.url));`,
    );
    write('server/platform/http.ts', `import koa from 'koa'; import fs from 'node:fs';`);
    write('server/pda/a/thread.ts');
    write('server/pda/types.ts');
    write('server/pda/unused.ts', `import 'unused'`);
    for (const path of [
      'koa/lib/application.js',
      'koa/node_modules/mime-db/db.json',
      '@scope/native/index.js',
      'unused/index.js',
      'vite/index.js',
      'node/bin/node',
      'node/README.md',
    ])
      write(`node_modules/${path}`);
    write('package.json', '{"name":"project","version":"1.2.3"}');
    write('package-lock.json', JSON.stringify(LOCK));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('contains all run-time files in the expected layout and nothing else', () => {
    write('out/pda/left-over', '');
    const parts = stagePda(root, join(root, 'out'), LINUX);
    const { root: pda, node } = packagedInstallation(join(root, 'out'), 'linux');
    const files = readdirSync(pda, { recursive: true, encoding: 'utf8' }).filter((path) =>
      statSync(join(pda, path)).isFile(),
    );
    expect(files.toSorted()).toEqual([
      'bin/node',
      'functions-sandbox/sandbox.cjs',
      'node_modules/@scope/native/index.js',
      'node_modules/koa/lib/application.js',
      'node_modules/koa/node_modules/mime-db/db.json',
      'package.json',
      'renderer/dashboard/dist/index.html',
      'server/pda/a/thread.ts',
      'server/pda/cli/commands.ts',
      'server/pda/cli/main.js',
      'server/platform/http.ts',
    ]);
    expect(node).toBe(join(pda, 'bin/node'));
    expect(parts.map(({ name }) => name)).toEqual([
      'node',
      'node_modules',
      'server',
      'functions-sandbox',
      'renderer/dashboard/dist',
    ]);
  });

  it('throws if a required package is not installed', () => {
    rmSync(join(root, 'node_modules/koa'), { recursive: true });
    expect(() => stagePda(root, join(root, 'out'), LINUX)).toThrow(
      'node_modules/koa is in package-lock.json but not installed',
    );
  });
});
