import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../../../platform/io/file-system.ts';
import type { FolderLooks } from './scanner.ts';
import { below, isClosedFolder } from './rules.ts';

/** Goes through folders, one after the other, and names what is in them. Nothing is kept of it but the folders still to come. */
export type FolderWalk = {
  /** Names every file below a folder. Walks that are asked for at the same time share the way. */
  walk(folder: string): Promise<void>;
  isIdle(): boolean;
  idle(): Promise<void>;
  /** Ends in the middle. */
  close(): Promise<void>;
};

/** Entries that are read at once. */
const ENTRIES = 256;
const NOT_TEXT = '\uFFFD';

export const createFolderWalk = (parts: {
  root: string;
  looks: Pick<FolderLooks, 'isWithin'>;
  /** A file, or something else that lies there. */
  onFile: (path: string) => void;
  /** Waits until there is room for more. */
  room: () => Promise<void>;
  onError: (error: unknown) => void;
  /** A name that is not text cannot be asked for. */
  onNotText: () => void;
}): FolderWalk => {
  const pending = new Set<string>();
  let running: Promise<void> | undefined;
  let closed = false;

  const read = async (folder: string): Promise<void> => {
    if (!(await parts.looks.isWithin(folder))) return;
    const path = folder === '' ? parts.root : join(parts.root, ...folder.split('/'));
    for await (const entry of await opendir(path, { bufferSize: ENTRIES })) {
      if (closed) return;
      const name = below(folder, entry.name);
      if (entry.name.includes(NOT_TEXT)) parts.onNotText();
      if (entry.isSymbolicLink() || isClosedFolder(name)) continue;
      if (entry.isDirectory()) pending.add(name);
      else parts.onFile(name);
      await parts.room();
    }
  };

  const run = async (): Promise<void> => {
    for (const folder of pending) {
      pending.delete(folder);
      try {
        await read(folder);
      } catch (error) {
        if (!isMissing(error)) parts.onError(error);
      }
      if (closed) return;
    }
  };

  const idle = async (): Promise<void> => {
    while (running !== undefined) await running;
  };

  return {
    async walk(folder) {
      pending.add(folder);
      while (pending.size > 0 && !closed) {
        running ??= run().finally(() => (running = undefined));
        await running;
      }
      await idle();
    },
    isIdle: () => running === undefined,
    idle,
    close() {
      closed = true;
      pending.clear();
      return idle();
    },
  };
};
