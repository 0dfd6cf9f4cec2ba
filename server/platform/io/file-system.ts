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
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { codeOf } from '../../wire/values.ts';
import { Failure, UNEXPECTED } from '../failure.ts';

export const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';

/** For a `catch`: what is not there is undefined. Any other error goes on. */
export const unlessMissing = (error: unknown): undefined => {
  if (!isMissing(error)) throw error;
};

/** What a file system answers when it has no room left, or not for this user. */
const DISK_FULL_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
export const isDiskFull = (error: unknown): boolean => DISK_FULL_CODES.has(codeOf(error));

/** A full disk passes: the caller is told so. Everything else stays what it is. Routes and command lines call this; nothing else needs to. */
export const asDiskFailure = (error: unknown): unknown =>
  isDiskFull(error)
    ? new Failure('out_of_disk', 'There is no room left on the disk. Try again when there is room.')
    : error;

/** How a caller is told of what was thrown: what is neither a refusal nor a full disk is a fault of ours. */
export const failureOf = (error: unknown): Failure => {
  const told = asDiskFailure(error);
  return told instanceof Failure ? told : UNEXPECTED;
};

/**
 * Creates an empty file with mode 0600, for SQLite to open. An existing file is not opened: closing a second descriptor would release the locks
 * that this process holds on it.
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

/** Flushes a file to the disk. Windows flushes only what is open for writing. @throws what the file system says */
export const syncFile = (file: string): void => syncPath(file, 'r+');

/** Some mounted file systems cannot flush folders, and answer with one of these. */
const FOLDER_SYNC_UNSUPPORTED = new Set(['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR']);
const unlessUnsupported = (error: unknown): void => {
  if (!FOLDER_SYNC_UNSUPPORTED.has(codeOf(error))) throw error;
};

/** Makes a new name last through a power cut, where the system can do that for a folder. @throws what the file system says */
export const syncFolder = (folder: string): void => {
  // Windows opens no folders; its file systems keep names with the file.
  if (process.platform === 'win32') return;
  try {
    syncPath(folder, 'r');
  } catch (error) {
    unlessUnsupported(error);
  }
};

/** `syncFolder` for a folder and all folders below it. */
export const syncFolders = (folder: string): void => {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) syncFolders(join(folder, entry.name));
  syncFolder(folder);
};

/** `syncFolder` without holding the event loop. */
export const syncFolderAsync = async (folder: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync().catch(unlessUnsupported);
  } finally {
    await handle.close();
  }
};

/** Suffix of a file that does not have its name yet. */
const DRAFT = '.new';

/**
 * Replaces a small file atomically: a reader, and the next start after a power cut, sees the old or the new one. Two calls for one file must not
 * overlap. @throws what the file system says; then the old file is as it was
 */
export const replaceFile = (file: string, text: string): void => {
  const draft = file + DRAFT;
  try {
    // Flushed before the rename: after a power cut the new name could otherwise lead to an empty file.
    writeFileSync(draft, text, { mode: 0o600, flush: true });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
};

/** `replaceFile` without holding the event loop. */
export const replaceFileAsync = async (file: string, text: string): Promise<void> => {
  const draft = file + DRAFT;
  try {
    await writeFile(draft, text, { mode: 0o600, flush: true });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolderAsync(dirname(file));
};

/** SHA-256 of a file's content, as hex. @throws what the file system says */
export const hashFile = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 256 * 1024 }), hash);
  return hash.digest('hex');
};

/** Moves a file or folder on one disk. Folders become one; of two files the one that is moved stays. Cut off in between, it can be done again. */
export const moveAndMerge = (from: string, to: string): void => {
  const there = lstatSync(to, { throwIfNoEntry: false });
  if (there?.isDirectory() === true && lstatSync(from).isDirectory()) {
    for (const name of readdirSync(from)) moveAndMerge(join(from, name), join(to, name));
    rmdirSync(from);
    return;
  }
  if (there !== undefined) rmSync(to, { recursive: true, force: true });
  renameSync(from, to);
};
