import { join } from 'node:path';
import { createZipWriter, type ZipWriter } from '../../../../platform/archive/zip-writer.ts';
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  MANIFEST,
  PART_FILE_BYTES,
  README,
  type ArchiveContent,
  type Manifest,
} from '../../../../wire/archive.ts';
import type { ArchiveCounts } from '../../../../wire/move.ts';
import type { PartName } from '../../../../wire/move-parts.ts';
import { createContents, type Contents } from './content.ts';
import { KEY_MEMBERS, SHAPES, writeLine, type Forms, type ArchiveRow } from '../format/row-rules.ts';
import { README_TEXT } from '../format/readme.ts';
import { openLive, openSnapshot, type Snapshot } from './snapshot-store.ts';

export type Exported = { counts: ArchiveCounts; bytes: number };

/** Bytes of lines that are packed at once. */
const BATCH_BYTES = 128 * 1024;

type Lines = { next(): string | undefined };

const linesOf = (rows: Iterable<ArchiveRow>, line: (row: ArchiveRow) => string): Lines & { close(): void } => {
  const iterator = rows[Symbol.iterator]();
  return {
    next() {
      const found = iterator.next();
      return found.done === true ? undefined : line(found.value);
    },
    close: () => void iterator.return?.(),
  };
};

/** One file of lines after the other, none much longer than an editor can open. */
const addPart = async (zip: ZipWriter, part: PartName, lines: Lines): Promise<Manifest['parts']> => {
  const files: Manifest['parts'] = [];
  let waiting = lines.next();
  while (waiting !== undefined) {
    const file = files.length === 0 ? `${part}.ndjson` : `${part}-${files.length + 1}.ndjson`;
    let count = 0;
    const content = async function* (): AsyncGenerator<Buffer> {
      for (let bytes = 0; waiting !== undefined && bytes < PART_FILE_BYTES;) {
        let batch = '';
        for (; waiting !== undefined && batch.length < BATCH_BYTES; waiting = lines.next()) {
          batch += `${waiting}\n`;
          count += 1;
        }
        const piece = Buffer.from(batch);
        bytes += piece.length;
        yield piece;
      }
    };
    const written = await zip.add(file, { maxBytes: 0, level: 6 }, content());
    files.push({ part, file, lines: count, ...written });
  }
  return files;
};

/** What the archive says of the bytes of a row. */
const contentOf = (
  shape: { part: PartName },
  row: ArchiveRow,
  contents: Contents,
  forms: Forms,
): ArchiveContent | undefined => {
  if (shape.part === 'function-packages') return contents.ofPackage(String(row['id'])) ?? undefined;
  if (shape.part !== 'files') return undefined;
  const seq = forms.seqOfId(String(row['id']));
  const { size, sha256, path, status, undoPath } = row;
  if (seq === undefined || typeof size !== 'number' || typeof sha256 !== 'string') return undefined;
  if (status === 'Deleted' && undoPath === null) return undefined;
  const found = contents.ofFile(seq);
  return found === undefined ? { entry: `files/${String(path)}`, bytes: size, sha256 } : (found ?? undefined);
};

async function* once(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

/**
 * Exports a whole account as of one moment while it is served. Memory grows only with the number of file names.
 * @param parts.write receives the next bytes of the archive
 * @throws MoveProblem, or an error of the disk; the bytes written so far lack the end and are not a valid archive
 */
export const exportAccount = async (parts: {
  home: string;
  scratch: string;
  program: string;
  now: number;
  forms: Forms;
  write: (bytes: Buffer) => Promise<void>;
  tell: (done: number, total: number) => void;
}): Promise<Exported> => {
  const { home, program, now, forms, write } = parts;
  const database = join(home, 'pda.sqlite');
  const snapshot = await openSnapshot(database, parts.scratch);
  const live = openLive(database);
  try {
    const zip = createZipWriter(write, now);
    await zip.add(README, { maxBytes: 0, level: 6 }, once(README_TEXT));
    const counts = snapshot.counts(now);
    const total = counts.fileBytes + snapshot.bytes();
    let done = 0;
    const tell = (bytes: number): void => parts.tell((done += bytes), total);
    const contents = await addContents(snapshot, createContents({ home, zip, live: live.file, tell }));

    const { pathOf } = snapshot;
    const key = (row: ArchiveRow): string => writeLine(KEY_MEMBERS, row, { forms, pathOf });
    const written = await addPart(zip, 'keys', linesOf(snapshot.keys(), key));
    for (const shape of SHAPES) {
      const line = (row: ArchiveRow): string =>
        writeLine(shape.members, row, { forms, pathOf, content: contentOf(shape, row, contents, forms) });
      const lines = linesOf(snapshot.rows(shape), line);
      const files = await addPart(zip, shape.part, lines).finally(() => lines.close());
      written.push(...files);
      tell(files.reduce((sum, { bytes }) => sum + bytes, 0));
    }

    const { id, name, created } = snapshot.account();
    const { missing, later } = contents;
    const manifest: Manifest = {
      format: ARCHIVE_FORMAT,
      version: ARCHIVE_VERSION,
      program,
      created: new Date(now).toISOString(),
      account: { id, name, created: new Date(created).toISOString() },
      counts: { ...counts, missing, later },
      numbers: snapshot.numbers(),
      parts: written,
    };
    await zip.add(MANIFEST, { maxBytes: 0, level: 6 }, once(`${JSON.stringify(manifest, null, 1)}\n`));
    await zip.end();
    return { counts: manifest.counts, bytes: zip.bytes() };
  } finally {
    live.close();
    snapshot.close();
  }
};

const addContents = async (snapshot: Snapshot, adding: ReturnType<typeof createContents>): Promise<Contents> => {
  for (const file of snapshot.files()) await adding.addFile(file);
  for (const one of snapshot.packages()) await adding.addPackage(one);
  return adding.contents();
};
