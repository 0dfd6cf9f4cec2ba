import { constants } from 'node:fs';
import { link, lstat, mkdir, open, readdir, realpath, rename, rm, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Writable, type Readable } from 'node:stream';
import { Failure } from '../../../platform/failure.ts';
import { ignoreMissing, isMissing, syncFolderAsync } from '../../../platform/io/file-system.ts';
import { codeOf } from '../../../wire/values.ts';
import { contentTypeOf } from './types.ts';
import { foldedName } from './disk-names.ts';
import { bytesOf, type UploadChunks, type UploadWriter } from './upload-writer.ts';
import type { Content, FileAttributes } from '../store.ts';

// File system operations on content. Each `path` is relative to `root` and uses `/`.

/** Refuses symbolic links and does not block if a pipe has replaced the file. */
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const PRIVATE_FILE_MODE = 0o600;
const PRIVATE_FOLDER_MODE = 0o700;
/** Bytes after which written data is flushed to the disk, so that the final sync is short. */
const FLUSH_EVERY_BYTES = 64 * 1024 * 1024;
/** Received bytes that wait for a write before the sender is slowed down. */
const UPLOAD_BUFFER_BYTES = 1024 * 1024;

export const isMissingOrLink = (error: unknown): boolean => isMissing(error) || codeOf(error) === 'ELOOP';

/** Passes an upload to its writer. Chunks that arrive during a write are passed together. */
class UploadStream extends Writable {
  readonly #handle: FileHandle;
  readonly #writer: UploadWriter;
  readonly #reserve: (bytes: number) => void;
  #flushedBytes = 0;
  #flush: Promise<void> = Promise.resolve();
  #isFlushing = false;
  #write: Promise<void> = Promise.resolve();
  size = 0;

  constructor(handle: FileHandle, writer: UploadWriter, reserve: (bytes: number) => void) {
    super({ highWaterMark: UPLOAD_BUFFER_BYTES });
    this.#handle = handle;
    this.#writer = writer;
    this.#reserve = reserve;
  }

  override _writev(chunks: { chunk: Buffer<ArrayBuffer> }[], done: (error?: Error | null) => void): void {
    this.#store(chunks.map(({ chunk }) => chunk)).then(() => done(), done);
  }

  async #store(chunks: UploadChunks): Promise<void> {
    const bytes = bytesOf(chunks);
    this.#reserve(bytes);
    this.#write = this.#writer.write(chunks, this.size);
    await this.#write;
    this.size += bytes;
    if (this.size - this.#flushedBytes >= FLUSH_EVERY_BYTES && !this.#isFlushing) {
      this.#flushedBytes = this.size;
      this.#isFlushing = true;
      this.#flush = this.#handle.datasync().finally(() => (this.#isFlushing = false));
      // Awaited at the end; until then a failure must not count as an unhandled rejection.
      this.#flush.catch(() => undefined);
    }
  }

  async waitUntilWritten(): Promise<void> {
    await Promise.allSettled([this.#write, this.#flush]);
  }

  /** Makes the content durable. @returns its SHA-256 in hex */
  async finish(): Promise<string> {
    const sha256 = await this.#writer.end();
    await this.#flush;
    await this.#handle.sync();
    return sha256;
  }
}

export type ReceivedContent = { size: number; sha256: string };

/**
 * Writes a stream to a new file. Resolves when the content is durable; the directory entry may not be durable yet.
 * Removes the file if an error occurs after its creation.
 * @param reserve called before bytes are written; throws to refuse them
 * @throws errors of the file system, of `reserve`, of the stream or of the writer
 */
export const receive = async (
  stream: Readable,
  file: string,
  reserve: (bytes: number) => void,
  openWriter: (fd: number) => UploadWriter,
): Promise<ReceivedContent> => {
  const handle = await open(file, 'wx', PRIVATE_FILE_MODE);
  const writer = openWriter(handle.fd);
  const upload = new UploadStream(handle, writer, reserve);
  try {
    await pipeline(stream, upload);
    const sha256 = await upload.finish();
    await handle.close();
    return { size: upload.size, sha256 };
  } catch (error) {
    // A write in progress would otherwise go to the next file that gets this descriptor.
    await upload.waitUntilWritten();
    writer.discard();
    await handle.close().catch(() => undefined);
    await rm(file, { force: true });
    throw error;
  }
};

/**
 * Returns undefined if nothing is at the path. Does not follow symbolic links: the target may be outside the folder and
 * must not be shared by accident.
 */
export const statFile = async (
  file: string,
): Promise<(FileAttributes & { size: number; isFile: boolean; links: number }) | undefined> => {
  try {
    const stats = await lstat(file, { bigint: true });
    return {
      size: Number(stats.size),
      modified: String(stats.mtimeNs),
      inode: `${stats.dev}:${stats.ino}`,
      isFile: stats.isFile(),
      links: Number(stats.nlink),
    };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

export const describeContent = async (
  file: string,
  name: string,
  receivedContent: ReceivedContent,
): Promise<Content> => ({
  ...receivedContent,
  ...(await contentTypeOf(file, name)),
});

const removeAndThrow = async (to: string, error: unknown): Promise<never> => {
  await rm(to, { force: true });
  throw error;
};

const moveToUnusedName = async (from: string, to: string): Promise<boolean> => {
  try {
    // Creating a hard link fails if the name exists, whereas a rename would overwrite the file.
    await link(from, to);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') return false;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EMLINK') throw error;
    // A hard link is not possible. An empty file reserves the name and is then overwritten.
    try {
      await (await open(to, 'wx', PRIVATE_FILE_MODE)).close();
    } catch (createError) {
      if (codeOf(createError) === 'EEXIST') return false;
      throw createError;
    }
    await rename(from, to).catch((renameError: unknown) => removeAndThrow(to, renameError));
    return true;
  }
  await unlink(from).catch((error: unknown) => (isMissing(error) ? undefined : removeAndThrow(to, error)));
  return true;
};

/**
 * Creates nested folders and returns the path of the last one.
 * @throws Failure wrong_state if a name is not a folder or is a link
 */
const makeFolders = async (root: string, folders: readonly string[]): Promise<string> => {
  let folder = root;
  for (const name of folders) {
    folder = join(folder, name);
    try {
      await mkdir(folder, { mode: PRIVATE_FOLDER_MODE });
      await syncFolderAsync(dirname(folder));
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
    const stats = await lstat(folder);
    if (!stats.isDirectory())
      throw new Failure(
        'wrong_state',
        `In the files folder, "${name}" is not a folder. Move or rename it, then try again.`,
      );
  }
  return folder;
};

/** Returns the missing names at the end of the path. A path that is too long for the file system counts as missing. */
export const missingFolders = async (root: string, folder: string): Promise<string[]> => {
  const names = folder === '' ? [] : folder.split('/');
  for (let existingCount = names.length; existingCount > 0; existingCount -= 1) {
    const stats = await lstat(join(root, ...names.slice(0, existingCount))).catch((error: unknown) =>
      codeOf(error) === 'ENAMETOOLONG' ? undefined : ignoreMissing(error),
    );
    if (stats !== undefined) return names.slice(existingCount);
  }
  return names;
};

/**
 * Moves a file and creates missing folders. Never overwrites a file.
 * @returns false if the name exists
 * @throws Failure wrong_state if a folder of the path is a file or a link
 */
export const moveIntoPlace = async (root: string, from: string, path: string): Promise<boolean> => {
  const folders = path.split('/');
  const name = folders.pop() ?? '';
  const folder = await makeFolders(root, folders);
  const isMoved = await moveToUnusedName(from, join(folder, name));
  if (isMoved) await syncFolderAsync(folder);
  return isMoved;
};

/** Returns true if the path is a file within `root` and leads through no symbolic link. */
export const isFileWithin = async (root: string, path: string): Promise<boolean> => {
  const file = join(root, ...path.split('/'));
  try {
    const [realRoot, realFolder, stats] = [await realpath(root), await realpath(dirname(file)), await lstat(file)];
    return stats.isFile() && foldedName(realFolder) === foldedName(dirname(join(realRoot, ...path.split('/'))));
  } catch (error) {
    if (isMissingOrLink(error)) return false;
    throw error;
  }
};

/** Renames a file and syncs its new folder. Returns false if the file does not exist. */
export const moveOut = async (from: string, to: string): Promise<boolean> => {
  try {
    await rename(from, to);
    await syncFolderAsync(dirname(to));
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
};

/** Deletes a file or folder within an internal folder, if it exists. */
export const discard = (file: string): Promise<void> => rm(file, { force: true, recursive: true });

export const discardExcept = async (folder: string, retainedNames: ReadonlySet<string>): Promise<number> => {
  let deletedCount = 0;
  for (const name of await readdir(folder)) {
    if (retainedNames.has(name)) continue;
    await rm(join(folder, name), { recursive: true, force: true });
    deletedCount += 1;
  }
  return deletedCount;
};
