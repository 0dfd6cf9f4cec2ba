import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from '../../../../platform/io/file-system.ts';
import { codeOf } from '../../../../wire/values.ts';
import type { Chunks } from '../format/chunks.ts';
import { DATABASE_FILE, isReservedPath, isSafePath, type Entry, type FileEntry } from '../format/manifest-rules.ts';

/*
 * Scans the files of a home and reads their content. Links are not followed, because they may lead out of the home. The
 * only exception is the files folder itself, which may be a link to a larger disk.
 */

/**
 * `modified` is in nanoseconds since 1970. `changedMs` is the later of the modification and the change time, in Unix
 * milliseconds.
 */
export type FileStat = { path: string; size: number; modified: string; statSignature: string; changedMs: number };

/** `folders`: paths of empty folders; `leftOut`: number of links, special files and unsupported paths. */
type HomeScan = { files: FileStat[]; folders: string[]; leftOut: number };

/** Incomplete uploads, which are discarded when their connection ends and therefore not backed up. */
const PARTIAL_UPLOAD = /^uploads\/\d+\.in$/u;
const FOLDER_DEPTH_MAX = 100;

const signatureOf = (stats: { ino: bigint; ctimeNs: bigint }): string => `${stats.ctimeNs}:${stats.ino}`;

const fileStatOf = (path: string, stats: ReturnType<typeof fstatNs>): FileStat => ({
  path,
  size: Number(stats.size),
  modified: String(stats.mtimeNs < 0n ? 0n : stats.mtimeNs),
  statSignature: signatureOf(stats),
  changedMs: Math.max(Number(stats.mtimeMs), Number(stats.ctimeMs)),
});

const fstatNs = (descriptor: number) => fstatSync(descriptor, { bigint: true });

export const scanHome = (home: string): HomeScan => {
  const scan: HomeScan = { files: [], folders: [], leftOut: 0 };
  const walk = (folder: string, depth: number): void => {
    let names: Buffer[];
    try {
      names = readdirSync(join(home, folder), { encoding: 'buffer' });
    } catch (error) {
      // The folder was deleted during the scan.
      if (isMissing(error)) return;
      throw error;
    }
    if (names.length === 0 && folder !== '') scan.folders.push(folder);
    for (const nameBytes of names) {
      const name = nameBytes.toString('utf8');
      const path = folder === '' ? name : `${folder}/${name}`;
      if (isReservedPath(path) || path === DATABASE_FILE || PARTIAL_UPLOAD.test(path)) continue;
      if (!Buffer.from(name).equals(nameBytes) || !isSafePath(path) || depth > FOLDER_DEPTH_MAX) {
        scan.leftOut += 1;
        continue;
      }
      const stats = (path === 'files' ? statSync : lstatSync)(join(home, path), {
        bigint: true,
        throwIfNoEntry: false,
      });
      if (stats === undefined) continue;
      if (stats.isDirectory()) walk(path, depth + 1);
      else if (stats.isFile()) scan.files.push(fileStatOf(path, stats));
      else scan.leftOut += 1;
    }
  };
  walk('', 0);
  return scan;
};

const FILE_CHUNK_BYTES = 1024 * 1024;
const READ_ATTEMPTS_MAX = 3;
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const fillBuffer = (descriptor: number, buffer: Buffer, position: number): number => {
  let length = 0;
  while (length < buffer.length) {
    const bytesRead = readSync(descriptor, buffer, length, buffer.length - length, position + length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length;
};

export const storeContent = (
  descriptor: number,
  chunks: Chunks,
  chunkBytes: number,
  onRead: (bytes: number) => void,
): Pick<FileEntry, 'size' | 'digest' | 'chunks'> => {
  const hash = createHash('sha256');
  const ids: string[] = [];
  const buffer = Buffer.allocUnsafeSlow(chunkBytes);
  let size = 0;
  let shouldCompress = true;
  for (;;) {
    const length = fillBuffer(descriptor, buffer, size);
    if (length === 0) break;
    // Copied, because the buffer is reused and `chunks` stores the bytes until the pack is full.
    const { id, digest, isCompressed } = chunks.add(Buffer.from(buffer.subarray(0, length)), shouldCompress);
    // After an incompressible chunk, as in a video, the next chunks are probably incompressible, too.
    shouldCompress = isCompressed;
    ids.push(id);
    hash.update(digest);
    size += length;
    onRead(length);
    if (length < chunkBytes) break;
  }
  return { size, chunks: ids, digest: hash.digest('base64url') };
};

/**
 * Adds the content of a file of the home to the archive. `isSteady` is false if the file changed during every attempt
 * to read it. Returns undefined if the path is missing or not a regular file.
 */
export const storeFile = (
  home: string,
  path: string,
  chunks: Chunks,
  onRead: (bytes: number) => void,
): { entry: FileEntry; isSteady: boolean } | undefined => {
  let descriptor: number;
  try {
    descriptor = openSync(join(home, path), READ_FLAGS);
  } catch (error) {
    if (isMissing(error) || codeOf(error) === 'ELOOP') return undefined;
    throw error;
  }
  try {
    for (let attempt = 1; ; attempt += 1) {
      const initialStats = fstatNs(descriptor);
      if (!initialStats.isFile()) return undefined;
      const content = storeContent(descriptor, chunks, FILE_CHUNK_BYTES, onRead);
      const finalStat = fileStatOf(path, fstatNs(descriptor));
      const isSteady =
        finalStat.statSignature === signatureOf(initialStats) &&
        finalStat.size === content.size &&
        finalStat.modified === fileStatOf(path, initialStats).modified;
      if (!isSteady && attempt < READ_ATTEMPTS_MAX) continue;
      const { modified } = finalStat;
      return {
        entry: { kind: 'file', path, modified, statSignature: isSteady ? finalStat.statSignature : '', ...content },
        isSteady,
      };
    }
  } finally {
    closeSync(descriptor);
  }
};

/** Coarsest resolution of file times. Two changes within this time can result in equal file times. */
export const FILE_TIME_RESOLUTION_MS = 2000;

export const hasSameStat = (file: FileStat, entry: Entry | undefined): entry is FileEntry =>
  entry?.kind === 'file' &&
  entry.statSignature === file.statSignature &&
  entry.size === file.size &&
  entry.modified === file.modified;

/**
 * Returns true if a file is unchanged since the previous backup, and the archive contains all of its chunks.
 * @param snapshotTime start of the previous snapshot, in Unix milliseconds
 */
export const isUnchanged = (
  file: FileStat,
  previousEntry: Entry | undefined,
  snapshotTime: number,
  hasChunk: (id: string) => boolean,
): previousEntry is FileEntry =>
  hasSameStat(file, previousEntry) &&
  file.changedMs < snapshotTime - FILE_TIME_RESOLUTION_MS &&
  previousEntry.chunks.every(hasChunk);
