import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';

/** One file of an import: a local file, or a range of the uploaded content, which stores all files back to back. */
export type Source = { readonly path: string; readonly start: number; readonly size: number; readonly name: string };

/** A file inside an archive, or a single file. */
export type ArchiveMember = {
  /** Index among all members of the source, counted from 0. */
  readonly index: number;
  readonly name: string;
  /** Uncompressed bytes. */
  readonly size: number;
  /** Compressed bytes; equals `size` if the compressed size is unknown. */
  readonly packedBytes: number;
  content(): AsyncGenerator<Buffer>;
};

/** Thrown for an archive or a member that cannot be read. The message begins in lower case. */
export class BrokenArchive extends Error {
  // toZipProblem recognises the errors of yauzl by the name Error.
  override readonly name = 'BrokenArchive';
}

const CHUNK_BYTES = 256 * 1024;

export async function* readSourceRange(source: Source, from: number, bytes: number): AsyncGenerator<Buffer> {
  if (bytes <= 0) return;
  const start = source.start + from;
  const stream = createReadStream(source.path, { start, end: start + bytes - 1, highWaterMark: CHUNK_BYTES });
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) yield chunk;
  } finally {
    stream.destroy();
  }
}

/** @throws BrokenArchive if the source does not contain the whole range */
export const readAt = async (source: Source, from: number, bytes: number): Promise<Buffer> => {
  if (from < 0 || from + bytes > source.size) throw new BrokenArchive('it is incomplete');
  const file = await open(source.path, 'r');
  try {
    const buffer = Buffer.alloc(bytes);
    for (let offset = 0; offset < bytes;) {
      const { bytesRead } = await file.read(buffer, offset, bytes - offset, source.start + from + offset);
      if (bytesRead === 0) throw new BrokenArchive('it is incomplete');
      offset += bytesRead;
    }
    return buffer;
  } finally {
    await file.close();
  }
};

export const readHead = async (member: ArchiveMember, bytes: number): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of member.content()) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= bytes) break;
  }
  return Buffer.concat(chunks).subarray(0, bytes);
};
