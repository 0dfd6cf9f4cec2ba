import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../../../platform/io/file-system.ts';
import type { FileScanner } from './scanner.ts';
import { joinPath, isIgnoredFolder } from './rules.ts';

const ENTRIES_PER_READ = 256;
/** Replaces bytes of a name that are not valid UTF-8. */
const REPLACEMENT_CHARACTER = '\uFFFD';

/**
 * Reports the files below a folder. Keeps only the paths of unread folders in memory. Concurrent walks are combined.
 */
export const createDirectoryWalk = (parts: {
  root: string;
  scanner: Pick<FileScanner, 'isWithin'>;
  /** Called for each entry except folders, links, and hidden and system files. */
  onFile: (path: string) => void;
  waitForCapacity: () => Promise<void>;
  onError: (error: unknown) => void;
  onInvalidName: () => void;
}) => {
  const pendingFolders = new Set<string>();
  let activeWalk: Promise<void> | undefined;
  let isClosed = false;

  const readFolder = async (folder: string): Promise<void> => {
    if (!(await parts.scanner.isWithin(folder))) return;
    const path = folder === '' ? parts.root : join(parts.root, ...folder.split('/'));
    for await (const entry of await opendir(path, { bufferSize: ENTRIES_PER_READ })) {
      if (isClosed) return;
      const entryPath = joinPath(folder, entry.name);
      if (entry.name.includes(REPLACEMENT_CHARACTER)) parts.onInvalidName();
      if (entry.isSymbolicLink() || isIgnoredFolder(entryPath)) continue;
      if (entry.isDirectory()) pendingFolders.add(entryPath);
      else parts.onFile(entryPath);
      await parts.waitForCapacity();
    }
  };

  const run = async (): Promise<void> => {
    for (const folder of pendingFolders) {
      pendingFolders.delete(folder);
      try {
        await readFolder(folder);
      } catch (error) {
        if (!isMissing(error)) parts.onError(error);
      }
      if (isClosed) return;
    }
  };

  const waitUntilIdle = async (): Promise<void> => {
    while (activeWalk !== undefined) await activeWalk;
  };

  return {
    async walk(folder: string): Promise<void> {
      pendingFolders.add(folder);
      while (pendingFolders.size > 0 && !isClosed) {
        activeWalk ??= run().finally(() => (activeWalk = undefined));
        await activeWalk;
      }
      await waitUntilIdle();
    },
    isIdle: () => activeWalk === undefined,
    waitUntilIdle,
    close(): Promise<void> {
      isClosed = true;
      pendingFolders.clear();
      return waitUntilIdle();
    },
  };
};
