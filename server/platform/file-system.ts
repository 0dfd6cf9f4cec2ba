import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure, UNEXPECTED } from './failure.ts';

/** What a file system says when something goes wrong, e.g. `ENOSPC`; empty for every other error. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

export const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';

/** For a `catch`: what is not there is undefined. Any other error goes on. */
export const unlessMissing = (error: unknown): undefined => {
  if (!isMissing(error)) throw error;
};

/** What a file system answers when it has no room left, or not for this user. */
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** A full disk passes: the caller is told so. Everything else stays what it is. */
export const asDiskFailure = (error: unknown): unknown =>
  NO_ROOM.has(codeOf(error))
    ? new Failure('out_of_disk', 'There is no room left on the disk. Try again when there is room.')
    : error;

/** How a caller is told of what was thrown: what is neither a refusal nor a full disk is a fault of ours. */
export const failureOf = (error: unknown): Failure => {
  const told = asDiskFailure(error);
  return told instanceof Failure ? told : UNEXPECTED;
};

/** Writes a small file so that a reader sees the old or the new one, never half. */
export const replaceFile = (file: string, text: string): void => {
  // On the disk before it takes the other's place: after a power cut a renamed file could otherwise be an empty one.
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
};

/** Makes a new name last through a power cut, where the system can do that for a folder. @throws what the file system says */
export const syncFolder = (folder: string): void => {
  // Windows opens no folders; its file systems keep names with the file.
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/** The same without holding the event loop. @throws what the file system says */
export const syncFolderAsync = async (folder: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Moves a file or folder on one disk. Folders become one; of two files the one that is moved stays. Cut off in between, it can be done again. */
export const moveOver = (from: string, to: string): void => {
  const there = lstatSync(to, { throwIfNoEntry: false });
  if (there?.isDirectory() === true && lstatSync(from).isDirectory()) {
    for (const name of readdirSync(from)) moveOver(join(from, name), join(to, name));
    rmdirSync(from);
    return;
  }
  if (there !== undefined) rmSync(to, { recursive: true, force: true });
  renameSync(from, to);
};
