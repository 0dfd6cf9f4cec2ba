import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeFileName } from '../main/places.ts';

/** What of our own runs in the installed app, beside the shell. Files or folders; what is not there (yet) is left out. */
const OURS = ['server/wire', 'server/platform', 'server/pda', 'functions-sandbox', 'renderer/dist'];

/** Packages that only help to compile others, which come compiled. */
const ONLY_TO_COMPILE = new Set(['node-addon-api']);

/** Folders that packages carry and never load, by package; `*` for all. Only those at the top of a package: deeper ones may be code. */
const NEVER_LOADED: Readonly<Record<string, readonly string[]>> = {
  '*': ['test', 'tests', '__tests__', 'benchmark', 'benchmarks', 'bench', 'example', 'examples', 'docs', '.github'],
  'better-sqlite3': ['deps', 'src', 'binding.gyp'],
  // Twenty megabytes of sources, and a copy of itself.
  'isolated-vm': ['src', 'vendor', 'native-example', 'scripts', 'binding.gyp', 'isolated-vm-7.0.1.tgz'],
  // Its TypeScript sources, beside the built files.
  zod: ['src'],
};

/** Types, maps and words for developers. Licences stay: they must go with the code. */
const NOT_CODE = /\.(?:d\.[cm]?ts|[cm]?ts|tsx|map|flow|markdown|md|tsbuildinfo)$/;
const LICENCE = /(?:^|\/)(?:licen[cs]e|copying|notice)[^/]*$/i;

type Target = { readonly platform: NodeJS.Platform; readonly arch: string; readonly musl: boolean };

/** What this machine runs; also what the staged app is for, since the Node that is carried is this machine's. */
export function thisMachine(): Target {
  return {
    platform: process.platform,
    arch: process.arch,
    musl: process.platform === 'linux' && existsSync('/etc/alpine-release'),
  };
}

/**
 * The packages that run in production, as folders (`node_modules/a`, `node_modules/a/node_modules/b`), from the content of package-lock.json. The lockfile
 * knows it exactly; walking `node_modules` would only guess.
 *
 * @throws {TypeError} when the content is not a lockfile of npm 7 or later
 */
export function productionPackages(lock: unknown): readonly string[] {
  const packages = isRecord(lock) && isRecord(lock['packages']) ? lock['packages'] : null;
  if (packages === null) throw new TypeError('package-lock.json has no "packages": write it with npm 7 or later');
  return Object.entries(packages).flatMap(([folder, entry]) => {
    if (folder === '' || !isRecord(entry) || entry['dev'] === true) return [];
    return ONLY_TO_COMPILE.has(packageName(folder)) ? [] : [folder];
  });
}

/**
 * Whether a file of a package goes into the app.
 *
 * @param path inside the package, with forward slashes
 */
export function keepsPackageFile(name: string, path: string, target: Target): boolean {
  const [top = ''] = path.split('/');
  if ([...(NEVER_LOADED['*'] ?? []), ...(NEVER_LOADED[name] ?? [])].includes(top)) return false;
  if (LICENCE.test(path)) return true;
  const native = /(?:^|\/)(?<platform>linux|linuxmusl|darwin|win32)-(?<arch>x64|arm64|ia32|arm)\.node$/.exec(
    path,
  )?.groups;
  const built =
    /^prebuilds\/(?<platform>[a-z0-9]+)-(?<arch>[a-z0-9]+)\/[^/]+\.abi(?<abi>\d+)(?:\.(?<libc>glibc|musl))?\.node$/.exec(
      path,
    )?.groups;
  if (built !== undefined) {
    const libc = target.musl ? 'musl' : 'glibc';
    return (
      built['platform'] === target.platform &&
      built['arch'] === target.arch &&
      built['abi'] === process.versions.modules &&
      (built['libc'] ?? libc) === libc
    );
  }
  if (native !== undefined) {
    const platform = target.musl ? 'linuxmusl' : target.platform;
    return native['platform'] === platform && native['arch'] === target.arch;
  }
  return !NOT_CODE.test(path);
}

/** Whether a file of ours goes into the app: everything but tests. */
export function keepsOurFile(path: string): boolean {
  return !/\.test(?:-support)?\.tsx?$/.test(path);
}

/** One part of what is staged, with its size in bytes. */
export type StagedPart = { readonly name: string; readonly bytes: number };

/**
 * Lays out `<folder>/pda` as the installed app has it: `bin/node`, our sources, the built dashboard, production packages.
 *
 * @throws {Error} when a package of the lockfile that every platform needs is not installed, or the pinned Node is not there
 */
export function stagePda(root: string, folder: string, target: Target): readonly StagedPart[] {
  const pda = join(folder, 'pda');
  rmSync(pda, { recursive: true, force: true });
  mkdirSync(pda, { recursive: true });

  for (const part of OURS) {
    if (existsSync(join(root, part))) copy(join(root, part), join(pda, part), (path) => keepsOurFile(path));
  }

  const lock: unknown = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  for (const packageFolder of productionPackages(lock)) {
    const from = join(root, packageFolder);
    if (!existsSync(from)) {
      if (isOptional(lock, packageFolder)) continue;
      throw new Error(`${packageFolder} is in package-lock.json and not installed: run npm ci`);
    }
    const name = packageName(packageFolder);
    // Nested node_modules have entries of their own in the lockfile.
    copy(
      from,
      join(pda, packageFolder),
      (path) => path !== 'node_modules' && !path.startsWith('node_modules/') && keepsPackageFile(name, path, target),
    );
  }

  const project: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { name, version } = isRecord(project) ? project : {};
  // Without it Node would look for "type" in the folders above, and find whatever is there.
  writeFileSync(
    join(pda, 'package.json'),
    `${JSON.stringify({ name, version, private: true, type: 'module' }, null, 2)}\n`,
  );

  const node = join('bin', nodeFileName(target.platform));
  mkdirSync(join(pda, 'bin'));
  cpSync(join(root, 'node_modules', 'node', node), join(pda, node));

  return ['bin', 'node_modules', ...OURS]
    .filter((part) => existsSync(join(pda, part)))
    .map((part) => ({ name: part === 'bin' ? 'node' : part, bytes: bytesOf(join(pda, part)) }));
}

/** Bytes of a file or of all files of a folder. */
export function bytesOf(path: string): number {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}

/** Copies file by file, so that no empty folder is left of what is not kept. */
function copy(from: string, to: string, keep: (path: string) => boolean): void {
  const walk = (path: string): void => {
    for (const entry of readdirSync(join(from, path), { withFileTypes: true })) {
      const inside = path === '' ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory()) {
        if (keep(inside)) walk(inside);
      } else if (keep(inside)) {
        mkdirSync(dirname(join(to, inside)), { recursive: true });
        cpSync(join(from, inside), join(to, inside), { dereference: true });
      }
    }
  };
  walk('');
}

function packageName(folder: string): string {
  return folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function isOptional(lock: unknown, folder: string): boolean {
  const packages = isRecord(lock) ? lock['packages'] : null;
  const entry = isRecord(packages) ? packages[folder] : null;
  return isRecord(entry) && (entry['optional'] === true || entry['devOptional'] === true || entry['peer'] === true);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
