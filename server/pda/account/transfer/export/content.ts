import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { ZipWriter } from '../../../../platform/archive/zip-writer.ts';
import type { ArchiveContent } from '../../../../wire/archive.ts';
import type { SnapshotFile } from './snapshot-store.ts';

/** The bytes of files and packages on their way into an archive. Only what differs from what the database says is remembered. */
export type Contents = {
  /** Undefined: as the database says. Null: there are none. */
  ofFile(seq: number): ArchiveContent | null | undefined;
  ofPackage(id: string): ArchiveContent | null;
  missing: number;
  later: number;
};

/** Never through a link that took the place of a file, and never waiting for the other end of a pipe that did. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const PIECE_BYTES = 256 * 1024;
/** Types that are packed already: packing them again costs time and saves nothing. */
const PACKED =
  /^(?:image\/(?!svg|bmp|tiff)|video\/|audio\/(?!wav|x-wav)|application\/(?:zip|gzip|pdf|x-7z|x-rar|vnd\.openxml|epub))/u;
/** What an archive's name must not hold: it could mean something else on another system. */
const ODD = /[\\:\p{Cc}]|(?:^|\/)\.{0,2}(?:\/|$)/u;

const openFile = async (path: string): Promise<FileHandle | undefined> => {
  try {
    const handle = await open(path, READ);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    return undefined;
  } catch {
    // Gone, moved, or something else lies there now: it is looked for where it may be.
    return undefined;
  }
};

async function* piecesOf(handle: FileHandle, tell: (bytes: number) => void): AsyncGenerator<Buffer> {
  for (;;) {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES);
    if (bytesRead === 0) return;
    tell(bytesRead);
    yield buffer.subarray(0, bytesRead);
  }
}

export const createContents = (parts: {
  home: string;
  zip: ZipWriter;
  live: (seq: number) => SnapshotFile | undefined;
  tell: (bytes: number) => void;
}) => {
  const { home, zip, live, tell } = parts;
  const odd = new Map<number, ArchiveContent | null>();
  const packages = new Map<string, ArchiveContent>();
  const names = new Set<string>();
  let missing = 0;
  let later = 0;

  const placesOf = ({ seq, path, undo, moving }: SnapshotFile): string[] => [
    ...(path !== null && moving === 0 ? [join('files', path)] : []),
    ...(undo === null ? [] : [join('removed', String(seq))]),
    ...(path !== null && moving === 1 ? [join('files', path)] : []),
    join('uploads', String(seq)),
  ];

  /** Where the bytes are: as the copy of the database says, or where they were moved to since. */
  const find = async (file: SnapshotFile): Promise<FileHandle | undefined> => {
    for (const from of [file, live(file.seq)]) {
      for (const place of from === undefined ? [] : placesOf(from)) {
        const handle = await openFile(join(home, place));
        if (handle !== undefined) return handle;
      }
    }
    return undefined;
  };

  /** A name that is free, and one for all systems; two files may differ in upper and lower case only. */
  const entryOf = ({ seq, path, undo, moving }: SnapshotFile): string => {
    const plain = path !== null && moving === 0 ? `files/${path}` : undo === null ? `uploads/${seq}` : `removed/${seq}`;
    const name = ODD.test(plain) || names.has(plain.toLowerCase()) ? `files-with-odd-names/${seq}` : plain;
    names.add(name.toLowerCase());
    return name;
  };

  const add = async (handle: FileHandle, entry: string, type: string | null): Promise<ArchiveContent> => {
    try {
      const { size } = await handle.stat();
      const level = type !== null && PACKED.test(type) ? 0 : 1;
      // Another program may append to the file while it is read.
      return { entry, ...(await zip.add(entry, { maxBytes: 2 * size, level }, piecesOf(handle, tell))) };
    } finally {
      await handle.close();
    }
  };

  return {
    async addFile(file: SnapshotFile): Promise<void> {
      const handle = await find(file);
      if (handle === undefined) {
        missing += 1;
        odd.set(file.seq, null);
        return;
      }
      const entry = entryOf(file);
      const content = await add(handle, entry, file.type);
      const same = content.sha256 === file.sha256 && content.bytes === file.size;
      if (!same) later += 1;
      if (!same || entry !== `files/${file.path ?? ''}`) odd.set(file.seq, content);
    },

    async addPackage({ id, folder, module }: { id: string; folder: string; module: string }): Promise<void> {
      const handle = await openFile(join(home, 'functions', id.toLowerCase(), folder, module));
      if (handle === undefined) {
        missing += 1;
        return;
      }
      const name = createHash('sha256').update(id).digest('hex').slice(0, 12);
      packages.set(id, await add(handle, `functions/${name}/${module}`, null));
    },

    contents: (): Contents => ({
      ofFile: (seq) => odd.get(seq),
      ofPackage: (id) => packages.get(id) ?? null,
      missing,
      later,
    }),
  };
};
