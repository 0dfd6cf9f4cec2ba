import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { scanEnvelopes } from '../../../../platform/json/text.ts';
import { Failure } from '../../../../platform/failure.ts';
import { openZip, type Zip, type ZipEntry } from '../../../../platform/archive/zip.ts';
import { MAX_JSON_DEPTH } from '../../../../wire/limits.ts';
import {
  archiveContentSchema,
  ARCHIVE_VERSION,
  MANIFEST,
  manifestSchema,
  manifestStartSchema,
  MAX_ARCHIVE_ENTRIES,
  MAX_ARCHIVE_LIST_BYTES,
  ARCHIVE_MAX_LINE_BYTES,
  MAX_MANIFEST_BYTES,
  README,
  type ArchiveContent,
  type Manifest,
} from '../../../../wire/archive.ts';
import { MAX_ARCHIVE_BYTES } from '../../../../wire/move.ts';
import {
  keySchema,
  parseRow,
  TABLE_SHAPES,
  parseTime,
  type Codecs,
  type ArchiveRow,
  type TableShape,
} from './row-rules.ts';
import { TransferError, invalidArchive } from './error.ts';

/* Reads an archive and verifies its declared sizes and hashes. */

/** `bytes`: size of the archive. */
type OpenArchive = { manifest: Manifest; zip: Zip; entries: ReadonlyMap<string, ZipEntry>; bytes: number };

export type ArchiveSink = {
  /** Times are in Unix milliseconds. */
  key(key: { kid: string; publicPem: string; created: number; retired: number | null }): void;
  row(shape: TableShape, row: ArchiveRow): void;
  /** Receives the content of a file or package before its row. Must read all of it. */
  content(shape: TableShape, row: ArchiveRow, chunks: AsyncIterable<Buffer>): Promise<void>;
};

const NEWLINE = 0x0a;
const README_MAX_BYTES = 100_000;
/** Permits lines that are nested deeper than the record data that they contain. */
const JSON_LIMITS = { maxDepth: MAX_JSON_DEPTH + 2 };

const parseManifest = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalidArchive(`${MANIFEST} is not valid JSON`);
  }
};

const fromZipError = (error: unknown): unknown =>
  error instanceof Failure ? new TransferError('damaged', error.message) : error;

/**
 * Opens an archive and validates its manifest.
 * @param maxBytes maximum uncompressed size, such as the free disk space
 * @throws TransferError damaged | newer, and errors of the file system
 */
export const openTransferArchive = async (path: string, maxBytes: number): Promise<OpenArchive> => {
  const { size } = await stat(path);
  const zip = await openZip(path, {
    packedBytes: MAX_ARCHIVE_BYTES,
    unpackedBytes: maxBytes,
    entries: MAX_ARCHIVE_ENTRIES,
    listBytes: MAX_ARCHIVE_LIST_BYTES,
    refuse: (problem) => {
      const text = problem === 'it is damaged or not a ZIP file' ? 'it is damaged or incomplete' : problem;
      return new Failure('invalid_input', invalidArchive(text).message);
    },
  }).catch((error: unknown) => {
    throw fromZipError(error);
  });
  try {
    const entries = new Map(zip.entries.map((entry) => [entry.name, entry]));
    const entry = entries.get(MANIFEST);
    if (entry === undefined || entry.size > MAX_MANIFEST_BYTES) throw invalidArchive('it is not an archive of a PDA');
    const json = parseManifest(await buffer(zip.content(entry)));
    const start = manifestStartSchema.safeParse(json);
    if (!start.success) throw invalidArchive('it is not an archive of a PDA');
    if (start.data.version > ARCHIVE_VERSION)
      throw new TransferError(
        'newer',
        'This archive was made by a newer version of this program. Install that version first. Nothing was imported.',
      );
    const manifest = manifestSchema.safeParse(json);
    if (!manifest.success) throw invalidArchive(`${MANIFEST} is invalid`);
    return { manifest: manifest.data, zip, entries, bytes: size };
  } catch (error) {
    throw fromZipError(error);
  }
};

async function* linesOf(archive: OpenArchive, part: Manifest['parts'][number]): AsyncGenerator<Buffer> {
  const entry = archive.entries.get(part.file);
  if (entry === undefined) throw invalidArchive(`${part.file} is missing`);
  const hash = createHash('sha256');
  let lines = 0;
  let bytes = 0;
  /** Beginning of a line that continues in the next chunk. */
  let pendingChunks: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of archive.zip.content(entry)) {
    hash.update(chunk);
    bytes += chunk.length;
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const line = chunk.subarray(from, end);
      yield pendingChunks.length === 0 ? line : Buffer.concat([...pendingChunks, line]);
      lines += 1;
      pendingChunks = [];
      pendingBytes = 0;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    pendingChunks.push(chunk.subarray(from));
    pendingBytes += chunk.length - from;
    if (pendingBytes > ARCHIVE_MAX_LINE_BYTES) throw invalidArchive(`a line of ${part.file} is too long`);
  }
  if (pendingBytes > 0 || lines !== part.lines || bytes !== part.bytes || hash.digest('hex') !== part.sha256)
    throw invalidArchive(`${part.file} was modified after the export`);
}

/** `members`: all except `data`, whose JSON text is `raw`. */
const parseLine = (line: Buffer, file: string): { members: Record<string, unknown>; raw: string | undefined } => {
  const scan = scanEnvelopes(line, 'data', JSON_LIMITS);
  const envelope = scan.ok && scan.kind === 'object' ? scan.envelopes[0] : undefined;
  if (envelope === undefined) throw invalidArchive(`a line of ${file} is not a JSON object`);
  return { members: { ...envelope.otherMembers }, raw: envelope.raw };
};

const readContent = async (
  archive: OpenArchive,
  content: ArchiveContent,
  usedEntries: Set<string>,
  consume: (chunks: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> => {
  const { entry: name, sha256, bytes } = content;
  const entry = archive.entries.get(name);
  if (entry === undefined) throw invalidArchive(`${name} is missing`);
  if (usedEntries.has(name)) throw invalidArchive(`${name} is used twice`);
  usedEntries.add(name);
  const hash = createHash('sha256');
  let bytesRead = 0;
  await consume(
    (async function* hashChunks() {
      for await (const chunk of archive.zip.content(entry)) {
        hash.update(chunk);
        bytesRead += chunk.length;
        yield chunk;
      }
    })(),
  );
  if (bytesRead !== bytes || hash.digest('hex') !== sha256)
    throw invalidArchive(`${name} was modified after the export`);
};

/**
 * Reads an archive in the order of its parts.
 * @throws TransferError damaged; the caller must then discard everything that the sink received
 */
export const readArchive = async (
  archive: OpenArchive,
  options: { codecs: Codecs; sink: ArchiveSink; onProgress: (done: number, total: number) => void },
): Promise<void> => {
  const { codecs, sink } = options;
  const { manifest, entries } = archive;
  const endpoints = new Map<string, number>();
  const usedEntries = new Set<string>([MANIFEST, README]);
  const total = [...entries.values()].reduce((sum, { size }) => sum + size, 0);
  let bytesProcessed = 0;
  const onProgress = (bytes: number): void => options.onProgress((bytesProcessed += bytes), total);

  const readLine = async (shape: TableShape, line: Buffer, file: string): Promise<void> => {
    const { members, raw } = parseLine(line, file);
    const validatedLine = shape.schema.safeParse(members);
    if (!validatedLine.success || (raw !== undefined) !== shape.hasData)
      throw invalidArchive(`a line of ${file} is invalid`);
    const row = parseRow(shape, validatedLine.data, raw, { codecs, endpointOf: (path) => endpoints.get(path) });
    if (shape.part === 'endpoints' && typeof row['path'] === 'string') endpoints.set(row['path'], Number(row['id']));
    requireSafePaths(shape, row);
    const content = validatedLine.data['content'];
    if (shape.members.some(({ type }) => type === 'content') && content !== null) {
      const declaredContent = archiveContentSchema.parse(content);
      // The content of a file that changed during the export differs in size and hash from the row.
      if (shape.part === 'files') Object.assign(row, { size: declaredContent.bytes, sha256: declaredContent.sha256 });
      await readContent(archive, declaredContent, usedEntries, (chunks) => sink.content(shape, row, chunks));
      onProgress(declaredContent.bytes);
    }
    sink.row(shape, row);
  };

  const markAsUsed = (file: string): void => {
    if (usedEntries.has(file)) throw invalidArchive(`${file} is used twice`);
    usedEntries.add(file);
  };

  try {
    const readme = entries.get(README);
    if (readme === undefined || readme.size > README_MAX_BYTES) throw invalidArchive(`${README} is invalid`);
    // Reading the README verifies its checksum.
    await buffer(archive.zip.content(readme));
    for (const part of manifest.parts.filter(({ part: name }) => name === 'keys')) {
      markAsUsed(part.file);
      for await (const line of linesOf(archive, part)) {
        const key = keySchema.safeParse(parseLine(line, part.file).members);
        if (!key.success) throw invalidArchive(`a line of ${part.file} is invalid`);
        const { kid, publicPem, created, retired } = key.data;
        sink.key({
          kid: String(kid),
          publicPem: String(publicPem),
          created: parseTime(created),
          retired: retired === null ? null : parseTime(retired),
        });
      }
    }
    for (const shape of TABLE_SHAPES) {
      for (const part of manifest.parts.filter(({ part: name }) => name === shape.part)) {
        markAsUsed(part.file);
        for await (const line of linesOf(archive, part)) await readLine(shape, line, part.file);
        onProgress(part.bytes);
      }
    }
  } catch (error) {
    throw fromZipError(error);
  }
  for (const name of entries.keys())
    if (!usedEntries.has(name)) throw invalidArchive(`it contains ${name}, which is not listed`);
};

const PATH_MAX_CHARS = 8192;
const isSafePath = (path: string): boolean => {
  const unsafePattern = process.platform === 'win32' ? /^(?:\.{0,2}|.*[\\:\0].*)$/u : /^\.{0,2}$|\0/u;
  return path.length <= PATH_MAX_CHARS && !path.split('/').some((segment) => unsafePattern.test(segment));
};
const SAFE_NAME = /^[\w-][\w.-]{0,199}$/u;

/** Rejects paths that are too long or could lead out of their folder. @throws TransferError damaged */
const requireSafePaths = (shape: TableShape, row: ArchiveRow): void => {
  if (shape.part === 'files') {
    for (const path of [row['path'], row['undo_path']])
      if (typeof path === 'string' && !isSafePath(path)) throw invalidArchive('the path of a file is invalid');
  }
  if (shape.part === 'function-packages') {
    for (const name of [row['id'], row['folder'], row['module']])
      if (typeof name !== 'string' || !SAFE_NAME.test(name))
        throw invalidArchive('the id or path of a package is invalid');
  }
};
