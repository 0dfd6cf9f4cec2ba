import { constants, createReadStream } from 'node:fs';
import { lstat, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../../platform/failure.ts';
import { describeIssue } from '../../../platform/http/request/validation-messages.ts';
import { scanValue } from '../../../platform/json/text.ts';
import type { ErrorDetail } from '../../../wire/errors.ts';
import { functionManifestSchema, type FunctionManifest } from '../../../wire/functions.ts';
import { MAX_FUNCTION_MANIFEST_BYTES, MAX_FUNCTION_PACKAGE_BYTES } from '../../../wire/limits.ts';
import { openZip } from '../../../platform/archive/zip.ts';

const ZIP_ENTRIES_MAX = 10_000;
const ZIP_DIRECTORY_MAX_BYTES = 4_000_000;

export type PackageSource = {
  manifest: FunctionManifest;
  module: { content: () => AsyncIterable<Buffer> };
};

const MANIFEST = 'manifest.json';
const MODULE_NAME = /\.m?js$/u;
const TEST_NAME = /\.(?:test|spec)\.m?js$/u;

/** @param problem without a period at its end */
export const rejection = (problem: string, extras?: { details: ErrorDetail[] }): Failure =>
  new Failure('invalid_input', `This package was rejected: ${problem}. Nothing was installed.`, extras);

const parseManifest = (bytes: Buffer): FunctionManifest => {
  const scan = scanValue(bytes);
  if (!scan.ok) throw rejection(`${MANIFEST} is not JSON: ${scan.cause}`);
  const result = functionManifestSchema.safeParse(JSON.parse(scan.text), { error: describeIssue });
  if (result.success) return result.data;
  const details = result.error.issues.map((issue) => ({
    path: [MANIFEST, ...issue.path].join('.'),
    problem: issue.message,
  }));
  const [first] = details;
  throw rejection(`${first?.path}: ${first?.problem}`, { details });
};

const onlyModuleOf = (names: readonly string[]): string => {
  const modules = names.filter((name) => MODULE_NAME.test(name) && !TEST_NAME.test(name));
  const [module] = modules;
  if (module === undefined) throw rejection('it contains no .js or .mjs file');
  if (modules.length > 1)
    throw rejection(`a package has exactly one module, but there are several: ${modules.join(', ')}`);
  return module;
};

const readManifest = async (chunks: AsyncIterable<Buffer>): Promise<FunctionManifest> => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MAX_FUNCTION_MANIFEST_BYTES)
      throw rejection(`${MANIFEST} is larger than ${MAX_FUNCTION_MANIFEST_BYTES} bytes`);
    parts.push(chunk);
  }
  return parseManifest(Buffer.concat(parts));
};

/** Returns undefined for anything but a regular file. Does not follow links. */
const fileSize = async (path: string): Promise<number | undefined> => {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() === true ? stats.size : undefined;
};

async function* bytesOf(path: string): AsyncGenerator<Buffer> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  yield* createReadStream(path, { fd: handle }) as AsyncIterable<Buffer>;
}

const openFolder = async (folder: string): Promise<PackageSource> => {
  const manifestFile = join(folder, MANIFEST);
  if ((await fileSize(manifestFile)) === undefined) throw rejection(`it contains no ${MANIFEST}`);
  const manifest = await readManifest(bytesOf(manifestFile));
  const entries = (await readdir(folder, { withFileTypes: true })).filter((entry) => !entry.isDirectory());
  const name = onlyModuleOf(entries.map((entry) => entry.name));
  const size = await fileSize(join(folder, name));
  if (size === undefined) throw rejection(`${name} is a link or a device`);
  if (size > MAX_FUNCTION_PACKAGE_BYTES) throw rejection(`it is larger than ${MAX_FUNCTION_PACKAGE_BYTES} bytes`);
  return { manifest, module: { content: () => bytesOf(join(folder, name)) } };
};

const openZipFile = async (path: string): Promise<PackageSource> => {
  const zip = await openZip(path, {
    packedBytes: MAX_FUNCTION_PACKAGE_BYTES,
    unpackedBytes: MAX_FUNCTION_PACKAGE_BYTES,
    entries: ZIP_ENTRIES_MAX,
    listBytes: ZIP_DIRECTORY_MAX_BYTES,
    refuse: (problem) => new Failure('invalid_input', `This zip file was rejected: ${problem}. Nothing was installed.`),
  });
  const entries = zip.entries.filter(({ name }) => !/(?:^|\/)(?:__MACOSX\/|\.DS_Store$)/u.test(name));
  // A zip made from a folder has the folder's name before each entry.
  const manifestEntry =
    entries.find(({ name }) => name === MANIFEST) ?? entries.find(({ name }) => /^[^/]+\/manifest\.json$/u.test(name));
  if (manifestEntry === undefined) throw rejection(`it contains no ${MANIFEST}`);
  const folder = manifestEntry.name.slice(0, -MANIFEST.length);
  const manifest = await readManifest(zip.content(manifestEntry));
  const siblings = entries.filter(({ name }) => name.startsWith(folder) && !name.slice(folder.length).includes('/'));
  const name = onlyModuleOf(siblings.map((entry) => entry.name.slice(folder.length)));
  const entry = siblings.find((sibling) => sibling.name === folder + name);
  if (entry === undefined) throw rejection('the module cannot be read');
  return { manifest, module: { content: () => zip.content(entry) } };
};

/** Opens a folder or a zip file. @throws Failure not_found | invalid_input */
export const openPackage = async (path: string): Promise<PackageSource> => {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) throw new Failure('not_found', `${path} does not exist.`);
  return stats.isDirectory() ? openFolder(path) : openZipFile(path);
};
