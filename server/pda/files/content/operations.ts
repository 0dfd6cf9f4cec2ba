import { link, lstat, mkdir, open, readdir, realpath, rename, rm, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Writable, type Readable } from 'node:stream';
import { Failure } from '../../../platform/failure.ts';
import { isMissing, syncFolderAsync } from '../../../platform/io/file-system.ts';
import { codeOf } from '../../../wire/values.ts';
import { contentTypeOf } from './types.ts';
import { foldedName } from './disk-names.ts';
import { bytesOf, type Pieces, type Sink } from './upload-writer.ts';
import type { Content, Looks } from '../store.ts';

/** Everything that is done to content on the disk. Paths are below `files/`, with `/`. */

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
/** Bytes after which written data is flushed to the disk, so that the final sync is short. */
const FLUSH_EVERY_BYTES = 64 * 1024 * 1024;
/** Bytes that are written at once. */
const PIECE_BYTES = 1024 * 1024;

/** Gone, or a link by now: nothing that is ours to read. */
export const isNotThere = (error: unknown): boolean => isMissing(error) || codeOf(error) === 'ELOOP';

/** Passes what comes on in large pieces, one after the other. */
class Intake extends Writable {
  readonly #handle: FileHandle;
  readonly #sink: Sink;
  readonly #take: (bytes: number) => void;
  #flushed = 0;
  #flush: Promise<void> = Promise.resolve();
  #flushing = false;
  #write: Promise<void> = Promise.resolve();
  size = 0;

  constructor(handle: FileHandle, sink: Sink, take: (bytes: number) => void) {
    super({ highWaterMark: PIECE_BYTES });
    this.#handle = handle;
    this.#sink = sink;
    this.#take = take;
  }

  override _write(chunk: Buffer<ArrayBuffer>, _encoding: string, done: (error?: Error | null) => void): void {
    this.#store([chunk]).then(() => done(), done);
  }

  override _writev(chunks: { chunk: Buffer<ArrayBuffer> }[], done: (error?: Error | null) => void): void {
    this.#store(chunks.map(({ chunk }) => chunk)).then(() => done(), done);
  }

  async #store(pieces: Pieces): Promise<void> {
    const bytes = bytesOf(pieces);
    this.#take(bytes);
    this.#write = this.#sink.write(pieces, this.size);
    await this.#write;
    this.size += bytes;
    if (this.size - this.#flushed >= FLUSH_EVERY_BYTES && !this.#flushing) {
      this.#flushed = this.size;
      this.#flushing = true;
      this.#flush = this.#handle.datasync().finally(() => (this.#flushing = false));
      // Its outcome is awaited at the end; until then it must not count as an unhandled rejection.
      this.#flush.catch(() => undefined);
    }
  }

  /** Nothing is at work on the file any more. Never throws. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#write, this.#flush]);
  }

  async finish(): Promise<string> {
    const sha256 = await this.#sink.end();
    await this.#flush;
    await this.#handle.sync();
    return sha256;
  }
}

export type Received = { size: number; sha256: string };

/**
 * Writes a stream to a new file and resolves when it is durable. On any error the file is removed.
 * @param take called before bytes are written; may refuse them by throwing
 * @param sinkOf creates the writer of the open file
 * @throws errors of the file system, of `take` or of the stream
 */
export const receive = async (
  stream: Readable,
  file: string,
  take: (bytes: number) => void,
  sinkOf: (fd: number) => Sink,
): Promise<Received> => {
  const handle = await open(file, 'wx', PRIVATE_FILE);
  const sink = sinkOf(handle.fd);
  const intake = new Intake(handle, sink, take);
  try {
    await pipeline(stream, intake);
    const sha256 = await intake.finish();
    await handle.close();
    await syncFolderAsync(dirname(file));
    return { size: intake.size, sha256 };
  } catch (error) {
    // A write that is under way would otherwise land in whatever file gets this one's number next.
    await intake.settled();
    sink.drop();
    await handle.close().catch(() => undefined);
    await rm(file, { force: true });
    throw error;
  }
};

export const looksOf = async (
  file: string,
): Promise<(Looks & { size: number; isFile: boolean; links: number }) | undefined> => {
  try {
    // Of the link itself, where it is one: what it leads to is not the owner's to give away by accident.
    const found = await lstat(file, { bigint: true });
    return {
      size: Number(found.size),
      modified: String(found.mtimeNs),
      inode: `${found.dev}:${found.ino}`,
      isFile: found.isFile(),
      links: Number(found.nlink),
    };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

/** What is to be known of whole content: its type from the first bytes, its size and hash. */
export const describeContent = async (file: string, name: string, received: Received): Promise<Content> => ({
  ...received,
  ...(await contentTypeOf(file, name)),
});

/** Moves a file to an unused name, never over an existing file. @returns whether the name was free */
const moveToFree = async (from: string, to: string): Promise<boolean> => {
  try {
    // A link fails where the name is taken; a rename would write over what is there.
    await link(from, to);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') return false;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EMLINK') throw error;
    // A file system without links: the name is taken by an empty file first, which only then is written over.
    try {
      await (await open(to, 'wx', PRIVATE_FILE)).close();
    } catch (taken) {
      if (codeOf(taken) === 'EEXIST') return false;
      throw taken;
    }
    await rename(from, to);
    return true;
  }
  await unlink(from);
  return true;
};

/** The folders that lead to a path, one after the other; none of them may be a link to elsewhere. @throws Failure wrong_state */
const makeFolders = async (root: string, folders: readonly string[]): Promise<string> => {
  let folder = root;
  for (const name of folders) {
    folder = join(folder, name);
    await mkdir(folder, { mode: PRIVATE_FOLDER }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
    const found = await lstat(folder);
    if (!found.isDirectory())
      throw new Failure('wrong_state', `In the files folder, "${name}" is not a folder. Move it away and try again.`);
  }
  return folder;
};

/** Moves content to its place below the files folder. @returns false when something has that name by now */
export const land = async (root: string, from: string, path: string): Promise<boolean> => {
  const parts = path.split('/');
  const name = parts.pop() ?? '';
  const folder = await makeFolders(root, parts);
  const free = await moveToFree(from, join(folder, name));
  if (free) await syncFolderAsync(folder);
  return free;
};

/** Whether a path below the files folder is a file in it, with folders only on the way: a link leads to what was never ours to take. */
export const isFileWithin = async (root: string, path: string): Promise<boolean> => {
  const file = join(root, ...path.split('/'));
  try {
    const [home, folder, found] = [await realpath(root), await realpath(dirname(file)), await lstat(file)];
    return found.isFile() && foldedName(folder) === foldedName(dirname(join(home, ...path.split('/'))));
  } catch (error) {
    if (isNotThere(error)) return false;
    throw error;
  }
};

/** Takes content out of its place. @returns false when it was not there */
export const takeAway = async (from: string, to: string): Promise<boolean> => {
  try {
    await rename(from, to);
    await syncFolderAsync(dirname(to));
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
};

/** Of our own folders: whatever got there goes. */
export const discard = (file: string): Promise<void> => rm(file, { force: true, recursive: true });

/** Deletes the files of an internal folder that no record refers to. */
export const discardAllBut = async (folder: string, known: ReadonlySet<string>): Promise<number> => {
  let gone = 0;
  for (const name of await readdir(folder)) {
    if (known.has(name)) continue;
    await rm(join(folder, name), { recursive: true, force: true });
    gone += 1;
  }
  return gone;
};
