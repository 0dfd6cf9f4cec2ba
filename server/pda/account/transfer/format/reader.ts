import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
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
  MAX_LINE_BYTES,
  MAX_MANIFEST_BYTES,
  README,
  type ArchiveContent,
  type Manifest,
} from '../../../../wire/archive.ts';
import { MAX_ARCHIVE_BYTES } from '../../../../wire/move.ts';
import { keySchema, readRow, SHAPES, timeFrom, type Forms, type ArchiveRow, type Shape } from './row-rules.ts';
import { MoveProblem, refuse } from './error.ts';

/** Reads an archive whole, from the first byte to the last, and believes nothing that it says of itself. */

export type OpenArchive = { manifest: Manifest; zip: Zip; entries: ReadonlyMap<string, ZipEntry>; bytes: number };

/** Takes what is found. A look takes nothing. */
export type Sink = {
  key(key: { kid: string; publicPem: string; created: number; retired: number | null }): void;
  row(shape: Shape, row: ArchiveRow): void;
  /** The bytes of a file or a package; to be read to their end. Called before its row. */
  content(shape: Shape, row: ArchiveRow, pieces: AsyncIterable<Buffer>): Promise<void>;
};

const NEWLINE = 0x0a;
const README_BYTES = 100_000;
const JSON_LIMITS = { maxDepth: MAX_JSON_DEPTH + 2 };

const gather = async (pieces: AsyncIterable<Buffer>): Promise<Buffer> => {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
};

const jsonIn = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw refuse(`${MANIFEST} is not JSON`);
  }
};

/** What the zip file says, in our own words. */
const asProblem = (error: unknown): unknown =>
  error instanceof Failure ? new MoveProblem('damaged', error.message) : error;

/** @param room bytes that there is room for, unpacked @throws MoveProblem damaged | newer */
export const openMoveArchive = async (path: string, room: number): Promise<OpenArchive> => {
  const { size } = await stat(path);
  const zip = await openZip(path, {
    packedBytes: MAX_ARCHIVE_BYTES,
    unpackedBytes: room,
    entries: MAX_ARCHIVE_ENTRIES,
    listBytes: MAX_ARCHIVE_LIST_BYTES,
    refuse: (problem) => {
      const words = problem === 'it is damaged or not a ZIP file' ? 'it is damaged, or not all of it is here' : problem;
      return new Failure('invalid_input', refuse(words).message);
    },
  }).catch((error: unknown) => {
    throw asProblem(error);
  });
  try {
    const entries = new Map(zip.entries.map((entry) => [entry.name, entry]));
    const found = entries.get(MANIFEST);
    if (found === undefined || found.size > MAX_MANIFEST_BYTES) throw refuse('it is no archive of a PDA');
    const json = jsonIn(await gather(zip.content(found)));
    const start = manifestStartSchema.safeParse(json);
    if (!start.success) throw refuse('it is no archive of a PDA');
    if (start.data.version > ARCHIVE_VERSION)
      throw new MoveProblem(
        'newer',
        'This archive was made by a newer version of this program. Install that version first. Nothing was imported.',
      );
    const manifest = manifestSchema.safeParse(json);
    if (!manifest.success) throw refuse(`${MANIFEST} is not what a PDA writes`);
    return { manifest: manifest.data, zip, entries, bytes: size };
  } catch (error) {
    throw asProblem(error);
  }
};

/** Lines of a file, held against what the manifest says of it. */
async function* linesOf(archive: OpenArchive, part: Manifest['parts'][number]): AsyncGenerator<Buffer> {
  const entry = archive.entries.get(part.file);
  if (entry === undefined) throw refuse(`${part.file} is missing in it`);
  const hash = createHash('sha256');
  let lines = 0;
  let bytes = 0;
  let rest: Buffer[] = [];
  let waiting = 0;
  for await (const piece of archive.zip.content(entry)) {
    hash.update(piece);
    bytes += piece.length;
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, from)) {
      const line = piece.subarray(from, end);
      yield rest.length === 0 ? line : Buffer.concat([...rest, line]);
      lines += 1;
      rest = [];
      waiting = 0;
      from = end + 1;
    }
    if (from === piece.length) continue;
    rest.push(piece.subarray(from));
    waiting += piece.length - from;
    if (waiting > MAX_LINE_BYTES) throw refuse(`a line of ${part.file} is too long`);
  }
  if (waiting > 0 || lines !== part.lines || bytes !== part.bytes || hash.digest('hex') !== part.sha256)
    throw refuse(`${part.file} is not what it was when the archive was made`);
}

const parsed = (line: Buffer, file: string): { rest: Record<string, unknown>; raw: string | undefined } => {
  const scan = scanEnvelopes(line, 'data', JSON_LIMITS);
  const envelope = scan.ok && scan.kind === 'object' ? scan.envelopes[0] : undefined;
  if (envelope === undefined) throw refuse(`a line of ${file} is no JSON object`);
  return { rest: { ...envelope.rest }, raw: envelope.raw };
};

/** The bytes that a line names, held against what it says of them. */
const contentIn = async (
  archive: OpenArchive,
  content: ArchiveContent,
  used: Set<string>,
  take: (pieces: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> => {
  const { entry: name, sha256, bytes } = content;
  const entry = archive.entries.get(name);
  if (entry === undefined) throw refuse(`${name} is missing in it`);
  if (used.has(name)) throw refuse(`two lines say that ${name} is theirs`);
  used.add(name);
  const hash = createHash('sha256');
  let found = 0;
  await take(
    (async function* counted() {
      for await (const piece of archive.zip.content(entry)) {
        hash.update(piece);
        found += piece.length;
        yield piece;
      }
    })(),
  );
  if (found !== bytes || hash.digest('hex') !== sha256)
    throw refuse(`${name} is not what it was when the archive was made`);
};

/**
 * Reads all of it in the order of the parts.
 * @throws MoveProblem damaged; what the sink took is then to be thrown away
 */
export const readAll = async (
  archive: OpenArchive,
  parts: { forms: Forms; sink: Sink; tell: (done: number, total: number) => void },
): Promise<void> => {
  const { forms, sink } = parts;
  const { manifest, entries } = archive;
  const endpoints = new Map<string, number>();
  const used = new Set<string>([MANIFEST, README]);
  const total = [...entries.values()].reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  const tell = (bytes: number): void => parts.tell((done += bytes), total);

  const readLine = async (shape: Shape, line: Buffer, file: string): Promise<void> => {
    const { rest, raw } = parsed(line, file);
    const checked = shape.schema.safeParse(rest);
    if (!checked.success || (raw !== undefined) !== shape.hasData)
      throw refuse(`a line of ${file} is not what a PDA writes`);
    const row = readRow(shape, checked.data, raw, { forms, endpointOf: (path) => endpoints.get(path) });
    if (shape.part === 'endpoints' && typeof row['path'] === 'string') endpoints.set(row['path'], Number(row['id']));
    checkRow(shape, row);
    const content = checked.data['content'];
    if (shape.members.some(({ type }) => type === 'content') && content !== null) {
      const where = archiveContentSchema.parse(content);
      // What is written down is what is here, also where it was changed while the archive was made.
      if (shape.part === 'files') Object.assign(row, { size: where.bytes, sha256: where.sha256 });
      await contentIn(archive, where, used, (pieces) => sink.content(shape, row, pieces));
      tell(where.bytes);
    }
    sink.row(shape, row);
  };

  const useFile = (file: string): void => {
    if (used.has(file)) throw refuse(`${file} is listed twice`);
    used.add(file);
  };

  try {
    const readme = entries.get(README);
    if (readme === undefined || readme.size > README_BYTES) throw refuse(`${README} is not what a PDA writes`);
    // Its content is not needed; reading it verifies that the archive is complete.
    await gather(archive.zip.content(readme));
    for (const part of manifest.parts.filter((one) => one.part === 'keys')) {
      useFile(part.file);
      for await (const line of linesOf(archive, part)) {
        const key = keySchema.safeParse(parsed(line, part.file).rest);
        if (!key.success) throw refuse(`a line of ${part.file} is not what a PDA writes`);
        const { kid, publicPem, created, retired } = key.data;
        sink.key({
          kid: String(kid),
          publicPem: String(publicPem),
          created: timeFrom(created),
          retired: retired === null ? null : timeFrom(retired),
        });
      }
    }
    for (const shape of SHAPES) {
      for (const part of manifest.parts.filter((one) => one.part === shape.part)) {
        useFile(part.file);
        for await (const line of linesOf(archive, part)) await readLine(shape, line, part.file);
        tell(part.bytes);
      }
    }
  } catch (error) {
    throw asProblem(error);
  }
  for (const name of entries.keys())
    if (!used.has(name)) throw refuse(`it holds ${name}, of which nothing in it says what it is`);
};

/** Parts of a path that could mean something else than a name. */
const isSafe = (path: string): boolean => {
  const odd = process.platform === 'win32' ? /^(?:\.{0,2}|.*[\\:\0].*)$/u : /^\.{0,2}$|\0/u;
  return path.length <= 8192 && !path.split('/').some((step) => odd.test(step));
};
const NAME = /^[\w-][\w.-]{0,199}$/u;

/** What would lead out of its folder. @throws MoveProblem damaged */
const checkRow = (shape: Shape, row: ArchiveRow): void => {
  if (shape.part === 'files') {
    for (const path of [row['path'], row['undo_path']])
      if (typeof path === 'string' && !isSafe(path)) throw refuse('the path of a file leads elsewhere');
  }
  if (shape.part === 'function-packages') {
    for (const name of [row['id'], row['folder'], row['module']])
      if (typeof name !== 'string' || !NAME.test(name)) throw refuse('the path of a package leads elsewhere');
  }
};
