import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';

/** One file of an import: all of a file, or a range of one (what was uploaded lies end to end in a single file). */
export type Source = { readonly path: string; readonly start: number; readonly size: number; readonly name: string };

/** What is read of a file, or of an archive: by its name there, which is never taken for a place on this disk. */
export type Member = {
  /** Place among all members of the source, counted from 0. */
  readonly number: number;
  readonly name: string;
  /** Bytes, unpacked. */
  readonly size: number;
  /** Bytes of the source that it takes up. */
  readonly packed: number;
  content(): AsyncGenerator<Buffer>;
};

/** What is wrong with an archive as a whole; begins in lower case. */
export class BrokenArchive extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'BrokenArchive';
  }
}

const PIECE_BYTES = 256 * 1024;

export async function* rangeOf(source: Source, from: number, bytes: number): AsyncGenerator<Buffer> {
  if (bytes <= 0) return;
  const start = source.start + from;
  const stream = createReadStream(source.path, { start, end: start + bytes - 1, highWaterMark: PIECE_BYTES });
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) yield piece;
  } finally {
    stream.destroy();
  }
}

/** @throws BrokenArchive when the source ends before that */
export const readAt = async (source: Source, from: number, bytes: number): Promise<Buffer> => {
  if (from < 0 || from + bytes > source.size) throw new BrokenArchive('it is not whole');
  const file = await open(source.path, 'r');
  try {
    const buffer = Buffer.alloc(bytes);
    for (let done = 0; done < bytes;) {
      const { bytesRead } = await file.read(buffer, done, bytes - done, source.start + from + done);
      if (bytesRead === 0) throw new BrokenArchive('it is not whole');
      done += bytesRead;
    }
    return buffer;
  } finally {
    await file.close();
  }
};

/** The first bytes of a member, for a look at what it is. */
export const headOf = async (member: Member, bytes: number): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of member.content()) {
    pieces.push(piece);
    length += piece.length;
    if (length >= bytes) break;
  }
  return Buffer.concat(pieces).subarray(0, bytes);
};
