import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packagesNamedIn, packagesToShip } from './shipped-packages.ts';
import { missingParts, SYSTEMS } from './systems.ts';

const ROOT = dirname(import.meta.dirname);
const LINUX = { platform: 'linux', arch: 'x64', musl: false } as const;
const LOCK = {
  packages: {
    '': { name: 'project', dependencies: { a: '1', '@s/native': '1', unused: '1' }, devDependencies: { tool: '1' } },
    'node_modules/a': {
      dependencies: { b: '1', 'node-addon-api': '1' },
      peerDependencies: { c: '1', d: '1' },
      peerDependenciesMeta: { d: { optional: true } },
    },
    'node_modules/a/node_modules/b': { dependencies: { c: '1' } },
    'node_modules/b': {},
    'node_modules/c': { dependencies: { a: '1' } },
    'node_modules/d': {},
    'node_modules/@s/native': {
      optionalDependencies: { '@s/native-linux': '1', '@s/native-win32': '1', '@s/native-musl': '1' },
    },
    'node_modules/@s/native-linux': { os: ['linux'], cpu: ['x64'], libc: ['glibc'], optional: true },
    'node_modules/@s/native-musl': { os: ['linux'], cpu: ['x64'], libc: ['musl'], optional: true },
    'node_modules/@s/native-win32': { os: ['win32'], cpu: ['x64'], optional: true },
    'node_modules/node-addon-api': {},
    'node_modules/unused': {},
    'node_modules/tool': {},
  },
};
const foldersFor = (
  names: readonly string[],
  target: Parameters<typeof packagesToShip>[2] = LINUX,
): readonly string[] => packagesToShip(LOCK, names, target).map(({ folder }) => folder);

describe('packagesNamedIn', () => {
  it.each([
    `import x from 'a';`,
    `import 'a'`,
    `export { y } from "a/deep"`,
    `await import("a")`,
    `const { z } = require2("a");`,
    `packageFolder("a", folder)`,
  ])('finds the package in %s', (code) => {
    expect(packagesNamedIn([code], LOCK)).toEqual(['a']);
  });

  it('excludes built-in modules, development tools, relative paths and ordinary words', () => {
    const code = `import fs from 'fs'; import 'node:fs'; import 'tool'; say('a'); program.command("import", "a"); import './a'`;
    expect(packagesNamedIn([code], LOCK)).toEqual([]);
  });
});

describe('packagesToShip', () => {
  it('returns the named packages and their dependencies once each, resolved as in Node', () => {
    expect(foldersFor(['a'])).toEqual(['node_modules/a', 'node_modules/a/node_modules/b', 'node_modules/c']);
  });

  it('returns only the native packages of the target system', () => {
    expect(foldersFor(['@s/native'])).toEqual(['node_modules/@s/native', 'node_modules/@s/native-linux']);
    expect(foldersFor(['@s/native'], { ...LINUX, musl: true })).toContain('node_modules/@s/native-musl');
    expect(foldersFor(['@s/native'], { platform: 'darwin', arch: 'arm64', musl: false })).toEqual([
      'node_modules/@s/native',
    ]);
  });

  it('throws if the lockfile lacks a package', () => {
    expect(() => foldersFor(['missing'])).toThrow('does not contain missing, which the server needs');
  });

  it.each([null, [], {}, { packages: [] }, 'text'])('rejects an invalid lockfile: %j', (lock) => {
    expect(() => packagesToShip(lock, [], LINUX)).toThrow('package-lock.json');
  });

  it('includes indirect and native dependencies of the server, but no development, dashboard or service packages', () => {
    const lock: unknown = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
    const shippedPackages = packagesToShip(
      lock,
      ['better-sqlite3', 'pino', 'undici', 'jose', '@node-rs/argon2', 'isolated-vm'],
      LINUX,
    );
    const names = shippedPackages.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['node-gyp-build', 'sonic-boom', '@node-rs/argon2-linux-x64-gnu']));
    for (const name of ['pg', 'kysely', '@electric-sql/pglite', 'react', 'electron', 'esbuild'])
      expect(names).not.toContain(name);
  });
});

describe('missingParts', () => {
  it('lists native parts that are not installed for the target system', () => {
    const listMissingParts = (platform: NodeJS.Platform, arch: string): string =>
      missingParts(ROOT, { platform, arch, musl: false }).join('; ');
    expect(listMissingParts('win32', 'arm64')).toContain('isolated-vm (not built for this system');
    expect(listMissingParts('darwin', 'x64')).toContain('isolated-vm (not built for this system');
    expect(listMissingParts('darwin', 'arm64')).not.toContain('isolated-vm');
    expect(listMissingParts(process.platform, process.arch)).toBe('');
    expect(SYSTEMS).toHaveLength(6);
  });
});
