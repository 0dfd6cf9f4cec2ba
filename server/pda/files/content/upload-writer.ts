import { writev as writevCallback } from 'node:fs';
import { promisify } from 'node:util';
import type { Hash } from 'node:crypto';

const writev = promisify(writevCallback);

export type UploadChunks = readonly Uint8Array<ArrayBuffer>[];

export const bytesOf = (chunks: UploadChunks): number => chunks.reduce((sum, { length }) => sum + length, 0);

export const writeAndHash = async (fd: number, chunks: UploadChunks, position: number, hash: Hash): Promise<void> => {
  let remainingBytes = bytesOf(chunks);
  const end = position + remainingBytes;
  let pendingChunks: readonly Uint8Array[] = chunks;
  let currentWrite = writev(fd, pendingChunks, position);
  // Hashes while the write is in progress, so that both together take no longer than the slower one.
  for (const chunk of chunks) hash.update(chunk);
  while (remainingBytes > 0) {
    remainingBytes -= (await currentWrite).bytesWritten;
    if (remainingBytes === 0) return;
    // On a nearly full disk a write can be short. Only the returned count reports this.
    pendingChunks = [Buffer.concat(pendingChunks).subarray(-remainingBytes)];
    currentWrite = writev(fd, pendingChunks, end - remainingBytes);
  }
  await currentWrite;
};

/** Writes the content of one upload. Calls must not overlap. */
export type UploadWriter = {
  write(chunks: UploadChunks, position: number): Promise<void>;
  /** Returns the SHA-256 of the content in hex. */
  end(): Promise<string>;
  discard(): void;
};

/** Request to the worker thread about one upload. The response to `end` is the hash. */
export type UploadThreadRequest =
  | { uploadId: number; fd: number; position: number; chunks: UploadChunks }
  | { uploadId: number; end: true }
  | { uploadId: number; discard: true };
