import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../../../platform/workers/thread-environment.ts';
import type { FromThread, SqlValue, ThreadData, ToThread } from './messages.ts';

export type { SqlValue } from './messages.ts';

/** A database thread as the rest of the server sees it. Started at its first use. */
export type DatabaseThread = {
  /** Rows in chunks; the thread waits until a chunk was taken. Leaving the loop early stops the query. */
  rows<Row>(sql: string, parameters: readonly SqlValue[], chunk?: number): AsyncGenerator<Row[], void>;
  /** @param worked hears how many milliseconds the query took by itself, however long it waited for others */
  all<Row>(sql: string, parameters?: readonly SqlValue[], worked?: (ms: number) => void): Promise<Row[]>;
  /** All columns of all rows as plain numbers, row after row. @throws ThreadError READ_LIMIT_MEMORY when they are more than 64 MB */
  numbers(
    sql: string,
    parameters: readonly SqlValue[],
    worked?: (ms: number) => void,
  ): Promise<Float64Array<ArrayBuffer>>;
  /**
   * One row, its column `data` (a BLOB of UTF-8) as bytes.
   * @param mapping JSON text of a mapping that the thread applies to it
   * @returns undefined when there is no such row
   */
  content(
    sql: string,
    parameters: readonly SqlValue[],
    mapping: string | null,
  ): Promise<{ content: Uint8Array<ArrayBuffer>; row: Readonly<Record<string, SqlValue>> } | undefined>;
  exec(sql: string): Promise<void>;
  close(): Promise<void>;
};

type Request = {
  message: ToThread;
  resolve: (message: FromThread) => void;
  reject: (error: Error) => void;
};

const asThreadError = (error: unknown): Error => {
  if (!(error instanceof Error)) return new Error(String(error));
  const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory ? new ThreadError('the read needs more memory than allowed', 'READ_LIMIT_MEMORY') : error;
};

/**
 * Megabytes of JavaScript values that a thread may hold. What one read may take is bounded before it is taken (queries/read-budget.ts);
 * this is the second line.
 */
const THREAD_HEAP_MAX_MB = 256;

/** Milliseconds past its deadline after which a request that did not end by itself is ended with its thread. */
const DEADLINE_GRACE_MS = 2000;

/** Rows in one message. */
const CHUNK = 500;

export class ThreadError extends Error {
  readonly code: string;
  constructor(text: string, code: string) {
    super(text);
    this.code = code;
  }
}

/**
 * A running thread. It works on one request at a time; the others wait here, so that they outlive the thread when the one before them
 * has to be ended together with it.
 */
type Live = {
  thread: Worker;
  /** Row queries that are read chunk by chunk. */
  open: number;
  idle: NodeJS.Timeout | undefined;
};

/** Milliseconds after which a thread that nobody uses ends and gives its memory back. */
const IDLE_MS = 10_000;

/** Milliseconds that a new thread waits for the end of the one that it replaces. SQLite cannot be interrupted in the middle of a row. */
const REPLACEMENT_WAIT_MS = 10_000;

export const createThread = (data: ThreadData): DatabaseThread => {
  let live: Live | undefined;
  /** The thread that is replaced before the next request. */
  let outgrown: Live | undefined;
  /** Runs while a replaced thread is about to end. */
  let leaving: NodeJS.Timeout | undefined;
  let current: { request: Request; timer: NodeJS.Timeout | undefined } | undefined;
  const queue: Request[] = [];
  let nextId = 0;
  let closed = false;

  /** Ends the request that runs, in whichever way. */
  const finish = (): Request | undefined => {
    const ended = current?.request;
    clearTimeout(current?.timer);
    current = undefined;
    return ended;
  };

  const start = (): Live => {
    const thread = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: data,
      env: threadEnvironment(),
      // Room for a chunk of rows. By default each thread may keep far more for what is short-lived.
      resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: THREAD_HEAP_MAX_MB },
    });
    const started: Live = { thread, open: 0, idle: undefined };
    /** Fails the request that runs. Those that wait get a new thread. */
    const onEnd = (error: Error): void => {
      if (live !== started) return;
      live = undefined;
      finish()?.reject(error);
      next();
    };
    thread.on('message', (message: FromThread) => {
      if (live !== started) return;
      if ('isLarge' in message) {
        outgrown = started;
        if (current === undefined) next();
        return;
      }
      if (current?.request.message.id !== message.id) return;
      const request = finish();
      if ('error' in message) request?.reject(new ThreadError(message.error, message.code));
      else request?.resolve(message);
      next();
    });
    thread.on('error', (error: unknown) => onEnd(asThreadError(error)));
    thread.on('exit', () => onEnd(new ThreadError('the database thread ended', 'ENDED')));
    // An idle thread must not keep the program from ending.
    thread.unref();
    return started;
  };

  /** Takes a thread out of use. The next one starts when it has ended: two together would hold twice the memory that one may. */
  const replace = ({ thread, idle }: Live): void => {
    live = undefined;
    clearTimeout(idle);
    const onGone = (): void => {
      clearTimeout(leaving);
      leaving = undefined;
      if (!closed) next();
    };
    leaving = setTimeout(() => {
      thread.off('exit', onGone);
      onGone();
    }, REPLACEMENT_WAIT_MS);
    thread.once('exit', onGone);
  };

  const closeThread = (used: Live): void => {
    replace(used);
    used.thread.postMessage({ id: 0, op: 'close' } satisfies ToThread);
  };

  /** The thread hangs in one row, or in the sorting of many: nothing but its end gets it out. */
  const endAtDeadline = (used: Live): void => {
    if (live !== used) return;
    replace(used);
    void used.thread.terminate();
    finish()?.reject(new ThreadError('the read took longer than allowed', 'READ_LIMIT_TIME'));
  };

  const next = (): void => {
    if (current !== undefined) return;
    if (outgrown !== undefined && outgrown === live && outgrown.open === 0) closeThread(outgrown);
    if (leaving !== undefined) return;
    const request = queue.shift();
    if (request === undefined) return rest();
    const used = (live ??= start());
    clearTimeout(used.idle);
    const timer =
      data.deadlineMs === undefined
        ? undefined
        : setTimeout(() => endAtDeadline(used), data.deadlineMs + DEADLINE_GRACE_MS);
    current = { request, timer };
    used.thread.ref();
    used.thread.postMessage(request.message);
  };

  /** Lets a thread end when nobody has used it for a while. */
  const rest = (): void => {
    const used = live;
    if (used === undefined || closed) return;
    used.thread.unref();
    clearTimeout(used.idle);
    if (used.open > 0) return;
    used.idle = setTimeout(() => {
      if (live === used) closeThread(used);
    }, IDLE_MS).unref();
  };

  const ask = (message: ToThread): Promise<FromThread> => {
    if (closed) return Promise.reject(new ThreadError('the store is closed', 'CLOSED'));
    return new Promise((resolve, reject) => {
      queue.push({ message, resolve, reject });
      next();
    });
  };

  async function* rows<Row>(
    sql: string,
    parameters: readonly SqlValue[],
    chunk = CHUNK,
    worked: (ms: number) => void = () => undefined,
  ): AsyncGenerator<Row[], void> {
    const id = ++nextId;
    let finished = false;
    let used: Live | undefined;
    try {
      let message = await ask({ id, op: 'rows', sql, parameters, chunk });
      used = live;
      if (used !== undefined) used.open += 1;
      for (;;) {
        if (!('rows' in message)) return;
        finished = message.done;
        if (finished) worked(message.ms);
        if (message.rows.length > 0) yield message.rows as Row[];
        if (finished) return;
        message = await ask({ id, op: 'more' });
      }
    } finally {
      if (!finished) used?.thread.postMessage({ id, op: 'stop' } satisfies ToThread);
      if (used !== undefined) {
        used.open -= 1;
        if (current === undefined) rest();
      }
    }
  }

  return {
    rows,
    async all<Row>(sql: string, parameters: readonly SqlValue[] = [], worked?: (ms: number) => void): Promise<Row[]> {
      const result: Row[] = [];
      for await (const chunk of rows<Row>(sql, parameters, 5000, worked)) result.push(...chunk);
      return result;
    },
    async numbers(sql, parameters, worked) {
      const message = await ask({ id: ++nextId, op: 'numbers', sql, parameters });
      if (!('numbers' in message)) return new Float64Array(0);
      worked?.(message.ms);
      return message.numbers;
    },
    async content(sql, parameters, mapping) {
      const message = await ask({ id: ++nextId, op: 'content', sql, parameters, mapping });
      if (!('content' in message) || message.content === null) return undefined;
      return { content: message.content, row: message.row };
    },
    async exec(sql) {
      await ask({ id: ++nextId, op: 'exec', sql });
    },
    async close() {
      closed = true;
      clearTimeout(live?.idle);
      clearTimeout(leaving);
      const thread = live?.thread;
      for (const { reject } of queue.splice(0)) reject(new ThreadError('the store is closed', 'CLOSED'));
      if (thread === undefined) return;
      const gone = new Promise((resolve) => thread.once('exit', resolve));
      // Waited for, so it counts: with nothing else to do the program would end in the middle of this wait.
      thread.ref();
      thread.postMessage({ id: 0, op: 'close' } satisfies ToThread);
      await gone;
    },
  };
};
