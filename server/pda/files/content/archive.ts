import { Readable } from 'node:stream';
import { createZipWriter } from '../../../platform/archive/zip-writer.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { codeOf } from '../../../wire/values.ts';
import { readRange, type ContentSource } from './download.ts';
import type { FileRow } from '../store.ts';
import { archiveNames, folderWithin } from '../rules.ts';

export type ArchiveSource = {
  rows: readonly FileRow[];
  /** Path of the archived folder. Without it, entries have no folders. */
  folder?: string | undefined;
  open: (row: FileRow) => ReturnType<ContentSource['open']>;
  isAllowed: (row: FileRow) => boolean;
  clock: Clock;
  /** Called once, when the archive is complete, has failed or is no longer read. */
  onEnd?: () => void;
};

/**
 * Returns a ZIP archive as a stream. Packs files while the archive is read, without compression, because most large
 * files are compressed already. The stream fails when the reader has lost the right to a file, or a file cannot be
 * read, so that a truncated archive is not mistaken for a complete one.
 */
export const archiveOf = ({ rows, folder, open, isAllowed, clock, onEnd }: ArchiveSource): Readable => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const zip = createZipWriter((bytes) => writer.write(bytes), clock.now());
  const names = archiveNames(
    rows.map(({ name, path }) => ({
      name,
      folder: folder === undefined || path === null ? '' : folderWithin(folder, path),
    })),
  );

  const pack = async (): Promise<void> => {
    for (const [index, row] of rows.entries()) {
      const end = (row.size ?? 0) - 1;
      const content = readRange(
        { start: 0, end },
        { open: () => open(row), isAllowed: () => isAllowed(row), count: () => undefined },
      );
      await zip.add(names[index] ?? row.name, { expectedBytes: row.size ?? 0, level: 0 }, content);
    }
    await zip.end();
    await writer.close();
  };
  pack()
    // Packing also fails if the reader disconnects. Then there is nothing left to abort.
    .catch((error: unknown) => writer.abort(error).catch(() => undefined))
    .finally(() => onEnd?.());
  return Readable.fromWeb(readable as Parameters<typeof Readable.fromWeb>[0], { objectMode: false });
};

/** Error codes of files that the server may not read, or that another program has locked. */
const UNREADABLE_CODES: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EBUSY']);

export const findOpenableFiles = async (rows: readonly FileRow[], open: ArchiveSource['open']): Promise<FileRow[]> => {
  const openableRows: FileRow[] = [];
  for (const row of rows) {
    try {
      await (await open(row)).close();
      openableRows.push(row);
    } catch (error) {
      if (!(error instanceof Failure) && !UNREADABLE_CODES.has(codeOf(error))) throw error;
    }
  }
  return openableRows;
};
