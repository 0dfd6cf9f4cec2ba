import { isObject } from '../server/wire/values.ts';

export type Target = { readonly platform: NodeJS.Platform; readonly arch: string; readonly musl: boolean };

/** A package that the app contains. `folder`: for example `node_modules/a/node_modules/b`. */
export type ShippedPackage = { readonly folder: string; readonly name: string };

type Json = Readonly<Record<string, unknown>>;
type Entries = ReadonlyMap<string, Json>;

/** Packages that only the compilation of native modules needs. The app contains the compiled modules. */
const COMPILE_ONLY_PACKAGES = new Set(['node-addon-api']);

/** Module names in imports, in `require` (which bundlers number, as in `require2`), and in `packageFolder`. */
const PACKAGE_REFERENCE =
  /(?:\bfrom|\bimport|\brequire\d*|\bpackageFolder)\s*\(?\s*["'](?<name>(?:@[\w.-]+\/)?[\w.-]+)(?:\/[^"']*)?["']/g;

/**
 * Returns the names of the project's dependencies that code imports, sorted.
 * @param lock content of package-lock.json
 * @throws {TypeError} if the lockfile has no `packages`, as before npm 7
 */
export function packagesNamedIn(code: Iterable<string>, lock: unknown): readonly string[] {
  const declaredDependencies = memberOf(entriesOf(lock).get('') ?? {}, 'dependencies');
  const names = new Set<string>();
  for (const text of code) {
    for (const { groups } of text.matchAll(PACKAGE_REFERENCE)) {
      const name = groups?.['name'] ?? '';
      if (Object.hasOwn(declaredDependencies, name)) names.add(name);
    }
  }
  return [...names].toSorted();
}

/**
 * Returns the named packages and their dependencies, without packages for other systems and `COMPILE_ONLY_PACKAGES`.
 * @throws {TypeError} if the lockfile is invalid or lacks a package
 */
export function packagesToShip(lock: unknown, names: readonly string[], target: Target): readonly ShippedPackage[] {
  const entries = entriesOf(lock);
  const shippedPackages = new Map<string, ShippedPackage>();
  const add = (name: string, neededBy: string): void => {
    if (COMPILE_ONLY_PACKAGES.has(name)) return;
    const folder = resolutionFolders(neededBy)
      .map((parent) => `${parent}node_modules/${name}`)
      .find((candidate) => entries.has(candidate));
    const entry = folder === undefined ? undefined : entries.get(folder);
    if (folder === undefined || entry === undefined)
      throw new TypeError(`package-lock.json does not contain ${name}, which ${neededBy || 'the server'} needs`);
    if (shippedPackages.has(folder) || !isForTarget(entry, target)) return;
    shippedPackages.set(folder, { folder, name });
    const optionalPeers = memberOf(entry, 'peerDependenciesMeta');
    const needs = [
      ...Object.keys(memberOf(entry, 'dependencies')),
      ...Object.keys(memberOf(entry, 'optionalDependencies')),
      ...Object.keys(memberOf(entry, 'peerDependencies')).filter(
        (peer) => memberOf(optionalPeers, peer)['optional'] !== true,
      ),
    ];
    for (const need of needs) add(need, folder);
  };
  for (const name of names) add(name, '');
  return [...shippedPackages.values()].toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
}

/** Checks `os`, `cpu` and `libc` of a package. Missing fields match every target. */
function isForTarget(entry: Json, { platform, arch, musl }: Target): boolean {
  const matches = (key: string, value: string): boolean => {
    const list = entry[key];
    return !Array.isArray(list) || list.includes(value);
  };
  return (
    matches('os', platform) &&
    matches('cpu', arch) &&
    (platform !== 'linux' || matches('libc', musl ? 'musl' : 'glibc'))
  );
}

/** Returns the folders in which Node searches for a package's dependencies: its own, then each enclosing one. */
function resolutionFolders(folder: string): readonly string[] {
  const folders: string[] = [];
  for (let parent = folder; parent !== ''; parent = parent.slice(0, Math.max(0, parent.lastIndexOf('/node_modules/'))))
    folders.push(`${parent}/`);
  return [...folders, ''];
}

function entriesOf(lock: unknown): Entries {
  const packages = isObject(lock) ? lock['packages'] : undefined;
  if (!isObject(packages)) throw new TypeError('package-lock.json has no "packages": create it with npm 7 or later');
  return new Map(Object.entries(packages).flatMap(([folder, entry]) => (isObject(entry) ? [[folder, entry]] : [])));
}

function memberOf(value: Json, key: string): Json {
  const member = value[key];
  return isObject(member) ? member : {};
}
