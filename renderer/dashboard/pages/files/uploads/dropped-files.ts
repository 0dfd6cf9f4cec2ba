import type { LocalFile } from './destination.ts';

export interface DroppedFiles {
  files: LocalFile[];
  /** Names of files and folders that could not be read. */
  unreadable: string[];
}

function isFolder(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function readFile(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => {
    entry.file(resolve, reject);
  });
}

/** Reads all entries of a folder. The browser returns them in batches and marks the end with an empty batch. */
async function readEntries(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const entries: FileSystemEntry[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => {
      reader.readEntries(resolve, reject);
    });
    if (batch.length === 0) return entries;
    entries.push(...batch);
  }
}

/**
 * Reads the dropped files, including those in folders. Must be called synchronously in the drop handler, because the
 * browser clears the data afterwards.
 * @param onProgress receives the number of files read so far
 */
export async function readDroppedFiles(
  transfer: DataTransfer,
  onProgress: (files: number) => void,
): Promise<DroppedFiles> {
  const result: DroppedFiles = { files: [], unreadable: [] };
  const pendingEntries: { entry: FileSystemEntry; folders: string[] }[] = [];
  for (const item of transfer.items) {
    if (item.kind !== 'file') continue;
    const entry = item.webkitGetAsEntry();
    const file = item.getAsFile();
    // Files that were created by a web page have no entry.
    if (entry !== null) pendingEntries.push({ entry, folders: [] });
    else if (file !== null) result.files.push({ file, folders: [] });
  }
  for (let index = 0; index < pendingEntries.length; index += 1) {
    const pendingEntry = pendingEntries[index];
    if (pendingEntry === undefined) break;
    const { entry, folders } = pendingEntry;
    try {
      if (isFolder(entry)) {
        const innerFolders = [...folders, entry.name];
        for (const innerEntry of await readEntries(entry))
          pendingEntries.push({ entry: innerEntry, folders: innerFolders });
      } else if (isFile(entry)) {
        result.files.push({ file: await readFile(entry), folders });
        onProgress(result.files.length);
      }
    } catch {
      result.unreadable.push(entry.name);
    }
  }
  return result;
}
