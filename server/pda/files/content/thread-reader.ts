import { endsWithin } from '../../../platform/async/deadline.ts';
import type { Log } from '../../../platform/log.ts';
import { createIdleThread, THREAD_START_FAILED } from '../../../platform/workers/idle-thread.ts';
import { codeOf } from '../../../wire/values.ts';
import type { ContentLifecycle } from '../disk/content-lifecycle.ts';
import type { FileRow } from '../store.ts';

export type ContentRequest = {
  fd: number;
  size: number;
  type: string;
  name: string;
};

export type ThreadReader<Result> = {
  /** Returns undefined if the content cannot be read at the moment, and after closing. */
  read(row: FileRow): Promise<Result | undefined>;
  close(): Promise<void>;
};

/**
 * `failed`: reading exceeded a limit or failed with an error; `unavailable`: the reader was closed, or the disk or the
 * system failed, which says nothing about the content.
 */
type ReadOutcome<Result> = { result: Result } | 'failed' | 'unavailable';

const THREAD_IDLE_MS = 10_000;
const SYSTEM_ERROR = new RegExp(`^(?:E[A-Z\\d]+|ERR_WORKER_INIT_FAILED|${THREAD_START_FAILED})$`, 'u');

/**
 * Creates a reader of untrusted content that runs in a worker thread, within limits of time and memory.
 * @param parts.thread module of the worker thread, which serves a `ContentRequest`
 * @param parts.maxMs time for one attempt; content that fails in a used thread is read again in a new one
 * @param parts.heapMaxMb heap of the thread, without buffers such as the content
 * @param parts.buffersMaxBytes unlimited if omitted
 * @param parts.fallback result for content that exceeds a limit or cannot be read, even in a new thread
 * @param parts.subject names the content in log messages, such as `a picture`
 */
export const createThreadReader = <Result>(parts: {
  thread: URL;
  maxMs: number;
  heapMaxMb: number;
  buffersMaxBytes?: number;
  fallback: Result;
  subject: string;
  disk: Pick<ContentLifecycle, 'open'>;
  log: Log;
}): ThreadReader<Result> => {
  const { maxMs, fallback, subject, disk, log } = parts;
  const thread = createIdleThread<ContentRequest, Result>({
    file: parts.thread,
    idleMs: THREAD_IDLE_MS,
    exitMessage: 'the thread that reads files has ended',
    resourceLimits: { maxOldGenerationSizeMb: parts.heapMaxMb },
    ...(parts.buffersMaxBytes === undefined ? {} : { buffersMaxBytes: parts.buffersMaxBytes }),
  });
  let isClosed = false;
  /** Number of reads since the thread was last ended. The thread may also have been replaced after it was idle. */
  let threadReads = 0;

  const readOnce = async (request: ContentRequest, seq: number): Promise<ReadOutcome<Result>> => {
    threadReads += 1;
    const response = thread.send(request);
    try {
      if (await endsWithin(maxMs, response)) return { result: await response };
      log.warn({ seq }, `reading ${subject} took too long`);
      // The thread uses the descriptor until it has ended.
      await thread.close();
      await response.catch(() => undefined);
    } catch (error) {
      if (isClosed) return 'unavailable';
      log.warn({ err: error, seq }, `${subject} could not be read`);
      if (SYSTEM_ERROR.test(codeOf(error))) return 'unavailable';
    }
    return 'failed';
  };

  const endThread = async (): Promise<void> => {
    threadReads = 0;
    await thread.close();
  };

  const readWithRetry = async (request: ContentRequest, seq: number): Promise<Result | undefined> => {
    let outcome = await readOnce(request, seq);
    if (outcome === 'failed') {
      // Earlier content may have used up the memory of the thread, or may still keep the thread busy.
      const shouldRetry = threadReads > 1;
      await endThread();
      if (shouldRetry && !isClosed) {
        outcome = await readOnce(request, seq);
        if (outcome === 'failed') await endThread();
      }
    }
    if (outcome === 'unavailable') return undefined;
    return outcome === 'failed' ? fallback : outcome.result;
  };

  return {
    async read(row) {
      const handle = await disk.open(row).catch((error: unknown) => {
        log.debug({ err: error, seq: row.seq }, `${subject} could not be opened`);
        return undefined;
      });
      if (handle === undefined) return undefined;
      try {
        // A request after the thread was closed would start it again.
        if (isClosed) return undefined;
        const request = { fd: handle.fd, size: row.size ?? 0, type: row.type ?? '', name: row.name };
        const result = await readWithRetry(request, row.seq);
        // Closing terminates the thread, so the result may not describe the content.
        return isClosed ? undefined : result;
      } finally {
        await handle.close();
      }
    },

    async close() {
      isClosed = true;
      await thread.close();
    },
  };
};
