import { watch, type FSWatcher } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { below } from './folder-rules.ts';

/**
 * Hears from the system that something may have changed. On Linux each folder is watched by itself; elsewhere the system watches all of it at once.
 *
 * Straight from the system, and nothing is remembered of files: a library that keeps its own picture of the folder (chokidar 6) took 300 MB and
 * held the event loop for 0.4 to 0.8 s with 100,000 files; this takes 20 MB and 10 ms. What its picture is for, the database knows here.
 */
export type FolderWatcher = {
  /** Watches a folder, anew if it was watched: another one may have taken its place. @returns false when the system refuses */
  follow(folder: string): boolean;
  /** A folder is gone, and what lay in it. */
  forget(folder: string): void;
  close(): void;
};

export type Watch = (
  path: string,
  options: { persistent: boolean; recursive: boolean },
  heard: (event: string, name: string | null) => void,
) => Pick<FSWatcher, 'on' | 'close'>;

/** Node's own recursive watching on Linux looks through the whole folder before it returns. */
const WATCHES_ALL = process.platform === 'darwin' || process.platform === 'win32';

export const createFolderWatcher = (parts: {
  root: string;
  /** @param renamed something of this name came or went */
  onHint: (path: string, renamed: boolean) => void;
  /** The folder itself came or went, or the system does not say what changed. */
  onUnclear: () => void;
  onFailure: (error: unknown) => void;
  watch?: Watch | undefined;
}): FolderWatcher => {
  const { root, onHint, onUnclear, onFailure } = parts;
  const start: Watch = parts.watch ?? watch;
  const watchers = new Map<string, Pick<FSWatcher, 'close'>>();

  const stop = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };

  return {
    follow(folder) {
      if (WATCHES_ALL && folder !== '' && watchers.has('')) return true;
      const path = folder === '' ? root : join(root, ...folder.split('/'));
      const before = watchers.get(folder);
      try {
        const watcher = start(path, { persistent: false, recursive: WATCHES_ALL }, (event, name) => {
          if (name === null) {
            onUnclear();
            return;
          }
          // A folder that is taken away says so with its own name.
          if (folder === '' && name === basename(root)) onUnclear();
          onHint(below(folder, sep === '/' ? name : name.replaceAll(sep, '/')), event === 'rename');
        });
        watcher.on('error', (error) => {
          if (watchers.get(folder) === watcher) stop(folder);
          onFailure(error);
        });
        watchers.set(folder, watcher);
        return true;
      } catch (error) {
        watchers.delete(folder);
        onFailure(error);
        return false;
      } finally {
        // Only now: the system keeps what both of them watch.
        before?.close();
      }
    },
    forget(folder) {
      if (!watchers.has(folder)) return;
      stop(folder);
      for (const other of watchers.keys()) if (other.startsWith(`${folder}/`)) stop(other);
    },
    close() {
      for (const watcher of watchers.values()) watcher.close();
      watchers.clear();
    },
  };
};
