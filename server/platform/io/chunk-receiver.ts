import { open, type FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Failure } from '../failure.ts';

/** Writes all bytes. On a nearly full disk, a write may store only some of them without an error. */
const writeFully = async (handle: FileHandle, bytes: Buffer, position: number): Promise<void> => {
  for (let writtenBytes = 0; writtenBytes < bytes.length;) {
    const { bytesWritten } = await handle.write(
      bytes,
      writtenBytes,
      bytes.length - writtenBytes,
      position + writtenBytes,
    );
    writtenBytes += bytesWritten;
  }
};

/**
 * Writes a chunk to an uploaded file and returns the new size in bytes. If the connection breaks, the received part is
 * kept; a chunk that is refused or cannot be written is removed.
 * @param offset position of the chunk, at most the size of the file in bytes; the bytes after it are discarded
 * @param size announced size of the complete file in bytes
 * @throws Failure invalid_input if the file exceeds its announced size
 * @throws the error of the file system, or of the connection if nothing was received
 */
export const receiveChunk = async (
  file: string,
  offset: number,
  size: number,
  chunkStream: Readable,
): Promise<number> => {
  let receivedBytes = offset;
  let isWriting = false;
  const handle = await open(file, offset === 0 ? 'w' : 'r+', 0o600);
  try {
    await handle.truncate(offset);
    try {
      // Keep the stream open after a refusal: the response is sent on the same connection.
      for await (const bytes of chunkStream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        if (receivedBytes + bytes.length > size)
          throw new Failure('invalid_input', 'The file is longer than announced.');
        isWriting = true;
        await writeFully(handle, bytes, receivedBytes);
        isWriting = false;
        receivedBytes += bytes.length;
      }
    } catch (error) {
      const isConnectionBroken = !isWriting && !(error instanceof Failure);
      if (!isConnectionBroken || receivedBytes === offset) throw error;
    }
    await handle.sync();
  } catch (error) {
    chunkStream.resume();
    await handle.truncate(offset);
    throw error;
  } finally {
    await handle.close();
  }
  return receivedBytes;
};
