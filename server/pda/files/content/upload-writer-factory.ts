import { createHash } from 'node:crypto';
import { createIdleThread, type ThreadLease } from '../../../platform/workers/idle-thread.ts';
import { writeAndHash, type UploadThreadRequest, type UploadChunks, type UploadWriter } from './upload-writer.ts';

/**
 * Content with a smaller declared size is written on the calling thread. Starting the thread takes as long as hashing
 * this many bytes.
 */
const THREAD_MIN_BYTES = 32 * 1024 * 1024;
const THREAD_IDLE_MS = 10_000;
/** Chunks are freed immediately, so the thread needs little memory for short-lived objects. */
const THREAD_YOUNG_GENERATION_MB = 2;

const createLocalWriter = (fd: number): UploadWriter => {
  const hash = createHash('sha256');
  return {
    write: (chunks, position) => writeAndHash(fd, chunks, position, hash),
    end: () => Promise.resolve(hash.digest('hex')),
    discard: () => undefined,
  };
};

/**
 * Copies a chunk that does not fill its buffer, because transferring the buffer would also detach other chunks that
 * share it.
 */
const toTransferable = (chunk: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  chunk.byteLength === chunk.buffer.byteLength ? chunk : chunk.slice();

export type UploadWriterFactory = ReturnType<typeof createUploadWriterFactory>;

const createThreadWriter = (
  thread: ThreadLease<UploadThreadRequest, string>,
  uploadId: number,
  fd: number,
): UploadWriter => ({
  async write(chunks: UploadChunks, position: number) {
    const transferable = chunks.map(toTransferable);
    await thread.send(
      { uploadId, fd, position, chunks: transferable },
      transferable.map(({ buffer }) => buffer),
    );
  },
  end: () => thread.send({ uploadId, end: true }).finally(thread.release),
  discard() {
    // Fails if the thread has ended, which also discards the upload.
    thread.send({ uploadId, discard: true }).catch(() => undefined);
    thread.release();
  },
});

export const createUploadWriterFactory = () => {
  const thread = createIdleThread<UploadThreadRequest, string>({
    file: new URL('./upload-writer-thread.ts', import.meta.url),
    idleMs: THREAD_IDLE_MS,
    exitMessage: 'the upload thread has ended',
    resourceLimits: { maxYoungGenerationSizeMb: THREAD_YOUNG_GENERATION_MB },
  });
  let lastUploadId = 0;
  return {
    /**
     * @param fd must stay open while calls are in progress
     * @param bytes declared size of the upload
     */
    open(fd: number, bytes: number | undefined): UploadWriter {
      if (bytes !== undefined && bytes < THREAD_MIN_BYTES) return createLocalWriter(fd);
      lastUploadId += 1;
      return createThreadWriter(thread.lease(), lastUploadId, fd);
    },
    close: thread.close,
  };
};
