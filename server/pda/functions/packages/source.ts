import { constants, createReadStream } from 'node:fs';
import { lstat, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../../platform/failure.ts';
import { scanValue } from '../../../platform/json/text.ts';
import { functionManifestSchema, type FunctionManifest } from '../../../wire/functions.ts';
import { MAX_FUNCTION_MANIFEST_BYTES, MAX_FUNCTION_PACKAGE_BYTES } from '../../../wire/limits.ts';
import { openZip as openAnyZip, type Zip } from '../../../platform/archive/zip.ts';

/** Opens the zip file of a package. @throws Failure invalid_input */
const openZip = (path: string): Promise<Zip> =>
  openAnyZip(path, {
    packedBytes: MAX_FUNCTION_PACKAGE_BYTES,
    unpackedBytes: MAX_FUNCTION_PACKAGE_BYTES,
    entries: 10_000,
    listBytes: 4_000_000,
    refuse: (problem) => new Failure('invalid_input', `This zip file is not taken: ${problem}. Nothing was installed.`),
  });

/** What a package holds, wherever it lies: its manifest, and the bytes of its one module. */
export type PackageSource = {
  manifest: FunctionManifest;
  /** What of it is looked at: unpacked bytes. */
  module: { name: string; size: number; content: () => AsyncIterable<Buffer> };
};

const MANIFEST = 'manifest.json';
const MODULE = /\.m?js$/u;
const TESTS = /\.(?:test|spec)\.m?js$/u;

const refuse = (problem: string): Failure =>
  new Failure('invalid_input', `This package is not taken: ${problem}. Nothing was installed.`);

const manifestFrom = (bytes: Buffer): FunctionManifest => {
  const scan = scanValue(bytes);
  if (!scan.ok) throw refuse(`${MANIFEST} is not JSON: ${scan.cause}`);
  const found = functionManifestSchema.safeParse(JSON.parse(scan.text));
  if (found.success) return found.data;
  const details = found.error.issues.map((issue) => ({
    path: [MANIFEST, ...issue.path].join('.'),
    problem: issue.message,
  }));
  const [first] = details;
  throw new Failure(
    'invalid_input',
    `This package is not taken: ${first?.path}: ${first?.problem}. Nothing was installed.`,
    { details },
  );
};

const moduleAmong = (names: readonly string[]): string => {
  const modules = names.filter((name) => MODULE.test(name) && !TESTS.test(name));
  const [only] = modules;
  if (only === undefined) throw refuse('beside its manifest there is no .js or .mjs file');
  if (modules.length > 1) throw refuse(`a package is one module, and there are ${modules.join(', ')}`);
  return only;
};

const gather = async (pieces: AsyncIterable<Buffer>, most: number): Promise<Buffer> => {
  const all: Buffer[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > most) throw refuse(`${MANIFEST} is larger than ${most} bytes`);
    all.push(piece);
  }
  return Buffer.concat(all);
};

/** A file itself, not where a link of that name leads. */
const fileSize = async (path: string): Promise<number | undefined> => {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() === true ? found.size : undefined;
};

async function* bytesOf(path: string): AsyncGenerator<Buffer> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  yield* createReadStream(path, { fd: handle }) as AsyncIterable<Buffer>;
}

const fromFolder = async (folder: string): Promise<PackageSource> => {
  const manifestSize = await fileSize(join(folder, MANIFEST));
  if (manifestSize === undefined) throw refuse(`there is no ${MANIFEST} in it`);
  const manifest = manifestFrom(await gather(bytesOf(join(folder, MANIFEST)), MAX_FUNCTION_MANIFEST_BYTES));
  const names = (await readdir(folder, { withFileTypes: true })).filter((one) => !one.isDirectory());
  const name = moduleAmong(names.map((one) => one.name));
  const size = await fileSize(join(folder, name));
  if (size === undefined) throw refuse(`${name} is a link or a device`);
  if (size > MAX_FUNCTION_PACKAGE_BYTES) throw refuse(`it is larger than ${MAX_FUNCTION_PACKAGE_BYTES} bytes`);
  return {
    manifest,
    module: { name, size, content: () => bytesOf(join(folder, name)) },
  };
};

const fromZip = async (path: string): Promise<PackageSource> => {
  const zip = await openZip(path);
  const entries = zip.entries.filter(({ name }) => !/(?:^|\/)(?:__MACOSX\/|\.DS_Store$)/u.test(name));
  // Who packs a folder has its name before each file.
  const shortest = entries.find(({ name }) => /^(?:[^/]+\/)?manifest\.json$/u.test(name));
  if (shortest === undefined) throw refuse(`there is no ${MANIFEST} in it`);
  const folder = shortest.name.slice(0, -MANIFEST.length);
  const manifest = manifestFrom(await gather(zip.content(shortest), MAX_FUNCTION_MANIFEST_BYTES));
  const beside = entries.filter(({ name }) => name.startsWith(folder) && !name.slice(folder.length).includes('/'));
  const name = moduleAmong(beside.map((entry) => entry.name.slice(folder.length)));
  const entry = beside.find((one) => one.name === folder + name);
  if (entry === undefined) throw refuse('its module cannot be read');
  return {
    manifest,
    module: { name, size: entry.size, content: () => zip.content(entry) },
  };
};

/** Opens a folder or a zip file. @throws Failure not_found | invalid_input */
export const openPackage = async (path: string): Promise<PackageSource> => {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new Failure('not_found', `There is nothing at ${path}.`);
  return found.isDirectory() ? fromFolder(path) : fromZip(path);
};
