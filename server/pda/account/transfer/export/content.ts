import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { ZipWriter } from '../../../../platform/archive/zip-writer.ts';
import type { ArchiveContent } from '../../../../wire/archive.ts';
import type { SnapshotFile } from './snapshot-store.ts';

/** Another program may have replaced the file with a link, which must not be followed, or a pipe, which would block. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const CHUNK_BYTES = 256 * 1024;
/** Media types whose content is already compressed. Compressing it again would cost time without saving space. */
const COMPRESSED_TYPES =
  /^(?:image\/(?!svg|bmp|tiff)|video\/|audio\/(?!wav|x-wav)|application\/(?:zip|gzip|pdf|x-7z|x-rar|vnd\.openxml|epub))/u;
/** Names with a backslash, a colon or a control character, or with an empty, `.` or `..` segment in the path. */
const UNSAFE_NAME = /[\\:\p{Cc}]|(?:^|\/)\.{0,2}(?:\/|$)/u;

const openFile = async (path: string): Promise<FileHandle | undefined> => {
  try {
    const handle = await open(path, READ_FLAGS);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    return undefined;
  } catch {
    // The file was deleted, moved or replaced, or cannot be read.
    return undefined;
  }
};

/** The modification time is compared, too, because a new file can have the inode number of a deleted one. */
const isContentOf = async ({ inode, modified }: SnapshotFile, handle: FileHandle): Promise<boolean> => {
  const { dev, ino, mtimeNs } = await handle.stat({ bigint: true });
  return inode === `${dev}:${ino}` && modified === String(mtimeNs);
};

async function* readChunks(handle: FileHandle, onProgress: (bytes: number) => void): AsyncGenerator<Buffer> {
  for (;;) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES);
    if (bytesRead === 0) return;
    onProgress(bytesRead);
    yield buffer.subarray(0, bytesRead);
  }
}

export type ContentWriter = ReturnType<typeof createContentWriter>;

/**
 * Adds the contents of files and packages to an archive. Remembers the archive entries of all packages, and of those
 * files that differ from the database in content or path.
 */
export const createContentWriter = (parts: {
  home: string;
  zip: ZipWriter;
  findLiveFile: (seq: number) => SnapshotFile | undefined;
  onProgress: (bytes: number) => void;
}) => {
  const { home, zip, findLiveFile, onProgress } = parts;
  const differences = new Map<number, ArchiveContent | null>();
  const packages = new Map<string, ArchiveContent>();
  const names = new Set<string>();
  let missingCount = 0;
  let changedCount = 0;

  const pathsOf = ({ seq, path, undo, moving }: SnapshotFile): string[] => [
    ...(path !== null && moving === 0 ? [join('files', path)] : []),
    ...(undo === null ? [] : [join('removed', String(seq))]),
    ...(path !== null && moving === 1 ? [join('files', path)] : []),
    join('uploads', String(seq)),
  ];

  /**
   * Opens the content at its path in the snapshot, or at its current path if it has been moved since. Another file may
   * have taken the path in the snapshot, so the content there must have the attributes of the row. At the current
   * path, other attributes mean that another program has changed the file.
   */
  const openContent = async (file: SnapshotFile): Promise<FileHandle | undefined> => {
    const currentFile = findLiveFile(file.seq);
    for (const source of [file, currentFile]) {
      for (const path of source === undefined ? [] : pathsOf(source)) {
        const handle = await openFile(join(home, path));
        if (handle === undefined) continue;
        if (source === currentFile || (await isContentOf(file, handle))) return handle;
        await handle.close();
      }
    }
    return undefined;
  };

  /** Reserves an entry name that importers accept and that is unique regardless of case. */
  const reserveEntryName = ({ seq, path, undo, moving }: SnapshotFile): string => {
    const preferred =
      path !== null && moving === 0 ? `files/${path}` : undo === null ? `uploads/${seq}` : `removed/${seq}`;
    const name =
      UNSAFE_NAME.test(preferred) || names.has(preferred.toLowerCase()) ? `files-with-odd-names/${seq}` : preferred;
    names.add(name.toLowerCase());
    return name;
  };

  const addEntry = async (handle: FileHandle, entry: string, type: string | null): Promise<ArchiveContent> => {
    try {
      const { size } = await handle.stat();
      const level = type !== null && COMPRESSED_TYPES.test(type) ? 0 : 1;
      // Twice the current size, because another program may append to the file during the read.
      return { entry, ...(await zip.add(entry, { expectedBytes: 2 * size, level }, readChunks(handle, onProgress))) };
    } finally {
      await handle.close();
    }
  };

  return {
    async addFile(file: SnapshotFile): Promise<void> {
      const handle = await openContent(file);
      if (handle === undefined) {
        missingCount += 1;
        differences.set(file.seq, null);
        return;
      }
      const entry = reserveEntryName(file);
      const content = await addEntry(handle, entry, file.type);
      const isUnchanged = content.sha256 === file.sha256 && content.bytes === file.size;
      if (!isUnchanged) changedCount += 1;
      if (!isUnchanged || entry !== `files/${file.path ?? ''}`) differences.set(file.seq, content);
    },

    async addPackage({ id, folder, module }: { id: string; folder: string; module: string }): Promise<void> {
      const handle = await openFile(join(home, 'functions', id.toLowerCase(), folder, module));
      if (handle === undefined) {
        missingCount += 1;
        return;
      }
      const name = createHash('sha256').update(id).digest('hex').slice(0, 12);
      packages.set(id, await addEntry(handle, `functions/${name}/${module}`, null));
    },

    /** Returns the archived content of a file; undefined if content and path match the database, null if missing. */
    contentOfFile: (seq: number): ArchiveContent | null | undefined => differences.get(seq),
    /** Returns undefined if the content is missing. */
    contentOfPackage: (id: string): ArchiveContent | undefined => packages.get(id),
    /** `missing`: files and packages without content; `later`: files whose content differs from the snapshot. */
    counts: () => ({ missing: missingCount, later: changedCount }),
  };
};
