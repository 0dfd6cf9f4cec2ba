import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../../wire/values.ts';
import { Failure, UNEXPECTED_FAILURE } from '../failure.ts';

export const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';

/** `catch` handler that maps a missing file to undefined and rethrows any other error. */
export const ignoreMissing = (error: unknown): undefined => {
  if (!isMissing(error)) throw error;
};

export const isDiskFull = (error: unknown): boolean => codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT';

/** Returns true for the error of a file that exceeds the limit of its file system (FAT32: 4 GB) or of the process. */
export const exceedsFileSizeLimit = (error: unknown): boolean => codeOf(error) === 'EFBIG';

export const FILE_SIZE_LIMIT_REASON =
  "A file would be larger than the disk's file system allows (FAT32: 4 GB). Use a disk with a different file system.";

/**
 * Maps a full disk and a file above the limit of the file system to a failure. Returns any other error unchanged. For
 * routes and command lines only.
 */
export const asDiskFailure = (error: unknown): unknown => {
  if (isDiskFull(error))
    return new Failure('out_of_disk', 'There is no room left on the disk. Free some space and try again.');
  return exceedsFileSizeLimit(error) ? new Failure('too_large', FILE_SIZE_LIMIT_REASON) : error;
};

/** Maps an error to a failure. An error that is neither a failure nor due to the disk is a defect of the server. */
export const failureOf = (error: unknown): Failure => {
  const failure = asDiskFailure(error);
  return failure instanceof Failure ? failure : UNEXPECTED_FAILURE;
};

/**
 * Creates an empty file with mode 0600. Does not open an existing file: closing a second descriptor would release the
 * locks of this process.
 */
export const createPrivateFile = (file: string): void => {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
};

const syncPath = (path: string, flags: 'r' | 'r+'): void => {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/**
 * Flushes a file to disk. Windows flushes only files that are open for writing.
 * @throws the error of the file system
 */
export const syncFile = (file: string): void => syncPath(file, 'r+');

const FOLDER_SYNC_UNSUPPORTED = new Set(['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR']);
const ignoreUnsupported = (error: unknown): void => {
  if (!FOLDER_SYNC_UNSUPPORTED.has(codeOf(error))) throw error;
};

/** Makes new names in a folder durable, where the system supports that. @throws the error of the file system */
export const syncFolder = (folder: string): void => {
  // Node.js cannot open folders on Windows.
  if (process.platform === 'win32') return;
  try {
    syncPath(folder, 'r');
  } catch (error) {
    ignoreUnsupported(error);
  }
};

export const syncFolderTree = (folder: string): void => {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) syncFolderTree(join(folder, entry.name));
  syncFolder(folder);
};

export const syncFolderAsync = async (folder: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync().catch(ignoreUnsupported);
  } finally {
    await handle.close();
  }
};

const DRAFT_SUFFIX = '.new';

/**
 * Replaces a small file atomically: readers, and the next start after a power failure, see either the old or the new
 * content. Two calls for one file must not overlap.
 * @throws the error of the file system; the file is already replaced if only the flush of its folder failed
 */
export const replaceFile = (file: string, text: string): void => {
  const draft = file + DRAFT_SUFFIX;
  try {
    // Flush before the rename: after a power failure the name could otherwise refer to an empty file.
    writeFileSync(draft, text, { mode: 0o600, flush: true });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
};

export const replaceFileAsync = async (file: string, text: string): Promise<void> => {
  const draft = file + DRAFT_SUFFIX;
  try {
    await writeFile(draft, text, { mode: 0o600, flush: true });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolderAsync(dirname(file));
};

/**
 * Writes a large file that gets its name when it is complete and flushed, so that an interrupted write is not mistaken
 * for a complete file. Until then it is named `<file>.unfinished`. Its mode is 0600.
 * @throws the error of `write` or of the file system; then no file was created or replaced
 */
export const writeWhenComplete = async <T>(file: string, write: (handle: FileHandle) => Promise<T>): Promise<T> => {
  const unfinishedFile = `${file}.unfinished`;
  // Deletes a previous unfinished file. `wx` then refuses a file or link that was created in the meantime.
  await rm(unfinishedFile, { force: true });
  const writeUnfinishedFile = async (): Promise<T> => {
    const handle = await open(unfinishedFile, 'wx', 0o600);
    try {
      const result = await write(handle);
      await handle.sync();
      return result;
    } finally {
      await handle.close();
    }
  };
  try {
    const result = await writeUnfinishedFile();
    await rename(unfinishedFile, file);
    return result;
  } catch (error) {
    await rm(unfinishedFile, { force: true });
    throw error;
  }
};

const HASH_CHUNK_BYTES = 256 * 1024;

/** Returns the SHA-256 of a file's content in hexadecimal. @throws the error of the file system */
export const hashFile = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: HASH_CHUNK_BYTES }), hash);
  return hash.digest('hex');
};

/** Moves a file or folder. Merges two folders and replaces anything else. Can be repeated after an interruption. */
export const moveAndMerge = (from: string, to: string): void => {
  const existing = lstatSync(to, { throwIfNoEntry: false });
  if (existing?.isDirectory() === true && lstatSync(from).isDirectory()) {
    for (const name of readdirSync(from)) moveAndMerge(join(from, name), join(to, name));
    rmdirSync(from);
    return;
  }
  if (existing !== undefined) rmSync(to, { recursive: true, force: true });
  renameSync(from, to);
};
