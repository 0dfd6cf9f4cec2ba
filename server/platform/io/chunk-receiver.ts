import { open, type FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Failure } from '../failure.ts';
import { isDiskFull } from './file-system.ts';

/** A nearly full disk takes a part of what is given and says so only in the count. */
const writeWhole = async (handle: FileHandle, chunk: Buffer, position: number): Promise<void> => {
  for (let done = 0; done < chunk.length;) {
    const { bytesWritten } = await handle.write(chunk, done, chunk.length - done, position + done);
    done += bytesWritten;
  }
};

/**
 * Appends a piece to an uploaded file and returns where it ends now. A line that broke keeps what arrived; a piece that is refused, or
 * that finds no room, is taken away again.
 * @throws Failure invalid_input; what the file system says
 */
export const receiveChunk = async (file: string, offset: number, size: number, piece: Readable): Promise<number> => {
  let received = offset;
  const handle = await open(file, offset === 0 ? 'w' : 'r+', 0o600);
  try {
    // Left open when it is refused: the answer goes out on the same line.
    for await (const chunk of piece.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (received + chunk.length > size) {
        throw new Failure('invalid_input', 'The file is longer than was announced.');
      }
      await writeWhole(handle, chunk, received);
      received += chunk.length;
    }
    await handle.sync();
  } catch (error) {
    piece.resume();
    if (error instanceof Failure || isDiskFull(error) || received === offset) {
      // Whoever writes next finds the room that this piece took.
      await handle.truncate(offset);
      throw error;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return received;
};
