import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../../platform/thread-environment.ts';
import { writeHashed, type FromIntake, type Pieces, type Sink, type ToIntake } from './intake.ts';

/** Bytes from which on content is worth a thread: to start one takes as long as to hash this much. */
const WORTH_A_THREAD_BYTES = 32 * 1024 * 1024;
/** Milliseconds after which a thread that nobody uses ends and gives its memory back. */
const IDLE_MS = 10_000;

type Waiting = { resolve: (sha256: string) => void; reject: (error: Error) => void };
type Live = { thread: Worker; waiting: Map<number, Waiting>; uploads: number; idle: NodeJS.Timeout | undefined };

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

export const createIntakeThreads = (): IntakeThreads => {
  let live: Live | undefined;
  let nextId = 0;

  const start = (): Live => {
    const thread = new Worker(new URL('./intake-thread.ts', import.meta.url), {
      env: threadEnvironment(),
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
    });
    const made: Live = { thread, waiting: new Map(), uploads: 0, idle: undefined };
    const giveUp = (error: Error): void => {
      if (live === made) live = undefined;
      for (const { reject } of made.waiting.values()) reject(error);
      made.waiting.clear();
    };
    thread.on('message', (message: FromIntake) => {
      const entry = made.waiting.get(message.id);
      made.waiting.delete(message.id);
      if ('error' in message) entry?.reject(Object.assign(new Error(message.error), { code: message.code }));
      else entry?.resolve(message.sha256);
    });
    thread.on('error', (error: unknown) => giveUp(error instanceof Error ? error : new Error(String(error))));
    thread.on('exit', () => giveUp(new Error('the thread that takes uploads in has ended')));
    thread.unref();
    return made;
  };

  const sinkIn = (used: Live, fd: number): Sink => {
    const upload = ++nextId;
    let isOpen = true;
    used.uploads += 1;
    clearTimeout(used.idle);
    const leave = (): void => {
      if (!isOpen) return;
      isOpen = false;
      used.uploads -= 1;
      if (used.uploads > 0) return;
      used.idle = setTimeout(() => {
        if (live === used) live = undefined;
        void used.thread.terminate();
      }, IDLE_MS).unref();
    };
    const ask = (message: ToIntake, transfer: ArrayBuffer[] = []): Promise<string> =>
      new Promise((resolve, reject) => {
        // One that has ended meanwhile answers nobody.
        if (live !== used) return reject(new Error('the thread that takes uploads in has ended'));
        used.waiting.set(message.id, { resolve, reject });
        used.thread.postMessage(message, transfer);
      });
    return {
      async write(given: Pieces, position: number) {
        const pieces = given.map(own);
        await ask(
          { id: ++nextId, upload, fd, position, pieces },
          pieces.map(({ buffer }) => buffer),
        );
      },
      end: () => ask({ id: ++nextId, upload, end: true }).finally(leave),
      drop() {
        if (isOpen && live === used) used.thread.postMessage({ id: ++nextId, upload, drop: true } satisfies ToIntake);
        leave();
      },
    };
  };

  return {
    open(fd, bytes) {
      if (bytes !== undefined && bytes < WORTH_A_THREAD_BYTES) return sinkHere(fd);
      live ??= start();
      return sinkIn(live, fd);
    },
    async close() {
      const used = live;
      live = undefined;
      clearTimeout(used?.idle);
      await used?.thread.terminate();
    },
  };
};
