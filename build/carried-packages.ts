import { isObject } from '../server/wire/values.ts';
/** The system that the staged app is for. */
export type Target = { readonly platform: NodeJS.Platform; readonly arch: string; readonly musl: boolean };

/** One package to carry, by folder: `node_modules/a`, `node_modules/a/node_modules/b`. */
export type CarriedPackage = { readonly folder: string; readonly name: string };

type Json = Readonly<Record<string, unknown>>;
type Entries = ReadonlyMap<string, Json>;

/** Packages needed only to compile native modules, which are carried compiled. */
const ONLY_TO_COMPILE = new Set(['node-addon-api']);

/** Module names in code: in imports, in `require` under any name that a bundler gave it, and in package paths. */
const NAMED =
  /(?:\bfrom|\bimport|\brequire\d*|\bpackageFolder)\s*\(?\s*["'](?<name>(?:@[\w.-]+\/)?[\w.-]+)(?:\/[^"']*)?["']/g;

/**
 * Returns the packages of the project that code names, sorted. Ignores Node's own modules and strings that only look
 * like imports.
 * @param lock content of package-lock.json
 * @throws {TypeError} if it is not a lockfile of npm 7 or later
 */
export function packagesNamedIn(code: Iterable<string>, lock: unknown): readonly string[] {
  const declaredDependencies = memberOf(entriesOf(lock).get('') ?? {}, 'dependencies');
  const named = new Set<string>();
  for (const text of code) {
    for (const { groups } of text.matchAll(NAMED)) {
      const name = groups?.['name'] ?? '';
      if (Object.hasOwn(declaredDependencies, name)) named.add(name);
    }
  }
  return [...named].toSorted();
}

/**
 * Returns the packages to carry: the named ones and their dependencies, without those for other systems. The lockfile
 * is exact, while walking `node_modules` would guess.
 * @param lock content of package-lock.json
 * @param named packages of the project itself
 * @throws {TypeError} if the lockfile is invalid or lacks a required package
 */
export function packagesToCarry(lock: unknown, named: readonly string[], target: Target): readonly CarriedPackage[] {
  const entries = entriesOf(lock);
  const carried = new Map<string, CarriedPackage>();
  const add = (name: string, neededBy: string): void => {
    if (ONLY_TO_COMPILE.has(name)) return;
    const folder = foldersAbove(neededBy)
      .map((above) => `${above}node_modules/${name}`)
      .find((candidate) => entries.has(candidate));
    const entry = folder === undefined ? undefined : entries.get(folder);
    if (folder === undefined || entry === undefined)
      throw new TypeError(`package-lock.json does not know ${name}, which ${neededBy || 'the server'} needs`);
    if (carried.has(folder) || !isFor(entry, target)) return;
    carried.set(folder, { folder, name });
    const canBeWithout = memberOf(entry, 'peerDependenciesMeta');
    const needs = [
      ...Object.keys(memberOf(entry, 'dependencies')),
      ...Object.keys(memberOf(entry, 'optionalDependencies')),
      ...Object.keys(memberOf(entry, 'peerDependencies')).filter(
        (peer) => memberOf(canBeWithout, peer)['optional'] !== true,
      ),
    ];
    for (const need of needs) add(need, folder);
  };
  for (const name of named) add(name, '');
  return [...carried.values()].toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
}

/** Returns true if a package's `os`, `cpu` and `libc` match; missing fields match everything. */
function isFor(entry: Json, { platform, arch, musl }: Target): boolean {
  const fits = (key: string, value: string): boolean => {
    const list = entry[key];
    return !Array.isArray(list) || list.includes(value);
  };
  return fits('os', platform) && fits('cpu', arch) && (platform !== 'linux' || fits('libc', musl ? 'musl' : 'glibc'));
}

/** Returns the folders in which Node resolves a package's dependencies: its own, then each one above. */
function foldersAbove(folder: string): readonly string[] {
  const folders: string[] = [];
  for (let above = folder; above !== ''; above = above.slice(0, Math.max(0, above.lastIndexOf('/node_modules/'))))
    folders.push(`${above}/`);
  return [...folders, ''];
}

function entriesOf(lock: unknown): Entries {
  const packages = isObject(lock) ? lock['packages'] : undefined;
  if (!isObject(packages)) throw new TypeError('package-lock.json has no "packages": write it with npm 7 or later');
  return new Map(Object.entries(packages).flatMap(([folder, entry]) => (isObject(entry) ? [[folder, entry]] : [])));
}

function memberOf(value: Json, key: string): Json {
  const member = value[key];
  return isObject(member) ? member : {};
}
