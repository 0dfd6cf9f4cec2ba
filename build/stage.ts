import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { nodeFileName } from '../main/server/installation.ts';
import { isObject } from '../server/wire/values.ts';
import { packagesNamedIn, packagesToShip, type Target } from './shipped-packages.ts';
import { DOCS_FOLDER } from './docs.ts';
import { parseModule } from './module-facts.ts';

const ENTRY_POINT = 'server/pda/cli/main.js';
const SERVER = 'server';
const SANDBOX = 'functions-sandbox';
/** Built dashboard. Omitted, like the guide, if it was not built. */
const DASHBOARD = 'renderer/dashboard/dist';

const NEVER_LOADED: Readonly<Record<string, RegExp>> = {
  'better-sqlite3': /^(?:deps|src)(?:\/|$)/,
  'isolated-vm': /^(?:src|vendor|native-example|scripts|inspector-example\.js)(?:\/|$)/,
  zod: /^(?:src|v3|mini|v4-mini|v4\/mini)(?:\/|$)|\.cjs$/,
  htmlparser2: /^src(?:\/|$)/,
  unpdf: /\.cjs$/,
  'csv-parse': /^dist(?:\/|$)/,
  '@zxcvbn-ts/core': /^(?:src|dist\/zxcvbn-ts\.js)(?:\/|$)|\.mjs$/,
  '@zxcvbn-ts/language-common': /^(?:src|dist\/zxcvbn-ts\.js)(?:\/|$)|\.mjs$/,
  '@zxcvbn-ts/language-en': /^(?:src|dist\/zxcvbn-ts\.js)(?:\/|$)|\.mjs$/,
};

/** Top-level files and folders that no package loads. Deeper folders of these names may contain code. */
const NEVER_LOADED_IN_ANY_PACKAGE =
  /^(?:tests?|__tests__|benchmarks?|bench|examples?|docs|\.github)(?:\/|$)|^(?:CNAME|favicon\.ico|index\.html|[^/]+\.sh)$/;

/** TypeScript, source maps, UMD builds, build files and developer documentation. */
const NOT_NEEDED_AT_RUNTIME =
  /\.(?:d\.[cm]?ts|[cm]?ts|tsx|map|flow|markdown|md|tsbuildinfo|gypi?|tgz|ya?ml|umd(?:\.min)?\.js)$|(?:^|\/)(?:Dockerfile|\.[^/]+$)/;
/** Kept unless their folder is never loaded: licences must accompany the code. */
const LICENCE = /(?:^|\/)(?:licen[cs]e|copying|notice)[^/]*$/i;

/** Returns the target of the current machine, because the app contains this machine's Node binary. */
export function currentTarget(): Target {
  return {
    platform: process.platform,
    arch: process.arch,
    musl: process.platform === 'linux' && existsSync('/etc/alpine-release'),
  };
}

/** @param path inside the package, with forward slashes */
export function keepsPackageFile(name: string, path: string, target: Target): boolean {
  if (NEVER_LOADED_IN_ANY_PACKAGE.test(path) || NEVER_LOADED[name]?.test(path) === true) return false;
  if (LICENCE.test(path)) return true;
  const prebuilt = /(?:^|\/)(?<platform>linux|linuxmusl|darwin|win32)-(?<arch>x64|arm64|ia32|arm)\.node$/.exec(
    path,
  )?.groups;
  const prebuiltByAbi =
    /^prebuilds\/(?<platform>[a-z0-9]+)-(?<arch>[a-z0-9]+)\/[^/]+\.abi(?<abi>\d+)(?:\.(?<libc>glibc|musl))?\.node$/.exec(
      path,
    )?.groups;
  if (prebuiltByAbi !== undefined) {
    const libc = target.musl ? 'musl' : 'glibc';
    return (
      prebuiltByAbi['platform'] === target.platform &&
      prebuiltByAbi['arch'] === target.arch &&
      prebuiltByAbi['abi'] === process.versions.modules &&
      (prebuiltByAbi['libc'] ?? libc) === libc
    );
  }
  if (prebuilt !== undefined) {
    const platform = target.musl ? 'linuxmusl' : target.platform;
    return prebuilt['platform'] === platform && prebuilt['arch'] === target.arch;
  }
  return !NOT_NEEDED_AT_RUNTIME.test(path);
}

export function keepsProjectFile(path: string): boolean {
  return !/\.test(?:-support)?\.tsx?$|\.map$/.test(path);
}

export type StagedPart = { readonly name: string; readonly bytes: number };

/**
 * Lays out `<folder>/pda` like the installed app.
 * @returns the parts with their sizes
 * @throws {Error} if a required package or the pinned Node is missing
 */
export function stagePda(root: string, folder: string, target: Target): readonly StagedPart[] {
  const pda = join(folder, 'pda');
  rmSync(pda, { recursive: true, force: true });
  mkdirSync(pda, { recursive: true });

  const code: string[] = [];
  for (const path of sourcesOf(root)) {
    code.push(readFileSync(join(root, path), 'utf8'));
    copyFile(join(root, path), join(pda, path));
  }
  copy(join(root, SANDBOX), join(pda, SANDBOX), keepsProjectFile);
  for (const path of readdirSync(join(root, SANDBOX), { recursive: true, encoding: 'utf8' }))
    if (/\.c?js$/.test(path)) code.push(readFileSync(join(root, SANDBOX, path), 'utf8'));
  for (const buildFolder of [DASHBOARD, DOCS_FOLDER])
    if (existsSync(join(root, buildFolder))) copy(join(root, buildFolder), join(pda, buildFolder), keepsProjectFile);

  const lock: unknown = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  for (const { folder: packageFolder, name } of packagesToShip(lock, packagesNamedIn(code, lock), target)) {
    if (!existsSync(join(root, packageFolder)))
      throw new Error(`${packageFolder} is in package-lock.json but not installed: run npm ci`);
    // Nested node_modules have their own entries in the lockfile.
    const keeps = (path: string): boolean =>
      path !== 'node_modules' && !path.startsWith('node_modules/') && keepsPackageFile(name, path, target);
    copy(join(root, packageFolder), join(pda, packageFolder), keeps);
  }

  const project: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { name, version } = isObject(project) ? project : {};
  // Without this file, Node would search for "type" in the folders above.
  writeFileSync(
    join(pda, 'package.json'),
    `${JSON.stringify({ name, version, private: true, type: 'module' }, null, 2)}\n`,
  );
  const node = join('bin', nodeFileName(target.platform));
  copyFile(join(root, 'node_modules', 'node', node), join(pda, node));

  return ['bin', 'node_modules', SERVER, SANDBOX, DASHBOARD, DOCS_FOLDER]
    .filter((part) => existsSync(join(pda, part)))
    .map((part) => ({ name: part === 'bin' ? 'node' : part, bytes: bytesOf(join(pda, part)) }));
}

const MODULE_URL = /new URL\(\s*'(?<path>[^']+\.ts)',\s*import\.meta\.url\s*\)/g;

/** Returns the sources that the server loads: the entry point, its imports, and its threads and processes. */
function sourcesOf(root: string): readonly string[] {
  const sources = new Set([ENTRY_POINT]);
  for (const path of sources) {
    const source = readFileSync(join(root, path), 'utf8');
    const specifiers = [
      ...parseModule(path, source).imports.flatMap(({ kind, specifier }) =>
        kind === 'value' ? [specifier ?? ''] : [],
      ),
      ...[...source.matchAll(MODULE_URL)].map(({ groups }) => `./${groups?.['path'] ?? ''}`),
    ];
    for (const specifier of specifiers)
      if (specifier.startsWith('.')) sources.add(posix.join(posix.dirname(path), specifier));
  }
  return [...sources].toSorted();
}

export function bytesOf(path: string): number {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}

function copy(from: string, to: string, keep: (path: string) => boolean): void {
  const walk = (path: string): void => {
    for (const entry of readdirSync(join(from, path), { withFileTypes: true })) {
      const entryPath = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) {
        if (keep(entryPath)) walk(entryPath);
      } else if (keep(entryPath)) {
        copyFile(join(from, entryPath), join(to, entryPath));
      }
    }
  };
  walk('');
}

function copyFile(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { dereference: true });
}
