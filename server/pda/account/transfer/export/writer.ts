import { join } from 'node:path';
import { Readable } from 'node:stream';
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
import { createContentWriter, type ContentWriter } from './content.ts';
import { KEY_MEMBERS, TABLE_SHAPES, formatLine, type Codecs, type ArchiveRow } from '../format/row-rules.ts';
import { README_TEXT } from '../format/readme.ts';
import { openLiveDatabase, openSnapshot } from './snapshot-store.ts';

/** `bytes`: size of the archive. */
export type ExportResult = { counts: ArchiveCounts; bytes: number };

/** Minimum length of a batch of lines that is compressed together. */
const BATCH_MIN_CHARS = 128 * 1024;

type Lines = Generator<string, undefined>;

function* linesOf(rows: Iterable<ArchiveRow>, toLine: (row: ArchiveRow) => string): Lines {
  for (const row of rows) yield toLine(row);
  return undefined;
}

/** Adds the lines of a part to the archive, split into files that an editor can open. */
const addPart = async (zip: ZipWriter, part: PartName, lines: Lines): Promise<Manifest['parts']> => {
  const files: Manifest['parts'] = [];
  let nextLine = lines.next().value;
  while (nextLine !== undefined) {
    const file = files.length === 0 ? `${part}.ndjson` : `${part}-${files.length + 1}.ndjson`;
    let count = 0;
    const content = async function* (): AsyncGenerator<Buffer> {
      for (let bytes = 0; nextLine !== undefined && bytes < PART_FILE_BYTES;) {
        let batch = '';
        for (; nextLine !== undefined && batch.length < BATCH_MIN_CHARS; nextLine = lines.next().value) {
          batch += `${nextLine}\n`;
          count += 1;
        }
        const chunk = Buffer.from(batch);
        bytes += chunk.length;
        yield chunk;
      }
    };
    const entry = await zip.add(file, { expectedBytes: PART_FILE_BYTES, level: 6 }, content());
    files.push({ part, file, lines: count, ...entry });
  }
  return files;
};

const findContent = (
  shape: { part: PartName },
  row: ArchiveRow,
  contents: ContentWriter,
  codecs: Codecs,
): ArchiveContent | undefined => {
  if (shape.part === 'function-packages') return contents.contentOfPackage(String(row['id']));
  if (shape.part !== 'files') return undefined;
  const seq = codecs.seqOfId(String(row['id']));
  const { size, sha256, path, status, undoPath } = row;
  if (seq === undefined || typeof size !== 'number' || typeof sha256 !== 'string') return undefined;
  if (status === 'Deleted' && undoPath === null) return undefined;
  const content = contents.contentOfFile(seq);
  return content === undefined ? { entry: `files/${String(path)}`, bytes: size, sha256 } : (content ?? undefined);
};

const addText = async (zip: ZipWriter, name: string, text: string): Promise<void> => {
  const bytes = Buffer.from(text);
  await zip.add(name, { expectedBytes: bytes.length, level: 6 }, Readable.from([bytes]));
};

/**
 * Exports a snapshot while the server is running. Memory use grows only with the numbers of files and endpoints.
 * @throws TransferError, or an error of the disk; the archive is then incomplete and invalid
 */
export const exportAccount = async (options: {
  home: string;
  /** File to which the snapshot of the database is written. */
  snapshotPath: string;
  program: string;
  now: number;
  codecs: Codecs;
  write: (bytes: Buffer) => Promise<void>;
  onProgress: (done: number, total: number) => void;
}): Promise<ExportResult> => {
  const { home, program, now, codecs, write } = options;
  const database = join(home, 'pda.sqlite');
  const snapshot = await openSnapshot(database, options.snapshotPath);
  const liveDatabase = openLiveDatabase(database);
  try {
    const zip = createZipWriter(write, now);
    await addText(zip, README, README_TEXT);
    const counts = snapshot.counts(now);
    const total = counts.fileBytes + snapshot.bytes();
    let bytesRead = 0;
    const onProgress = (bytes: number): void => options.onProgress((bytesRead += bytes), total);
    const contents = createContentWriter({ home, zip, findLiveFile: liveDatabase.file, onProgress });
    for (const file of snapshot.files()) await contents.addFile(file);
    for (const functionPackage of snapshot.packages()) await contents.addPackage(functionPackage);

    const { pathOf } = snapshot;
    const formatKey = (row: ArchiveRow): string => formatLine(KEY_MEMBERS, row, { codecs, pathOf });
    const partFiles = await addPart(zip, 'keys', linesOf(snapshot.keys(), formatKey));
    for (const shape of TABLE_SHAPES) {
      const toLine = (row: ArchiveRow): string =>
        formatLine(shape.members, row, { codecs, pathOf, content: findContent(shape, row, contents, codecs) });
      const lines = linesOf(snapshot.rows(shape), toLine);
      const files = await addPart(zip, shape.part, lines).finally(() => lines.return(undefined));
      partFiles.push(...files);
      onProgress(files.reduce((sum, { bytes }) => sum + bytes, 0));
    }

    const { id, name, created } = snapshot.account();
    const manifest: Manifest = {
      format: ARCHIVE_FORMAT,
      version: ARCHIVE_VERSION,
      program,
      created: new Date(now).toISOString(),
      account: { id, name, created: new Date(created).toISOString() },
      counts: { ...counts, ...contents.counts() },
      numbers: snapshot.lastIds(),
      parts: partFiles,
    };
    await addText(zip, MANIFEST, `${JSON.stringify(manifest, null, 1)}\n`);
    await zip.end();
    return { counts: manifest.counts, bytes: zip.bytes() };
  } finally {
    liveDatabase.close();
    snapshot.close();
  }
};
