import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, opendir, readdir, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { isMissing, ignoreMissing } from '../../../platform/io/file-system.ts';
import { READ_FLAGS } from '../content/operations.ts';
import { SNIFFED_BYTES, typeOfBytes } from '../content/types.ts';
import { foldedName } from '../content/disk-names.ts';
import { deviceOf, nameOfPath, parentOf, type ScannedEntry } from './rules.ts';
import type { Content } from '../store.ts';

// The scanner reads no content through a link below `files/` and never blocks on a pipe. Paths are relative to `files/`
// and use `/`.

const FOLDER_FLAGS = READ_FLAGS | (constants.O_DIRECTORY ?? 0);
/** Bytes hashed per turn of the event loop, about one millisecond. */
const CHUNK_BYTES = 1024 * 1024;
const CHUNK_MIN_BYTES = 64 * 1024;
/** Milliseconds for which the path of a folder is trusted to contain no links. Opened files are always checked. */
const FOLDER_CHECK_TTL_MS = 500;
const FOLDER_CHECKS_MAX = 2000;

export type FileScanner = ReturnType<typeof createFileScanner>;

const kindOf = (stats: { isFile(): boolean; isDirectory(): boolean }): ScannedEntry['kind'] => {
  if (stats.isFile()) return 'file';
  return stats.isDirectory() ? 'folder' : 'other';
};

const NANOSECONDS_PER_MS = 1_000_000n;

export const createFileScanner = (root: string) => {
  const diskPath = (path: string): string => (path === '' ? root : join(root, ...path.split('/')));
  let folderChecks = new Map<string, Promise<boolean>>();
  let checkedSince = 0;
  let cachedRoot: { path: Promise<string>; since: number } = {
    path: Promise.resolve(''),
    since: -FOLDER_CHECK_TTL_MS - 1,
  };

  const statEntry = async (path: string): Promise<ScannedEntry | undefined> => {
    try {
      // The files folder itself may be a link to a larger disk, created by the owner.
      const stats = await (path === '' ? stat : lstat)(diskPath(path), { bigint: true });
      const { mtimeNs, ctimeNs } = stats;
      return {
        kind: kindOf(stats),
        size: Number(stats.size),
        modified: String(mtimeNs),
        inode: `${stats.dev}:${stats.ino}`,
        links: Number(stats.nlink),
        // Programs cannot set the ctime, whereas an unfinished copy can already have the mtime of the original.
        changed: Number((mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / NANOSECONDS_PER_MS),
      };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };

  /**
   * Returns the cached real path of the files folder. While the cached path is outdated, all files are rejected,
   * because their real paths do not begin with it.
   */
  const realRoot = async (): Promise<string> => {
    if (performance.now() - cachedRoot.since > FOLDER_CHECK_TTL_MS)
      cachedRoot = { path: realpath(root), since: performance.now() };
    return cachedRoot.path;
  };

  const leadsWithin = async (folder: string): Promise<boolean> => {
    try {
      const [rootPath, realPath] = [await realRoot(), await realpath(diskPath(folder))];
      const expected = folder === '' ? rootPath : rootPath + sep + folder.split('/').join(sep);
      return foldedName(realPath) === foldedName(expected);
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  };

  /** Returns false if there is no such folder, or its path leads through a link below `files/`. */
  const isWithin = (folder: string): Promise<boolean> => {
    if (folderChecks.size > FOLDER_CHECKS_MAX || performance.now() - checkedSince > FOLDER_CHECK_TTL_MS) {
      folderChecks = new Map();
      checkedSince = performance.now();
    }
    const cachedCheck = folderChecks.get(folder);
    if (cachedCheck !== undefined) return cachedCheck;
    const check = leadsWithin(folder);
    folderChecks.set(folder, check);
    return check;
  };

  return {
    stat: statEntry,
    isWithin,
    /** Discards cached results of `isWithin`. */
    clearCache: () => folderChecks.clear(),

    /**
     * @param isWanted returns false to cancel
     * @returns undefined if the path leads to a different file or through a linked folder, if the file changed during
     *   reading, and after cancellation
     * @throws errors of the file system, including the error for a path that is itself a link
     */
    async read(path: string, entry: ScannedEntry, isWanted: () => boolean): Promise<Content | undefined> {
      const handle = await open(diskPath(path), READ_FLAGS);
      try {
        const openedStats = await handle.stat({ bigint: true });
        const isSame = openedStats.isFile() && `${openedStats.dev}:${openedStats.ino}` === entry.inode;
        // The opened file must be the scanned one, and its path must not lead through a link.
        if (!isSame || !(await leadsWithin(parentOf(path)))) return undefined;
        const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(CHUNK_MIN_BYTES, entry.size)));
        const hash = createHash('sha256');
        let firstBytes = Buffer.alloc(0);
        let size = 0;
        for (;;) {
          const { bytesRead } = await handle.read(buffer, 0, buffer.length, size);
          if (bytesRead === 0) break;
          if (!isWanted()) return undefined;
          const chunk = buffer.subarray(0, bytesRead);
          if (size === 0) firstBytes = Buffer.from(chunk.subarray(0, SNIFFED_BYTES));
          hash.update(chunk);
          size += bytesRead;
          if (size >= entry.size && bytesRead < buffer.length) break;
        }
        const entryAfterRead = await statEntry(path);
        const isUnchanged =
          entryAfterRead !== undefined &&
          entryAfterRead.inode === entry.inode &&
          entryAfterRead.modified === entry.modified &&
          entryAfterRead.size === entry.size;
        if (!isUnchanged || size !== entry.size) return undefined;
        return { size, sha256: hash.digest('hex'), ...(await typeOfBytes(firstBytes, nameOfPath(path))) };
      } finally {
        await handle.close();
      }
    },

    /**
     * Returns true if the folder lists this spelling of the name. Some file systems find a file under several
     * spellings.
     */
    async hasExactName(path: string): Promise<boolean> {
      try {
        return (await readdir(diskPath(parentOf(path)))).includes(nameOfPath(path));
      } catch (error) {
        if (isMissing(error)) return false;
        throw error;
      }
    },

    async flush(folder: string): Promise<void> {
      // On Windows, folders cannot be opened.
      if (process.platform === 'win32') return;
      try {
        const handle = await open(diskPath(folder), FOLDER_FLAGS);
        try {
          await handle.sync();
        } finally {
          await handle.close();
        }
      } catch (error) {
        ignoreMissing(error);
      }
    },

    /** Returns true if the disk of a missing file may have been unmounted. The file then does not count as deleted. */
    async isUnmounted(path: string, inode: string | null): Promise<boolean> {
      let folder = parentOf(path);
      let nearestEntry = await statEntry(folder);
      while (nearestEntry?.kind !== 'folder' && folder !== '') {
        folder = parentOf(folder);
        nearestEntry = await statEntry(folder);
      }
      if (nearestEntry?.kind !== 'folder') return true;
      if (inode === null || deviceOf(nearestEntry.inode) === deviceOf(inode)) return false;
      // An empty folder on a device other than the file's is the mount point of a removed disk.
      const entries = await opendir(diskPath(folder));
      try {
        return (await entries.read()) === null;
      } finally {
        await entries.close();
      }
    },
  };
};
