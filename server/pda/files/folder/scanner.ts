import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, opendir, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { isMissing, unlessMissing } from '../../../platform/io/file-system.ts';
import { typeOfBytes } from '../content/types.ts';
import { foldedName } from '../content/disk-names.ts';
import { deviceOf, nameOfPath, parentOf, type Found } from './rules.ts';
import type { Content } from '../store.ts';

/** Looking at the files folder without being led out of it, and without being held up. Paths are below `files/`, with `/`. */

/** Neither through a link, nor held up by a pipe that took the file's place meanwhile. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const FOLDER_FLAGS = READ_FLAGS | (constants.O_DIRECTORY ?? 0);
/** Bytes hashed per turn of the event loop, about one millisecond. */
const PIECE_BYTES = 1024 * 1024;
/** For most files a small piece is enough, and large ones are not worth their memory. */
const SMALL_BYTES = 64 * 1024;
const BEGINNING_BYTES = 8192;
/** Milliseconds for which a folder is trusted to contain no links on its path. Opened files are always checked. */
const BELIEVED_MS = 500;
const MAX_BELIEVED = 2000;

export type FolderLooks = {
  /** What is there; undefined when nothing is. @throws what the file system throws */
  find(path: string): Promise<Found | undefined>;
  /** Whether the way to a folder leads through folders below `files/` only, and through no link. */
  isWithin(folder: string): Promise<boolean>;
  /** Discards cached folder checks after a change. */
  distrust(): void;
  /** The content, if it is what was found and stays so while it is read. @throws what the file system throws */
  read(path: string, found: Found, isWanted: () => boolean): Promise<Content | undefined>;
  /** Whether a folder holds exactly this spelling: on some systems a file answers to several. */
  isSpelled(path: string): Promise<boolean>;
  /** Has the disk take what was written into a folder up to now. */
  flush(folder: string): Promise<void>;
  /** Whether the disk on which a file lay is away, so that it cannot be said to be gone. */
  isAway(path: string, inode: string | null): Promise<boolean>;
};

const kindOf = (found: { isFile(): boolean; isDirectory(): boolean }): Found['kind'] => {
  if (found.isFile()) return 'file';
  return found.isDirectory() ? 'folder' : 'other';
};

const NANOSECONDS = 1_000_000n;

export const createFolderLooks = (root: string): FolderLooks => {
  const onDisk = (path: string): string => (path === '' ? root : join(root, ...path.split('/')));
  let believed = new Map<string, Promise<boolean>>();
  let believedSince = 0;
  let top: { path: Promise<string>; since: number } = { path: Promise.resolve(''), since: -BELIEVED_MS - 1 };

  const find = async (path: string): Promise<Found | undefined> => {
    try {
      // The files folder itself may be a link to a larger disk: its owner put it there.
      const found = await (path === '' ? stat : lstat)(onDisk(path), { bigint: true });
      const { mtimeNs, ctimeNs } = found;
      return {
        kind: kindOf(found),
        size: Number(found.size),
        modified: String(mtimeNs),
        inode: `${found.dev}:${found.ino}`,
        links: Number(found.nlink),
        // The second one cannot be set by a program: a copy may carry the times of its original from the first byte on.
        changed: Number((mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / NANOSECONDS),
      };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };

  /** Where the files folder itself is. A belief that is out of date lets nothing in: the two would not fit together. */
  const topNow = async (): Promise<string> => {
    if (performance.now() - top.since > BELIEVED_MS) top = { path: realpath(root), since: performance.now() };
    return top.path;
  };

  const leadsWithin = async (folder: string): Promise<boolean> => {
    try {
      const [home, real] = [await topNow(), await realpath(onDisk(folder))];
      const expected = folder === '' ? home : home + sep + folder.split('/').join(sep);
      return foldedName(real) === foldedName(expected);
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  };

  const isWithin = (folder: string): Promise<boolean> => {
    if (believed.size > MAX_BELIEVED || performance.now() - believedSince > BELIEVED_MS) {
      believed = new Map();
      believedSince = performance.now();
    }
    const known = believed.get(folder);
    if (known !== undefined) return known;
    const asked = leadsWithin(folder);
    believed.set(folder, asked);
    return asked;
  };

  return {
    find,
    isWithin,
    distrust: () => believed.clear(),

    async read(path, found, isWanted) {
      const handle = await open(onDisk(path), READ_FLAGS);
      try {
        const opened = await handle.stat({ bigint: true });
        const isSame = opened.isFile() && `${opened.dev}:${opened.ino}` === found.inode;
        // The opened file must be the scanned one, and its path must not lead through a link.
        if (!isSame || !(await leadsWithin(parentOf(path)))) return undefined;
        const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(SMALL_BYTES, found.size)));
        const hash = createHash('sha256');
        let beginning = Buffer.alloc(0);
        let size = 0;
        for (;;) {
          const { bytesRead } = await handle.read(buffer, 0, buffer.length, size);
          if (bytesRead === 0) break;
          if (!isWanted()) return undefined;
          const piece = buffer.subarray(0, bytesRead);
          if (size === 0) beginning = Buffer.from(piece.subarray(0, BEGINNING_BYTES));
          hash.update(piece);
          size += bytesRead;
          if (size >= found.size && bytesRead < buffer.length) break;
        }
        const after = await find(path);
        const stayed =
          after !== undefined &&
          after.inode === found.inode &&
          after.modified === found.modified &&
          after.size === found.size;
        if (!stayed || size !== found.size) return undefined;
        return { size, sha256: hash.digest('hex'), ...(await typeOfBytes(beginning, nameOfPath(path))) };
      } finally {
        await handle.close();
      }
    },

    async isSpelled(path) {
      try {
        return (await readdir(onDisk(parentOf(path)))).includes(nameOfPath(path));
      } catch (error) {
        if (isMissing(error)) return false;
        throw error;
      }
    },

    async flush(folder) {
      // Windows opens no folders.
      if (process.platform === 'win32') return;
      try {
        const handle = await open(onDisk(folder), FOLDER_FLAGS);
        try {
          await handle.sync();
        } finally {
          await handle.close();
        }
      } catch (error) {
        unlessMissing(error);
      }
    },

    async isAway(path, inode) {
      let folder = parentOf(path);
      let nearest = await find(folder);
      while (nearest?.kind !== 'folder' && folder !== '') {
        folder = parentOf(folder);
        nearest = await find(folder);
      }
      if (nearest?.kind !== 'folder') return true;
      if (inode === null || deviceOf(nearest.inode) === deviceOf(inode)) return false;
      // An empty folder on another disk than the file's is what is left where a disk was taken away.
      const entries = await opendir(onDisk(folder));
      try {
        return (await entries.read()) === null;
      } finally {
        await entries.close();
      }
    },
  };
};
