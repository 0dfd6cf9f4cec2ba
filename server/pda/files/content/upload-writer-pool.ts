import { createHash } from 'node:crypto';
import { createIdleThread, type ThreadLease } from '../../../platform/workers/idle-thread.ts';
import { writeHashed, type IntakeRequest, type Pieces, type Sink } from './upload-writer.ts';

/** Bytes from which on content is worth a thread: to start one takes as long as to hash this much. */
const WORTH_A_THREAD_BYTES = 32 * 1024 * 1024;
/** Milliseconds of idleness after which a thread ends and frees its memory. */
const IDLE_MS = 10_000;

/** Here and now, for what is small. */
const sinkHere = (fd: number): Sink => {
  const hash = createHash('sha256');
  return {
    write: (pieces, position) => writeHashed(fd, pieces, position, hash),
    end: () => Promise.resolve(hash.digest('hex')),
    drop: () => undefined,
  };
};

/** A piece that shares its memory with nothing else can be handed over; any other is copied. */
const own = (piece: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  piece.byteLength === piece.buffer.byteLength ? piece : piece.slice();

export type IntakeThreads = {
  /** @param bytes how much will come, as far as it is known @param fd open for as long as calls are under way */
  open(fd: number, bytes: number | undefined): Sink;
  close(): Promise<void>;
};

const sinkInThread = (thread: ThreadLease<IntakeRequest, string>, upload: number, fd: number): Sink => ({
  async write(given: Pieces, position: number) {
    const pieces = given.map(own);
    await thread.ask(
      { upload, fd, position, pieces },
      pieces.map(({ buffer }) => buffer),
    );
  },
  end: () => thread.ask({ upload, end: true }).finally(thread.release),
  drop() {
    // A thread that has ended has forgotten the upload.
    thread.ask({ upload, drop: true }).catch(() => undefined);
    thread.release();
  },
});

export const createIntakeThreads = (): IntakeThreads => {
  const thread = createIdleThread<IntakeRequest, string>({
    file: new URL('./upload-writer-thread.ts', import.meta.url),
    idleMs: IDLE_MS,
    ended: 'the thread that takes uploads in has ended',
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  });
  let lastUpload = 0;
  return {
    open(fd, bytes) {
      if (bytes !== undefined && bytes < WORTH_A_THREAD_BYTES) return sinkHere(fd);
      lastUpload += 1;
      return sinkInThread(thread.lease(), lastUpload, fd);
    },
    close: thread.close,
  };
};
