import { isObject } from '../server/wire/values.ts';
/** What the staged app is for. */
export type Target = { readonly platform: NodeJS.Platform; readonly arch: string; readonly musl: boolean };

/** One package to carry, as a folder: `node_modules/a`, `node_modules/a/node_modules/b`. */
export type Carried = { readonly folder: string; readonly name: string };

type Json = Readonly<Record<string, unknown>>;
type Entries = ReadonlyMap<string, Json>;

/** Packages that only help to compile others, which come compiled. */
const ONLY_TO_COMPILE = new Set(['node-addon-api']);

/** A module by its name where code names one: an import, a `require` under whatever name the bundler gave it, the place of a package. */
const NAMED =
  /(?:\bfrom|\bimport|\brequire\d*|\bpackageFolder)\s*\(?\s*["'](?<name>(?:@[\w.-]+\/)?[\w.-]+)(?:\/[^"']*)?["']/g;

/**
 * The packages of the project that code names, in order. Other words are none of its imports: Node's own modules, and what only looks like one.
 *
 * @param lock the content of package-lock.json
 * @throws {TypeError} when it is not a lockfile of npm 7 or later
 */
export function packagesNamedIn(code: Iterable<string>, lock: unknown): readonly string[] {
  const known = at(entriesOf(lock).get('') ?? {}, 'dependencies');
  const named = new Set<string>();
  for (const text of code) {
    for (const { groups } of text.matchAll(NAMED)) {
      const name = groups?.['name'] ?? '';
      if (Object.hasOwn(known, name)) named.add(name);
    }
  }
  return [...named].toSorted();
}

/**
 * The packages to carry: those named, and what they need in turn. What is made for another system stays behind. The lockfile knows it exactly; walking
 * `node_modules` would only guess.
 *
 * @param lock the content of package-lock.json
 * @param named packages of the project itself
 * @throws {TypeError} when the lockfile is not one, or does not know a package that is needed
 */
export function packagesToCarry(lock: unknown, named: readonly string[], target: Target): readonly Carried[] {
  const entries = entriesOf(lock);
  const carried = new Map<string, Carried>();
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
    const canBeWithout = at(entry, 'peerDependenciesMeta');
    const needs = [
      ...Object.keys(at(entry, 'dependencies')),
      ...Object.keys(at(entry, 'optionalDependencies')),
      ...Object.keys(at(entry, 'peerDependencies')).filter((peer) => at(canBeWithout, peer)['optional'] !== true),
    ];
    for (const need of needs) add(need, folder);
  };
  for (const name of named) add(name, '');
  return [...carried.values()].toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
}

/** Whether a package's `os`, `cpu` and `libc` fit; one that says nothing fits all. */
function isFor(entry: Json, { platform, arch, musl }: Target): boolean {
  const fits = (key: string, value: string): boolean => {
    const list = entry[key];
    return !Array.isArray(list) || list.includes(value);
  };
  return fits('os', platform) && fits('cpu', arch) && (platform !== 'linux' || fits('libc', musl ? 'musl' : 'glibc'));
}

/** Where Node looks from a package's folder: inside it, then in each folder above. */
function foldersAbove(folder: string): readonly string[] {
  const found: string[] = [];
  for (let above = folder; above !== ''; above = above.slice(0, Math.max(0, above.lastIndexOf('/node_modules/'))))
    found.push(`${above}/`);
  return [...found, ''];
}

function entriesOf(lock: unknown): Entries {
  const packages = isObject(lock) ? lock['packages'] : undefined;
  if (!isObject(packages)) throw new TypeError('package-lock.json has no "packages": write it with npm 7 or later');
  return new Map(Object.entries(packages).flatMap(([folder, entry]) => (isObject(entry) ? [[folder, entry]] : [])));
}

function at(value: Json, key: string): Json {
  const found = value[key];
  return isObject(found) ? found : {};
}
