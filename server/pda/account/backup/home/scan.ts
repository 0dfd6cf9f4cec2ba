import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from '../../../../platform/io/file-system.ts';
import { codeOf } from '../../../../wire/values.ts';
import type { Chunks } from '../format/chunks.ts';
import { DATABASE, isOurs, isSafePath, type Entry, type FileEntry } from '../format/manifest-rules.ts';

/** What there is in a home, and what is in it. Links are not followed: what they lead to was never the home's. */

export type Seen = { path: string; size: number; modified: string; looks: string; changedMs: number };

export type Sight = { files: Seen[]; folders: string[]; leftOut: number };

/** Content on its way in, which ends with the line that it comes over. */
const PASSING = /^uploads\/\d+\.in$/u;
const MAX_DEPTH = 100;

const statFile = (found: { ino: bigint; dev: bigint; ctimeNs: bigint }): string => `${found.ctimeNs}:${found.ino}`;

const seenAs = (path: string, found: ReturnType<typeof fstatNs>): Seen => ({
  path,
  size: Number(found.size),
  modified: String(found.mtimeNs < 0n ? 0n : found.mtimeNs),
  looks: statFile(found),
  changedMs: Math.max(Number(found.mtimeMs), Number(found.ctimeMs)),
});

const fstatNs = (descriptor: number) => fstatSync(descriptor, { bigint: true });

/** Everything below a home that belongs into a backup, beside the database. Names that are not text are left out, and counted. */
export const lookThrough = (home: string): Sight => {
  const sight: Sight = { files: [], folders: [], leftOut: 0 };
  const walk = (folder: string, depth: number): void => {
    let names: Buffer[];
    try {
      names = readdirSync(join(home, folder), { encoding: 'buffer' });
    } catch (error) {
      // Gone while we looked.
      if (isMissing(error)) return;
      throw error;
    }
    if (names.length === 0 && folder !== '') sight.folders.push(folder);
    for (const raw of names) {
      const name = raw.toString('utf8');
      const path = folder === '' ? name : `${folder}/${name}`;
      if (isOurs(path) || path === DATABASE || PASSING.test(path)) continue;
      if (!Buffer.from(name).equals(raw) || !isSafePath(path) || depth > MAX_DEPTH) {
        sight.leftOut += 1;
        continue;
      }
      const found = lstatSync(join(home, path), { bigint: true, throwIfNoEntry: false });
      if (found === undefined) continue;
      if (found.isDirectory()) walk(path, depth + 1);
      else if (found.isFile()) sight.files.push(seenAs(path, found));
      else sight.leftOut += 1;
    }
  };
  walk('', 0);
  return sight;
};

/** Bytes of a file in one chunk. */
const CHUNK_BYTES = 1024 * 1024;
const TRIES = 3;
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const fill = (descriptor: number, buffer: Buffer, position: number): number => {
  let length = 0;
  while (length < buffer.length) {
    const got = readSync(descriptor, buffer, length, buffer.length - length, position + length);
    if (got === 0) break;
    length += got;
  }
  return length;
};

export type Content = Pick<FileEntry, 'size' | 'digest' | 'chunks'>;

/** Adds a file's content to the archive. @param each receives the number of bytes read */
export const keepContent = (
  descriptor: number,
  chunks: Chunks,
  chunkBytes: number,
  each: (bytes: number) => void,
): Content => {
  const hash = createHash('sha256');
  const ids: string[] = [];
  const buffer = Buffer.allocUnsafeSlow(chunkBytes);
  let size = 0;
  let shrink = true;
  for (;;) {
    const length = fill(descriptor, buffer, size);
    if (length === 0) break;
    // The chunk store holds the bytes until the pack is full, so it needs a copy.
    const { id, digest, shrank } = chunks.add(Buffer.from(buffer.subarray(0, length)), shrink);
    // A film does not get smaller in its second half.
    shrink = shrank;
    ids.push(id);
    hash.update(digest);
    size += length;
    each(length);
    if (length < chunkBytes) break;
  }
  return { size, chunks: ids, digest: hash.digest('base64url') };
};

/** Reads one file of the home. Undefined when it is not there any more, or is no file by now. */
export const keepFile = (
  home: string,
  path: string,
  chunks: Chunks,
  each: (bytes: number) => void,
): { entry: FileEntry; steady: boolean } | undefined => {
  let descriptor: number;
  try {
    descriptor = openSync(join(home, path), READ_FLAGS);
  } catch (error) {
    if (isMissing(error) || codeOf(error) === 'ELOOP') return undefined;
    throw error;
  }
  try {
    for (let tries = 1; ; tries += 1) {
      const before = fstatNs(descriptor);
      if (!before.isFile()) return undefined;
      const content = keepContent(descriptor, chunks, CHUNK_BYTES, each);
      const after = seenAs(path, fstatNs(descriptor));
      const steady =
        after.looks === statFile(before) &&
        after.size === content.size &&
        after.modified === seenAs(path, before).modified;
      if (!steady && tries < TRIES) continue;
      const { modified } = after;
      return { entry: { kind: 'file', path, modified, looks: steady ? after.looks : '', ...content }, steady };
    }
  } finally {
    closeSync(descriptor);
  }
};

/** Milliseconds in which a file can change twice without its times telling. */
export const COARSE_MS = 2000;

/** Whether the system says the same of a file as when it was read. */
export const looksAs = (seen: Seen, known: Entry | undefined): known is FileEntry =>
  known?.kind === 'file' && known.looks === seen.looks && known.size === seen.size && known.modified === seen.modified;

/** Whether a file is what it was in the backup before. @param since when that one began to look */
export const isUnchanged = (
  seen: Seen,
  before: Entry | undefined,
  since: number,
  has: (id: string) => boolean,
): before is FileEntry => looksAs(seen, before) && seen.changedMs < since - COARSE_MS && before.chunks.every(has);
