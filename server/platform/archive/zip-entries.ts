import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { asError, codeOf } from '../../wire/values.ts';

type ZipRange = { path: string; start: number; size: number };

/** A ZIP file that cannot be read: damaged, encrypted or not supported. The message begins in lower case. */
export class ZipProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ZipProblem';
  }
}

/** Headers are read in windows of this size: a separate read for each of a million entries would take a minute. */
const WINDOW_BYTES = 64 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** Deflate cannot compress further. An entry that claims a higher ratio is a zip bomb. */
const MAX_DEFLATE_RATIO = 1040;

/** Random access to a byte range of a file. Opens the file for each read, so that no file descriptor stays open. */
class RangeReader extends RandomAccessReader {
  readonly #range: ZipRange;
  #window = { from: 0, bytes: Buffer.alloc(0) };

  constructor(range: ZipRange) {
    super();
    this.#range = range;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const { path, start: rangeStart } = this.#range;
    return createReadStream(path, { start: rangeStart + start, end: rangeStart + end - 1, highWaterMark: CHUNK_BYTES });
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#readBytes(position, length).then(
      (bytes) => {
        bytes.copy(buffer, offset);
        callback(null);
      },
      (error: unknown) => callback(asError(error)),
    );
  }

  async #readBytes(position: number, length: number): Promise<Buffer> {
    const { path, start, size } = this.#range;
    if (position + length > size) throw new ZipProblem('it is incomplete');
    const { from, bytes } = this.#window;
    if (position >= from && position + length <= from + bytes.length)
      return bytes.subarray(position - from, position - from + length);
    const window = Buffer.alloc(Math.min(Math.max(length, WINDOW_BYTES), size - position));
    const file = await open(path, 'r');
    try {
      const { bytesRead } = await file.read(window, 0, window.length, start + position);
      if (bytesRead < length) throw new ZipProblem('it is incomplete');
      this.#window = { from: position, bytes: window.subarray(0, bytesRead) };
      return window.subarray(0, length);
    } finally {
      await file.close();
    }
  }
}

/** Maps errors of yauzl and zlib to ZipProblem; returns any other error unchanged. */
export const toZipProblem = (error: unknown): unknown => {
  const code = codeOf(error);
  const isPlain = error instanceof Error && error.name === 'Error' && code === '';
  if (!(error instanceof Error) || !(isPlain || code.startsWith('Z_'))) return error;
  if (error.message.startsWith('multi-disk'))
    return new ZipProblem('it is one part of a split archive; join the parts first');
  if (error.message.startsWith('strong encryption')) return new ZipProblem('it is encrypted');
  if (/overflows file bounds|not enough bytes/u.test(error.message)) return new ZipProblem('it is incomplete');
  return new ZipProblem('it is damaged');
};

/** Opens a ZIP file. @throws ZipProblem, or the error of the file system */
export const openZipFile = async (range: ZipRange): Promise<ZipFile> => {
  try {
    const options = { autoClose: false, decodeStrings: false, validateEntrySizes: false };
    return await fromRandomAccessReaderPromise(new RangeReader(range), range.size, options);
  } catch (error) {
    throw toZipProblem(error);
  }
};

/**
 * Header fields that unpacking needs. Others are not kept, because an archive can have a million entries. Sizes are in
 * bytes.
 */
export type ZipEntry = {
  name: string;
  size: number;
  /** Compressed size. */
  packed: number;
  crc: number;
  method: number;
  flags: number;
  offset: number;
};

export const entryOf = (name: string, entry: Entry): ZipEntry => ({
  name,
  size: entry.uncompressedSize,
  packed: entry.compressedSize,
  crc: entry.crc32,
  method: entry.compressionMethod,
  flags: entry.generalPurposeBitFlag,
  offset: entry.relativeOffsetOfLocalHeader,
});

export const isZipBomb = ({ size, packed }: ZipEntry): boolean => size > packed * MAX_DEFLATE_RATIO;

/**
 * Unpacks an entry and verifies its size and checksum. Never yields more than the declared size.
 * @throws ZipProblem, or the error of the file system
 */
export async function* unpackEntry(zip: ZipFile, { size, packed, crc, ...header }: ZipEntry): AsyncGenerator<Buffer> {
  const entry = Object.assign(new Entry(), {
    uncompressedSize: size,
    compressedSize: packed,
    compressionMethod: header.method,
    generalPurposeBitFlag: header.flags,
    relativeOffsetOfLocalHeader: header.offset,
  });
  let unpackedBytes = 0;
  let checksum = 0;
  try {
    if (entry.isEncrypted()) throw new ZipProblem('it is encrypted');
    if (!entry.canDecodeFileData()) throw new ZipProblem('it uses a compression method that is not supported');
    const raw = await zip.openReadStreamPromise(entry, { decodeFileData: false });
    // yauzl's own inflate streams are freed only by the garbage collector: several hundred MB for 60,000 entries.
    const stream = entry.isCompressed() ? pipeline(raw, createInflateRaw(), () => undefined) : raw;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      unpackedBytes += chunk.length;
      if (unpackedBytes > size) throw new ZipProblem('an entry is larger than its header says');
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  } catch (error) {
    throw toZipProblem(error);
  }
  if (unpackedBytes !== size) throw new ZipProblem('it is incomplete');
  if (checksum !== crc) throw new ZipProblem('it is damaged');
}
