import { writev as writevCallback } from 'node:fs';
import { promisify } from 'node:util';
import type { Hash } from 'node:crypto';

/** How content that comes in is written and hashed, whichever thread does it. */

const writev = promisify(writevCallback);

/** Bytes of content, in the order in which they came. */
export type Pieces = readonly Uint8Array<ArrayBuffer>[];

export const bytesOf = (pieces: Pieces): number => pieces.reduce((sum, { length }) => sum + length, 0);

/** Writes all of it at a position of an open file. @throws what the file system throws */
export const writeHashed = async (fd: number, pieces: Pieces, position: number, hash: Hash): Promise<void> => {
  let left = bytesOf(pieces);
  const end = position + left;
  let pending: readonly Uint8Array[] = pieces;
  let writing = writev(fd, pending, position);
  // While another thread writes: one after the other they would take the sum of both.
  for (const piece of pieces) hash.update(piece);
  while (left > 0) {
    left -= (await writing).bytesWritten;
    if (left === 0) return;
    // A nearly full disk takes a part of what is given and says so only in the count.
    pending = [Buffer.concat(pending).subarray(-left)];
    writing = writev(fd, pending, end - left);
  }
  await writing;
};

/** Where the pieces of one upload go, one call after the other. */
export type Sink = {
  write(pieces: Pieces, position: number): Promise<void>;
  /** SHA-256 of all that was written, as hex. */
  end(): Promise<string>;
  /** Nothing more will come. */
  drop(): void;
};

/** What a thread is asked to do for one upload. Its answer to `end` is the hash. */
export type IntakeRequest =
  | { upload: number; fd: number; position: number; pieces: Pieces }
  | { upload: number; end: true }
  | { upload: number; drop: true };
