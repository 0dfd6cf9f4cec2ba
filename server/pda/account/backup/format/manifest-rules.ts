import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { isObject } from '../../../../wire/values.ts';
import { BackupProblem } from './error.ts';
import { BACKUP_FORMAT, paddedSize } from './encryption.ts';

/* Format of a backup: lists of files and empty folders, and a manifest that references the lists. */

export type FileEntry = {
  kind: 'file';
  /** Path relative to the home, with `/`. */
  path: string;
  size: number;
  /** Modification time in nanoseconds since 1970; `0` for the database. */
  modified: string;
  /**
   * Change time and inode when the file was read. If they differ at the next backup, the file is read again. Empty if
   * it must be read again in any case.
   */
  statSignature: string;
  /** SHA-256 of the digests of the chunks, in base64url. */
  digest: string;
  /** Chunk ids. */
  chunks: readonly string[];
};
type FolderEntry = { kind: 'folder'; path: string };
export type Entry = FileEntry | FolderEntry;

export const DATABASE_FILE = 'pda.sqlite';

const FILES_PREFIX = 'files/';
/** Returns the path within the files folder; undefined for entries outside of it. */
export const pathInFilesFolder = (path: string): string | undefined =>
  path.startsWith(FILES_PREFIX) ? path.slice(FILES_PREFIX.length) : undefined;

const CHUNK_ID = /^[\w-]{32}$/u;
const countSchema = z.int().min(0);

const manifestSchema = z.object({
  format: countSchema,
  number: countSchema,
  /** Time of the database snapshot in ISO 8601 format. */
  created: z.string().refine((time) => !Number.isNaN(Date.parse(time))),
  program: z.string(),
  /** Name of the PDA; empty before the set-up. */
  name: z.string(),
  /** Content hash, which is equal for equal content in any archive. */
  hash: z.string(),
  lists: z.array(z.string().regex(CHUNK_ID)),
  files: countSchema,
  bytes: countSchema,
  /** Bytes that this backup added to the archive. */
  added: countSchema,
  schema: countSchema,
  tables: z.record(z.string(), countSchema),
  /** Number of omitted links, special files, unsafe or very deep paths, and names that are not UTF-8. */
  leftOut: countSchema,
  /** Number of files that changed during every attempt to read them. */
  unsteady: countSchema,
});
export type BackupManifest = z.infer<typeof manifestSchema>;

/** Lines are short, so that a small change of a large file changes few bytes. */
const CHUNKS_PER_LINE = 64;
/** A list of this size or more ends at the next boundary. */
const MIN_LIST_BYTES = 16 * 1024;
/** A list of this size ends without a boundary. */
const MAX_LIST_BYTES = 512 * 1024;

/** Checksum bits that are zero at a boundary, which is about every 16th line. */
const LIST_BOUNDARY_MASK = 15;

/** Returns true if a list may end after a line. Depends only on this line, so an inserted line changes few lists. */
const endsList = (line: string): boolean => (crc32(line) & LIST_BOUNDARY_MASK) === 0;

const linesOf = function* (entry: Entry): Generator<string> {
  if (entry.kind === 'folder') {
    yield JSON.stringify([entry.path]);
    return;
  }
  const { path, size, modified, statSignature, digest, chunks } = entry;
  yield JSON.stringify([path, size, modified, statSignature, digest, chunks.slice(0, CHUNKS_PER_LINE)]);
  for (let start = CHUNKS_PER_LINE; start < chunks.length; start += CHUNKS_PER_LINE)
    yield JSON.stringify([chunks.slice(start, start + CHUNKS_PER_LINE)]);
};

export const formatLists = function* (entries: readonly Entry[]): Generator<Buffer> {
  let lines: string[] = [];
  let bytes = 0;
  for (const entry of entries) {
    for (const line of linesOf(entry)) {
      lines.push(line);
      bytes += Buffer.byteLength(line) + 1;
      if ((bytes >= MIN_LIST_BYTES && endsList(line)) || bytes >= MAX_LIST_BYTES) {
        yield Buffer.from(`${lines.join('\n')}\n`);
        lines = [];
        bytes = 0;
      }
    }
  }
  if (lines.length > 0) yield Buffer.from(`${lines.join('\n')}\n`);
};

const invalidManifest = (): BackupProblem =>
  new BackupProblem('damaged', 'The list of files of this backup has an invalid format.');

const PATH_MAX_CHARS = 8192;
const PATH_MAX_SEGMENTS = 200;

export const isSafePath = (path: string): boolean => {
  const segments = path.split('/');
  // Backslash and colon are special only on Windows, where no file name can contain them.
  const unsafeSegment = process.platform === 'win32' ? /^(?:\.{0,2}|.*[\\:\0].*)$/u : /^\.{0,2}$|\0/u;
  return (
    path.length <= PATH_MAX_CHARS &&
    segments.length <= PATH_MAX_SEGMENTS &&
    !segments.some((segment) => unsafeSegment.test(segment)) &&
    !isReservedPath(path)
  );
};

/**
 * Returns true for paths that are neither backed up nor restored: the lock, the marker of a running server, temporary
 * files, backups, a restored home that is not yet activated, the write-ahead log, and the marker of a full erasure,
 * which would erase a restored home.
 */
export const isReservedPath = (path: string): boolean =>
  /^(?:lock|running|backups|restored|erase-everything\.json)(?:$|\/)/u.test(path) ||
  /^(?:lock|running|config\.json|pda\.sqlite|erase-everything\.json)[.-]/u.test(path);

const isText = (value: unknown): value is string => typeof value === 'string';
const areChunkIds = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((id: unknown) => isText(id) && CHUNK_ID.test(id));

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidManifest();
  }
};

const parseEntry = (value: readonly unknown[]): Entry => {
  const [path, size, modified, statSignature, digest, chunks] = value;
  if (!isText(path) || !isSafePath(path)) throw invalidManifest();
  if (value.length === 1) return { kind: 'folder', path };
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) throw invalidManifest();
  if (
    !isText(modified) ||
    !/^\d{1,20}$/u.test(modified) ||
    !isText(statSignature) ||
    !isText(digest) ||
    !areChunkIds(chunks)
  )
    throw invalidManifest();
  return { kind: 'file', path, size, modified, statSignature, digest, chunks };
};

/** Returns an entry, or further chunks of the previous entry. @throws BackupProblem damaged */
const parseLine = (line: string): Entry | string[] => {
  const value = parseJson(line);
  if (!Array.isArray(value)) throw invalidManifest();
  if (value.length !== 1 || !Array.isArray(value[0])) return parseEntry(value);
  if (!areChunkIds(value[0])) throw invalidManifest();
  return value[0];
};

const splitLines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** Returns the chunk ids that a list contains. @throws BackupProblem damaged */
export const chunksIn = (text: string): string[] =>
  splitLines(text).flatMap((line) => {
    const lineValue = parseLine(line);
    if (Array.isArray(lineValue)) return lineValue;
    return lineValue.kind === 'file' ? lineValue.chunks : [];
  });

/** @throws BackupProblem damaged */
export const parseLists = (texts: Iterable<string>): Entry[] => {
  const entries: Entry[] = [];
  const paths = new Set<string>();
  let chunksOfLastFile: string[] | undefined;
  for (const text of texts) {
    for (const line of splitLines(text)) {
      const lineValue = parseLine(line);
      if (Array.isArray(lineValue)) {
        if (chunksOfLastFile === undefined) throw invalidManifest();
        for (const id of lineValue) chunksOfLastFile.push(id);
        continue;
      }
      if (paths.has(lineValue.path)) throw invalidManifest();
      paths.add(lineValue.path);
      if (lineValue.kind === 'file') {
        chunksOfLastFile = [...lineValue.chunks];
        entries.push({ ...lineValue, chunks: chunksOfLastFile });
      } else {
        chunksOfLastFile = undefined;
        entries.push(lineValue);
      }
    }
  }
  return entries;
};

/** Sorts by UTF-16 code units, so that the order is the same on every machine. */
export const sortEntries = (entries: Iterable<Entry>): Entry[] =>
  [...entries].toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));

/** Returns a hash of paths, sizes, modification times and content. It is equal for equal entries in any archive. */
export const hashOfContent = (entries: readonly Entry[]): string => {
  const hash = createHash('sha256');
  for (const entry of entries) {
    const { path } = entry;
    const line = entry.kind === 'folder' ? [path] : [path, entry.size, entry.modified, entry.digest];
    hash.update(`${JSON.stringify(line)}\n`);
  }
  return hash.digest('hex');
};

/** Pads the JSON of the manifest with spaces, so that its length reveals little. */
export const serializeManifest = (manifest: BackupManifest): Buffer => {
  const text = Buffer.from(JSON.stringify(manifest));
  return Buffer.concat([text, Buffer.alloc(paddedSize(text.length) - text.length, ' ')]);
};

/** @throws BackupProblem damaged | newer */
export const parseManifest = (content: Buffer): BackupManifest => {
  const value = parseJson(content.toString('utf8'));
  if (isObject(value) && typeof value['format'] === 'number' && value['format'] > BACKUP_FORMAT)
    throw new BackupProblem('newer', 'This backup was made by a newer version of this program. Install that version.');
  const result = manifestSchema.safeParse(value);
  if (!result.success) throw invalidManifest();
  return result.data;
};
