import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { BackupProblem } from './error.ts';
import { FORMAT, paddedSize } from './encryption.ts';

/** What one backup holds: a line for each file and folder of the home, and a page about the whole. Plain data. */

export type FileEntry = {
  kind: 'file';
  /** Below the home, with `/`. */
  path: string;
  size: number;
  /** Nanoseconds since 1970, as text; 0 for the database, which has none. */
  modified: string;
  /** What the system said of the file when it was read; the same again: it needs not be read again. Empty: it has to be. */
  looks: string;
  /** Of the content, in base64url. */
  digest: string;
  chunks: readonly string[];
};
export type FolderEntry = { kind: 'folder'; path: string };
export type Entry = FileEntry | FolderEntry;

export const DATABASE = 'pda.sqlite';

/** The page about a whole backup. */
export type Page = {
  format: number;
  number: number;
  /** ISO 8601: when its database was as it is here. */
  created: string;
  /** Version of the program. */
  program: string;
  /** Name of the PDA; empty before it has one. */
  name: string;
  /** Hash of the content; equal for equal content in any archive. */
  hash: string;
  /** Chunks that hold the lines. */
  lists: string[];
  files: number;
  /** Bytes of all files. */
  bytes: number;
  /** Bytes that this backup added to the archive. */
  added: number;
  /** Format of the database. */
  schema: number;
  /** Rows of each of its tables. */
  tables: Record<string, number>;
  /** Links and the like, and names that are not text: they are in no backup. */
  leftOut: number;
  /** Files that changed while they were read, as often as it was tried. */
  unsteady: number;
};

/** Chunk names in one line: a small change spoils a short line only. */
const CHUNKS_OF_LINE = 64;
const MIN_LIST_BYTES = 16 * 1024;
const MAX_LIST_BYTES = 512 * 1024;

/** Content-defined list boundaries: an inserted line changes one list, not all following ones. */
const endsList = (line: string): boolean => (crc32(line) & 15) === 0;

const linesOf = function* (entry: Entry): Generator<string> {
  if (entry.kind === 'folder') {
    yield JSON.stringify([entry.path]);
    return;
  }
  const { path, size, modified, looks, digest, chunks } = entry;
  yield JSON.stringify([path, size, modified, looks, digest, chunks.slice(0, CHUNKS_OF_LINE)]);
  for (let at = CHUNKS_OF_LINE; at < chunks.length; at += CHUNKS_OF_LINE)
    yield JSON.stringify([chunks.slice(at, at + CHUNKS_OF_LINE)]);
};

/** The entries as pieces of text. */
export const writeLists = function* (entries: readonly Entry[]): Generator<Buffer> {
  let lines: string[] = [];
  let bytes = 0;
  for (const entry of entries) {
    for (const line of linesOf(entry)) {
      lines.push(line);
      bytes += line.length + 1;
      if ((bytes >= MIN_LIST_BYTES && endsList(line)) || bytes >= MAX_LIST_BYTES) {
        yield Buffer.from(`${lines.join('\n')}\n`);
        lines = [];
        bytes = 0;
      }
    }
  }
  if (lines.length > 0) yield Buffer.from(`${lines.join('\n')}\n`);
};

const spoilt = (): BackupProblem =>
  new BackupProblem('damaged', 'The list of this backup is not one that this program writes.');

/** Parts of a path that could mean something else than a name, on any system. */
const ODD_PART = /^(?:\.{0,2}|.*[\\:\0].*)$/u;

/** Whether a path leads to a place below the home, and to none of those that are not for content. */
export const isSafePath = (path: string): boolean => {
  const parts = path.split('/');
  // A backslash and a colon are letters on most systems, and only there can a file of such a name come from.
  const isOdd =
    process.platform === 'win32' ? (part: string) => ODD_PART.test(part) : (part: string) => /^\.{0,2}$|\0/u.test(part);
  return path.length <= 8192 && parts.length <= 200 && !parts.some(isOdd) && !isOurs(path);
};

/** What is of the running program, of backups themselves, or of the database's log: in no backup, and never written by a restore. */
export const isOurs = (path: string): boolean =>
  /^(?:lock|running|backups|restored)(?:$|\/)/u.test(path) ||
  /^(?:lock|running|config\.json|pda\.sqlite)[.-]/u.test(path);

const isText = (value: unknown): value is string => typeof value === 'string';
const areChunks = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((id: unknown) => isText(id) && /^[\w-]{32}$/u.test(id));

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw spoilt();
  }
};

const entryOf = (value: readonly unknown[]): Entry => {
  const [path, size, modified, looks, digest, chunks] = value;
  if (!isText(path) || !isSafePath(path)) throw spoilt();
  if (value.length === 1) return { kind: 'folder', path };
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) throw spoilt();
  if (!isText(modified) || !/^\d{1,20}$/u.test(modified) || !isText(looks) || !isText(digest) || !areChunks(chunks))
    throw spoilt();
  return { kind: 'file', path, size, modified, looks, digest, chunks };
};

/** An entry; or more chunks of the entry before. @throws BackupProblem damaged */
const readLine = (line: string): Entry | string[] => {
  const value = parse(line);
  if (!Array.isArray(value)) throw spoilt();
  if (value.length !== 1 || !Array.isArray(value[0])) return entryOf(value);
  if (!areChunks(value[0])) throw spoilt();
  return value[0];
};

const linesIn = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** Names of the chunks that one piece of a list leads to. @throws BackupProblem damaged */
export const chunksIn = (text: string): string[] =>
  linesIn(text).flatMap((line) => {
    const found = readLine(line);
    if (Array.isArray(found)) return found;
    return found.kind === 'file' ? found.chunks : [];
  });

/** @throws BackupProblem damaged */
export const readLists = (texts: Iterable<string>): Entry[] => {
  const entries: Entry[] = [];
  const paths = new Set<string>();
  let more: string[] = [];
  for (const text of texts) {
    for (const line of linesIn(text)) {
      const found = readLine(line);
      const last = entries.at(-1);
      if (Array.isArray(found)) {
        if (last?.kind !== 'file') throw spoilt();
        for (const id of found) more.push(id);
        continue;
      }
      if (last?.kind === 'file' && more.length > 0)
        entries[entries.length - 1] = { ...last, chunks: [...last.chunks, ...more] };
      more = [];
      if (paths.has(found.path)) throw spoilt();
      paths.add(found.path);
      entries.push(found);
    }
  }
  const last = entries.at(-1);
  if (last?.kind === 'file' && more.length > 0)
    entries[entries.length - 1] = { ...last, chunks: [...last.chunks, ...more] };
  return entries;
};

/** Sorted, as lists are written: by code points, on every machine the same. */
export const sortEntries = (entries: Iterable<Entry>): Entry[] =>
  [...entries].toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));

/** Hash of names, content and modification times; equal for equal content. */
export const hashOfContent = (entries: readonly Entry[]): string => {
  const hash = createHash('sha256');
  for (const entry of entries) {
    const { path } = entry;
    const line = entry.kind === 'folder' ? [path] : [path, entry.size, entry.modified, entry.digest];
    hash.update(`${JSON.stringify(line)}\n`);
  }
  return hash.digest('hex');
};

/** With spaces at its end, so that its length says little. */
export const writePage = (page: Page): Buffer => {
  const text = Buffer.from(JSON.stringify(page));
  return Buffer.concat([text, Buffer.alloc(paddedSize(text.length) - text.length, ' ')]);
};

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

/** @throws BackupProblem damaged | newer */
export const readPage = (content: Buffer): Page => {
  const value = parse(content.toString('utf8'));
  if (typeof value !== 'object' || value === null) throw spoilt();
  const found: Partial<Record<keyof Page, unknown>> = value;
  if (isCount(found.format) && found.format > FORMAT)
    throw new BackupProblem('newer', 'This backup was made by a newer version of this program. Install that version.');
  const { number, created, program, name, hash, lists, files, bytes, added, schema, tables, leftOut, unsteady } = found;
  if (!isCount(number) || !isCount(files) || !isCount(bytes) || !isCount(added) || !isCount(schema)) throw spoilt();
  if (!isText(created) || Number.isNaN(Date.parse(created)) || !isText(program) || !isText(name) || !isText(hash))
    throw spoilt();
  if (!areChunks(lists) || !isCount(leftOut) || !isCount(unsteady) || typeof tables !== 'object' || tables === null)
    throw spoilt();
  const rows: [string, number][] = [];
  for (const [table, count] of Object.entries(tables)) {
    if (!isCount(count)) throw spoilt();
    rows.push([table, count]);
  }
  return {
    format: FORMAT,
    number,
    created,
    program,
    name,
    hash,
    lists,
    files,
    bytes,
    added,
    schema,
    tables: Object.fromEntries(rows),
    leftOut,
    unsteady,
  };
};
