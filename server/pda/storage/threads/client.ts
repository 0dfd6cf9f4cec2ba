import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../../../platform/workers/thread-environment.ts';
import { isInSameCall, type CallCounter } from './call-counter.ts';
import type { SqlValue, ThreadData, ThreadRequest, ThreadResponse } from './messages.ts';

export type { SqlValue } from './messages.ts';

type QueuedRequest = {
  message: ThreadRequest;
  resolve: (message: ThreadResponse) => void;
  reject: (error: Error) => void;
};

const mapWorkerError = (error: unknown): Error => {
  if (!(error instanceof Error)) return new Error(String(error));
  const isOutOfMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isOutOfMemory ? new ThreadError('The read needs more memory than allowed.', 'READ_LIMIT_MEMORY') : error;
};

/**
 * The read budget (data/queries/language/read-budget.ts) bounds a read before it allocates. This limit is the safety
 * net: the digest of a value of 10 MB takes 100 MB (platform/json/canonical.ts).
 */
const THREAD_HEAP_MAX_MB = 256;

/** Time for a thread to stop by itself after its deadline, before it is terminated. */
const DEADLINE_GRACE_MS = 2000;

const DEFAULT_CHUNK_ROWS = 500;
const COLLECTED_CHUNK_ROWS = 5000;

/**
 * `code`: an SQLite code; READ_LIMIT_* for a read that needs too much time or memory; CLOSED after `close`; ENDED if
 * the thread ended during the request; GONE if it ended between two chunks of a query; otherwise empty.
 */
export class ThreadError extends Error {
  readonly code: string;
  constructor(text: string, code: string) {
    super(text);
    this.code = code;
  }
}

/**
 * A thread that processes one request at a time. Other requests wait in the client's queue, so that they are not lost
 * if the thread is terminated at the deadline of its request.
 */
type RunningThread = {
  thread: Worker;
  calls: CallCounter;
  /** Ids of row queries with unread chunks. */
  openQueries: Set<number>;
  idleTimer: NodeJS.Timeout | undefined;
};

/** Milliseconds after which an idle thread ends, to free its memory. */
const THREAD_IDLE_MS = 10_000;

/** Maximum wait for the exit of a retired thread, which can be slow: SQLite cannot be interrupted within a row. */
const REPLACEMENT_WAIT_MS = 10_000;

type ThreadOptions = Omit<ThreadData, 'calls'> & {
  /**
   * Milliseconds that one call of an SQL function may take in a maintenance thread, whose statements have no deadline.
   * The thread is terminated after up to twice this time.
   */
  callMaxMs?: number;
};

export type DatabaseThread = ReturnType<typeof createDatabaseThread>;

/** Creates the client of a database thread. The thread starts at its first use. */
export const createDatabaseThread = ({ callMaxMs, ...threadData }: ThreadOptions) => {
  let liveThread: RunningThread | undefined;
  /** Thread with a large heap. It is replaced as soon as it has no open query. */
  let outgrownThread: RunningThread | undefined;
  /** Set while a new thread waits for the exit of a retired one. */
  let exitTimer: NodeJS.Timeout | undefined;
  let current: { request: QueuedRequest; timer: NodeJS.Timeout | undefined } | undefined;
  const queue: QueuedRequest[] = [];
  let nextId = 0;
  let isClosed = false;

  const takeCurrent = (): QueuedRequest | undefined => {
    const request = current?.request;
    clearTimeout(current?.timer);
    current = undefined;
    return request;
  };

  const start = (): RunningThread => {
    const calls = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const thread = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: { ...threadData, calls } satisfies ThreadData,
      env: threadEnvironment(),
      // Far smaller than the default, because the young generation contains only one chunk of rows.
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: THREAD_HEAP_MAX_MB },
    });
    const startedThread: RunningThread = { thread, calls, openQueries: new Set(), idleTimer: undefined };
    const onEnd = (error: Error): void => {
      if (liveThread !== startedThread) return;
      liveThread = undefined;
      takeCurrent()?.reject(error);
      processNext();
    };
    thread.on('message', (message: ThreadResponse) => {
      if (liveThread !== startedThread) return;
      if ('isLarge' in message) {
        outgrownThread = startedThread;
        if (current === undefined) processNext();
        return;
      }
      if (current?.request.message.id !== message.id) return;
      const request = takeCurrent();
      // Updated before `processNext`, which may close a thread that has no open queries.
      if ('rows' in message && !message.done) startedThread.openQueries.add(message.id);
      else startedThread.openQueries.delete(message.id);
      if ('error' in message) request?.reject(new ThreadError(message.error, message.code));
      else request?.resolve(message);
      processNext();
    });
    thread.on('error', (error: unknown) => onEnd(mapWorkerError(error)));
    thread.on('exit', () => onEnd(new ThreadError('The database thread ended.', 'ENDED')));
    // An idle thread must not keep the process alive.
    thread.unref();
    return startedThread;
  };

  /**
   * Stops sending requests to a thread that is about to end. Its successor waits for its exit, at most
   * REPLACEMENT_WAIT_MS, because two threads would use twice the allowed memory.
   */
  const retire = ({ thread, idleTimer }: RunningThread): void => {
    liveThread = undefined;
    clearTimeout(idleTimer);
    const onExit = (): void => {
      clearTimeout(exitTimer);
      exitTimer = undefined;
      if (!isClosed) processNext();
    };
    exitTimer = setTimeout(() => {
      thread.off('exit', onExit);
      onExit();
    }, REPLACEMENT_WAIT_MS);
    thread.once('exit', onExit);
  };

  const closeThread = (runningThread: RunningThread): void => {
    retire(runningThread);
    runningThread.thread.postMessage({ id: 0, op: 'close' } satisfies ThreadRequest);
  };

  /** Terminates a thread that does not stop by itself. SQLite cannot be interrupted within one row or a sort. */
  const terminateOverdue = (runningThread: RunningThread): void => {
    if (liveThread !== runningThread) return;
    retire(runningThread);
    void runningThread.thread.terminate();
    takeCurrent()?.reject(new ThreadError('The statement took longer than allowed.', 'READ_LIMIT_TIME'));
  };

  const watchCalls = (runningThread: RunningThread, maxMs: number, earlier?: number): NodeJS.Timeout =>
    setTimeout(() => {
      const count = Atomics.load(runningThread.calls, 0);
      if (isInSameCall(earlier, count)) terminateOverdue(runningThread);
      else if (current !== undefined) current.timer = watchCalls(runningThread, maxMs, count);
    }, maxMs);

  const startTimer = (runningThread: RunningThread): NodeJS.Timeout | undefined => {
    const { deadlineMs } = threadData;
    if (deadlineMs !== undefined)
      return setTimeout(() => terminateOverdue(runningThread), deadlineMs + DEADLINE_GRACE_MS);
    return callMaxMs === undefined ? undefined : watchCalls(runningThread, callMaxMs);
  };

  const processNext = (): void => {
    if (current !== undefined) return;
    if (outgrownThread !== undefined && outgrownThread === liveThread && outgrownThread.openQueries.size === 0)
      closeThread(outgrownThread);
    if (exitTimer !== undefined) return;
    const request = queue.shift();
    if (request === undefined) return startIdleTimer();
    const runningThread = (liveThread ??= start());
    clearTimeout(runningThread.idleTimer);
    current = { request, timer: startTimer(runningThread) };
    runningThread.thread.ref();
    runningThread.thread.postMessage(request.message);
  };

  const startIdleTimer = (): void => {
    const runningThread = liveThread;
    if (runningThread === undefined || isClosed) return;
    runningThread.thread.unref();
    clearTimeout(runningThread.idleTimer);
    if (runningThread.openQueries.size > 0) return;
    runningThread.idleTimer = setTimeout(() => {
      if (liveThread === runningThread) closeThread(runningThread);
    }, THREAD_IDLE_MS).unref();
  };

  const send = (message: ThreadRequest): Promise<ThreadResponse> => {
    if (isClosed) return Promise.reject(new ThreadError('The database thread is closed.', 'CLOSED'));
    return new Promise((resolve, reject) => {
      queue.push({ message, resolve, reject });
      processNext();
    });
  };

  async function* rows<Row>(
    sql: string,
    parameters: readonly SqlValue[],
    chunkRows = DEFAULT_CHUNK_ROWS,
    reportWorkTime: (ms: number) => void = () => undefined,
  ): AsyncGenerator<Row[], void> {
    const id = ++nextId;
    let isExhausted = false;
    let runningThread: RunningThread | undefined;
    try {
      let message = await send({ id, op: 'rows', sql, parameters, chunkRows });
      runningThread = liveThread;
      for (;;) {
        if (!('rows' in message)) return;
        isExhausted = message.done;
        if (isExhausted) reportWorkTime(message.ms);
        if (message.rows.length > 0) yield message.rows as Row[];
        if (isExhausted) return;
        message = await send({ id, op: 'more' });
      }
    } finally {
      if (!isExhausted) runningThread?.thread.postMessage({ id, op: 'stop' } satisfies ThreadRequest);
      runningThread?.openQueries.delete(id);
      if (current === undefined) startIdleTimer();
    }
  }

  return {
    /** Yields rows in chunks. The thread reads each chunk on request. Leaving the loop early stops the query. */
    rows,
    /** Returns all rows. @param reportWorkTime called with the milliseconds of work, without the time in the queue */
    async all<Row>(
      sql: string,
      parameters: readonly SqlValue[] = [],
      reportWorkTime?: (ms: number) => void,
    ): Promise<Row[]> {
      const allRows: Row[] = [];
      for await (const chunk of rows<Row>(sql, parameters, COLLECTED_CHUNK_ROWS, reportWorkTime))
        allRows.push(...chunk);
      return allRows;
    },
    /** Returns the columns of all rows as one array, row by row. @throws ThreadError READ_LIMIT_MEMORY above 64 MB */
    async numbers(
      sql: string,
      parameters: readonly SqlValue[],
      reportWorkTime?: (ms: number) => void,
    ): Promise<Float64Array<ArrayBuffer>> {
      const message = await send({ id: ++nextId, op: 'numbers', sql, parameters });
      if (!('numbers' in message)) return new Float64Array(0);
      reportWorkTime?.(message.ms);
      return message.numbers;
    },
    /**
     * Returns one row, with its column `data` (a BLOB of UTF-8) as bytes.
     * @param mapping JSON text of a mapping that the thread applies to `data`
     * @returns undefined if no row matches
     */
    async content(
      sql: string,
      parameters: readonly SqlValue[],
      mapping: string | null,
    ): Promise<{ content: Uint8Array<ArrayBuffer>; row: Readonly<Record<string, SqlValue>> } | undefined> {
      const message = await send({ id: ++nextId, op: 'content', sql, parameters, mapping });
      if (!('content' in message) || message.content === null) return undefined;
      return { content: message.content, row: message.row };
    },
    /** Executes statements that return no rows. */
    async exec(sql: string): Promise<void> {
      await send({ id: ++nextId, op: 'exec', sql });
    },
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(liveThread?.idleTimer);
      clearTimeout(exitTimer);
      const thread = liveThread?.thread;
      for (const { reject } of queue.splice(0)) reject(new ThreadError('The database thread is closed.', 'CLOSED'));
      if (thread === undefined) return;
      const exit = new Promise((resolve) => thread.once('exit', resolve));
      // Keeps the process alive until the thread has exited.
      thread.ref();
      thread.postMessage({ id: 0, op: 'close' } satisfies ThreadRequest);
      await exit;
    },
  };
};
