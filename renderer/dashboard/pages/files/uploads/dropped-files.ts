import type { FoundFile } from './destination.ts';

/** What was dropped, folders with all that is in them. */

export interface Dropped {
  found: FoundFile[];
  /** Names of what the browser was not allowed to read, or could not. */
  unreadable: string[];
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });
}

/** A folder tells its entries a hundred at a time, and nothing when there are no more. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (some.length === 0) return all;
    all.push(...some);
  }
}

/**
 * To be called while the drop is being handled: the browser forgets what was dropped right after.
 *
 * @param count told how many files were found so far
 */
export async function readDropped(dropped: DataTransfer, count: (files: number) => void): Promise<Dropped> {
  const result: Dropped = { found: [], unreadable: [] };
  const waiting: { entry: FileSystemEntry; folders: string[] }[] = [];
  for (const item of dropped.items) {
    if (item.kind !== 'file') continue;
    const entry = item.webkitGetAsEntry();
    const file = item.getAsFile();
    // What a page made itself has no entry.
    if (entry !== null) waiting.push({ entry, folders: [] });
    else if (file !== null) result.found.push({ file, folders: [] });
  }
  for (let at = 0; at < waiting.length; at += 1) {
    const next = waiting[at];
    if (next === undefined) break;
    const { entry, folders } = next;
    try {
      if (isFolder(entry)) {
        const inside = [...folders, entry.name];
        for (const inner of await entriesOf(entry)) waiting.push({ entry: inner, folders: inside });
      } else if (isFile(entry)) {
        result.found.push({ file: await fileOf(entry), folders });
        count(result.found.length);
      }
    } catch {
      result.unreadable.push(entry.name);
    }
  }
  return result;
}
