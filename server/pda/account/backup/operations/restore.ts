import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isMissing, syncFolder, syncFolderTree } from '../../../../platform/io/file-system.ts';
import { findArchives, numberOfName, openArchive, type BackupArchive } from '../format/archive.ts';
import { openChunks, type Chunks } from '../format/chunks.ts';
import {
  DATABASE_FILE,
  pathInFilesFolder,
  type Entry,
  type FileEntry,
  type BackupManifest,
} from '../format/manifest-rules.ts';
import { openHomeDatabase, SCHEMA_VERSION, prepareRestoredDatabase, type RestoredFile } from '../home/store.ts';
import type { Secret } from '../format/key-file.ts';
import { readEntries, readManifest } from './backup.ts';
import { BackupProblem, toBackupProblem, withBackupProblems } from '../format/error.ts';

/** Each attempt with a passphrase takes about 250 ms. */
const KEY_ATTEMPTS_MAX = 20;

/**
 * Tries the secret on each archive at a path. Returns the archive that it opens.
 * @param from folder of the archive, or folder with several archives
 * @throws BackupProblem; wrong_state if the secret opens several archives
 */
export const findArchive = async (from: string, secret: Secret, id?: string): Promise<BackupArchive> => {
  const path = resolve(from);
  const folders = findArchives(path).filter((folder) => id === undefined || basename(folder) === `pda-${id}`);
  const archives: BackupArchive[] = [];
  let problem: BackupProblem | undefined;
  for (const folder of folders.slice(0, KEY_ATTEMPTS_MAX)) {
    try {
      archives.push(await openArchive(folder, secret));
    } catch (error) {
      if (!(error instanceof BackupProblem)) throw error;
      // A damaged archive takes precedence over a wrong key, which may belong to another archive.
      if (problem === undefined || error.kind !== 'wrong_key') problem = error;
    }
  }
  const [openedArchive] = archives;
  if (archives.length > 1)
    throw new BackupProblem(
      'wrong_state',
      `The passphrase or recovery key opens ${archives.length} archives in ${path}. Enter the folder of one of them: ${archives.map(({ folder }) => folder).join(', ')}.`,
    );
  if (openedArchive === undefined)
    throw problem ?? new BackupProblem('missing', `${path} contains no backup of a PDA.`);
  return openedArchive;
};

/**
 * @param selector name or number; default: the newest backup
 * @throws BackupProblem missing | damaged | newer | unusable
 */
export const findBackup = (archive: BackupArchive, selector?: string): { name: string; manifest: BackupManifest } => {
  const names = archive.listNames('backup');
  const name =
    selector === undefined
      ? names.at(-1)
      : names.find((candidate) => candidate === selector || String(numberOfName(candidate)) === selector);
  if (name === undefined)
    throw new BackupProblem(
      'missing',
      selector === undefined
        ? `${archive.folder} contains no backups yet.`
        : `${archive.folder} does not contain backup ${selector}.`,
    );
  const manifest = readManifest(archive, name);
  if (manifest.schema > SCHEMA_VERSION)
    throw new BackupProblem(
      'newer',
      `This backup was made by a newer version of this program (${manifest.program}). Install that version to restore it.`,
    );
  return { name, manifest };
};

type WriteOptions = {
  onWrite: (bytes: number) => void;
  pause: () => Promise<void>;
  sync: boolean;
};

const writeContent = (
  file: string,
  entry: FileEntry,
  chunks: Chunks,
  { onWrite, sync }: Pick<WriteOptions, 'onWrite' | 'sync'>,
): void => {
  const hash = createHash('sha256');
  // `wx` neither overwrites a file nor follows a link.
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    let size = 0;
    for (const id of entry.chunks) {
      const { content, digest } = chunks.read(id);
      for (let written = 0; written < content.length;) written += writeSync(descriptor, content, written);
      hash.update(digest);
      size += content.length;
      onWrite(content.length);
    }
    if (size !== entry.size || hash.digest('base64url') !== entry.digest)
      throw new BackupProblem('damaged', 'The content of a file differs from the content that was backed up.');
    if (entry.path !== DATABASE_FILE) {
      const seconds = Number(BigInt(entry.modified) / 1000n) / 1e6;
      futimesSync(descriptor, seconds, seconds);
    }
    if (sync) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/**
 * Restores entries into a new folder. Returns the metadata of the restored files below `files/`.
 * @throws BackupProblem, or a file system error, for example if the folder exists
 */
export const writeEntries = async (
  chunks: Chunks,
  entries: readonly Entry[],
  folder: string,
  parts: WriteOptions,
): Promise<RestoredFile[]> => {
  const files: RestoredFile[] = [];
  mkdirSync(folder, { mode: 0o700 });
  for (const entry of entries) {
    const path = join(folder, ...entry.path.split('/'));
    if (entry.kind === 'folder') {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      continue;
    }
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeContent(path, entry, chunks, parts);
    const filePath = pathInFilesFolder(entry.path);
    if (filePath !== undefined) {
      const { mtimeNs, ino, dev, size } = lstatSync(path, { bigint: true });
      files.push({
        path: filePath,
        originalModified: entry.modified,
        modified: String(mtimeNs),
        inode: `${dev}:${ino}`,
        size: Number(size),
      });
    }
    await parts.pause();
  }
  return files;
};

/**
 * Restores a home into a new folder. Resolves when its content is durable. Deletes the folder on failure.
 * @throws BackupProblem
 */
export const restoreInto = async (
  archive: BackupArchive,
  manifest: BackupManifest,
  folder: string,
  parts: { now: () => number; onProgress: (done: number, total: number) => void; pause: () => Promise<void> },
): Promise<void> => {
  try {
    const chunks = openChunks(archive, { includeUnlistedPacks: false });
    const entries = readEntries(chunks, manifest);
    if (!entries.some(({ path }) => path === DATABASE_FILE))
      throw new BackupProblem('damaged', 'This backup contains no database.');
    let bytesWritten = 0;
    const onWrite = (bytes: number): void => parts.onProgress((bytesWritten += bytes), manifest.bytes);
    const files = await writeEntries(chunks, entries, folder, { onWrite, pause: parts.pause, sync: true });
    const database = join(folder, DATABASE_FILE);
    const restoredDatabase = openHomeDatabase(database);
    try {
      const [problem] = restoredDatabase.findProblems();
      if (problem !== undefined)
        throw new BackupProblem('damaged', `The integrity check of the database in this backup failed: ${problem}`);
    } finally {
      restoredDatabase.close();
    }
    prepareRestoredDatabase(database, files, parts.now());
    syncFolderTree(folder);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw toBackupProblem(error, dirname(folder));
  }
};

const SCRATCH_SUFFIX = /\.restoring-[0-9a-f]{8}$/u;

/** @throws BackupProblem wrong_state if the path exists and is not an empty folder */
const requireEmpty = (home: string): void => {
  try {
    if (readdirSync(home).length > 0)
      throw new BackupProblem('wrong_state', `${home} is not empty. Restore into a new folder. Nothing was changed.`);
  } catch (error) {
    if (!isMissing(error)) throw toBackupProblem(error, home);
    if (statSync(home, { throwIfNoEntry: false }) !== undefined)
      throw new BackupProblem('wrong_state', `${home} is not a folder. Restore into a new folder.`);
  }
};

/** Deletes the temporary folders that killed restores left next to the home. */
const deleteScratchFolders = (home: string): void => {
  const parent = dirname(home);
  for (const name of readdirSync(parent))
    if (SCRATCH_SUFFIX.test(name) && name.replace(SCRATCH_SUFFIX, '') === basename(home))
      rmSync(join(parent, name), { recursive: true, force: true });
};

/**
 * Restores a home into a folder that is empty or does not exist. The home is built in a temporary folder and then
 * renamed, so that the target is either complete or unchanged.
 * @throws BackupProblem
 */
export const restoreHome = async (
  archive: BackupArchive,
  manifest: BackupManifest,
  home: string,
  parts: { now: () => number; onProgress: (done: number, total: number) => void; pause: () => Promise<void> },
): Promise<void> => {
  const target = resolve(home);
  requireEmpty(target);
  withBackupProblems(dirname(target), () => {
    mkdirSync(dirname(target), { recursive: true });
    deleteScratchFolders(target);
  });
  const scratch = `${target}.restoring-${randomBytes(4).toString('hex')}`;
  await restoreInto(archive, manifest, scratch, parts);
  try {
    requireEmpty(target);
    // Windows cannot rename over an existing folder.
    if (statSync(target, { throwIfNoEntry: false }) !== undefined) rmdirSync(target);
    renameSync(scratch, target);
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    throw toBackupProblem(error, target);
  }
  syncFolder(dirname(target));
};
