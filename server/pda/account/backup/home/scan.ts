import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from '../../../../platform/io/file-system.ts';
import { codeOf } from '../../../../wire/values.ts';
import type { Chunks } from '../format/chunks.ts';
import { DATABASE, isReservedPath, isSafePath, type Entry, type FileEntry } from '../format/manifest-rules.ts';

/*
 * Scans the files of a home and reads their content. Links are not followed, because their targets are not in the
 * home.
 */

export type FileStat = { path: string; size: number; modified: string; statSignature: string; changedMs: number };

export type HomeScan = { files: FileStat[]; folders: string[]; leftOut: number };

/** Incomplete uploads, which are discarded when the connection ends. */
const PARTIAL_UPLOAD = /^uploads\/\d+\.in$/u;
const MAX_DEPTH = 100;

const signatureOf = (stats: { ino: bigint; dev: bigint; ctimeNs: bigint }): string => `${stats.ctimeNs}:${stats.ino}`;

const fileStatOf = (path: string, stats: ReturnType<typeof fstatNs>): FileStat => ({
  path,
  size: Number(stats.size),
  modified: String(stats.mtimeNs < 0n ? 0n : stats.mtimeNs),
  statSignature: signatureOf(stats),
  changedMs: Math.max(Number(stats.mtimeMs), Number(stats.ctimeMs)),
});

const fstatNs = (descriptor: number) => fstatSync(descriptor, { bigint: true });

/** Lists the files of a home for a backup, without the database. Names that are not UTF-8 are left out and counted. */
export const scanHome = (home: string): HomeScan => {
  const scan: HomeScan = { files: [], folders: [], leftOut: 0 };
  const walk = (folder: string, depth: number): void => {
    let names: Buffer[];
    try {
      names = readdirSync(join(home, folder), { encoding: 'buffer' });
    } catch (error) {
      // Deleted during the scan.
      if (isMissing(error)) return;
      throw error;
    }
    if (names.length === 0 && folder !== '') scan.folders.push(folder);
    for (const raw of names) {
      const name = raw.toString('utf8');
      const path = folder === '' ? name : `${folder}/${name}`;
      if (isReservedPath(path) || path === DATABASE || PARTIAL_UPLOAD.test(path)) continue;
      if (!Buffer.from(name).equals(raw) || !isSafePath(path) || depth > MAX_DEPTH) {
        scan.leftOut += 1;
        continue;
      }
      const stats = lstatSync(join(home, path), { bigint: true, throwIfNoEntry: false });
      if (stats === undefined) continue;
      if (stats.isDirectory()) walk(path, depth + 1);
      else if (stats.isFile()) scan.files.push(fileStatOf(path, stats));
      else scan.leftOut += 1;
    }
  };
  walk('', 0);
  return scan;
};

/** Bytes of a file in one chunk. */
const CHUNK_BYTES = 1024 * 1024;
const MAX_ATTEMPTS = 3;
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const fill = (descriptor: number, buffer: Buffer, position: number): number => {
  let length = 0;
  while (length < buffer.length) {
    const bytesRead = readSync(descriptor, buffer, length, buffer.length - length, position + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
};

export type Content = Pick<FileEntry, 'size' | 'digest' | 'chunks'>;

/** Adds the content of a file to the archive. @param onRead receives the number of bytes read */
export const storeContent = (
  descriptor: number,
  chunks: Chunks,
  chunkBytes: number,
  onRead: (bytes: number) => void,
): Content => {
  const hash = createHash('sha256');
  const ids: string[] = [];
  const buffer = Buffer.allocUnsafeSlow(chunkBytes);
  let size = 0;
  let compress = true;
  for (;;) {
    const length = fill(descriptor, buffer, size);
    if (length === 0) break;
    // The chunk store holds the bytes until the pack is full, so it needs a copy.
    const { id, digest, compressed } = chunks.add(Buffer.from(buffer.subarray(0, length)), compress);
    // A file whose chunk was incompressible, such as a video, is not compressed further.
    compress = compressed;
    ids.push(id);
    hash.update(digest);
    size += length;
    onRead(length);
    if (length < chunkBytes) break;
  }
  return { size, chunks: ids, digest: hash.digest('base64url') };
};

/**
 * Adds a file of the home to the archive. Returns undefined if it does not exist any more or is not a regular file.
 */
export const storeFile = (
  home: string,
  path: string,
  chunks: Chunks,
  onRead: (bytes: number) => void,
): { entry: FileEntry; steady: boolean } | undefined => {
  let descriptor: number;
  try {
    descriptor = openSync(join(home, path), READ_FLAGS);
  } catch (error) {
    if (isMissing(error) || codeOf(error) === 'ELOOP') return undefined;
    throw error;
  }
  try {
    for (let attempt = 1; ; attempt += 1) {
      const before = fstatNs(descriptor);
      if (!before.isFile()) return undefined;
      const content = storeContent(descriptor, chunks, CHUNK_BYTES, onRead);
      const after = fileStatOf(path, fstatNs(descriptor));
      const steady =
        after.statSignature === signatureOf(before) &&
        after.size === content.size &&
        after.modified === fileStatOf(path, before).modified;
      if (!steady && attempt < MAX_ATTEMPTS) continue;
      const { modified } = after;
      return {
        entry: { kind: 'file', path, modified, statSignature: steady ? after.statSignature : '', ...content },
        steady,
      };
    }
  } finally {
    closeSync(descriptor);
  }
};

/** Resolution of file times in milliseconds. Two changes within it may leave the times equal. */
export const FILE_TIME_RESOLUTION_MS = 2000;

/** Returns true if the metadata of a file is the same as when it was read. */
export const hasSameStat = (file: FileStat, entry: Entry | undefined): entry is FileEntry =>
  entry?.kind === 'file' &&
  entry.statSignature === file.statSignature &&
  entry.size === file.size &&
  entry.modified === file.modified;

/**
 * Returns true if a file is unchanged since the previous backup.
 * @param since start of the previous backup's snapshot
 */
export const isUnchanged = (
  file: FileStat,
  previous: Entry | undefined,
  since: number,
  has: (id: string) => boolean,
): previous is FileEntry =>
  hasSameStat(file, previous) && file.changedMs < since - FILE_TIME_RESOLUTION_MS && previous.chunks.every(has);
