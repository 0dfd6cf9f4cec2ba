import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../../platform/thread-environment.ts';
import type { FromThread, SqlValue, ThreadData, ToThread } from './thread-messages.ts';

export type { SqlValue } from './thread-messages.ts';

/** A database thread as the rest of the server sees it. Started at its first use. */
export type DatabaseThread = {
  /** Rows in chunks; the thread waits until a chunk was taken. Leaving the loop early stops the query. */
  rows<Row>(sql: string, parameters: readonly SqlValue[], chunk?: number): AsyncGenerator<Row[], void>;
  /** @param worked hears how many milliseconds the query took by itself, however long it waited for others */
  all<Row>(sql: string, parameters?: readonly SqlValue[], worked?: (ms: number) => void): Promise<Row[]>;
  /** All columns of all rows as plain numbers, row after row. */
  numbers(sql: string, parameters: readonly SqlValue[]): Promise<Float64Array<ArrayBuffer>>;
  exec(sql: string): Promise<void>;
  close(): Promise<void>;
};

type Waiting = { resolve: (message: FromThread) => void; reject: (error: Error) => void };

/** Rows in one message. */
const CHUNK = 500;

export class ThreadError extends Error {
  readonly code: string;
  constructor(text: string, code: string) {
    super(text);
    this.code = code;
  }
}

/** A thread that runs, and who waits for its answers. */
type Live = { thread: Worker; waiting: Map<number, Waiting>; open: number; idle: NodeJS.Timeout | undefined };

/** Milliseconds after which a thread that nobody uses ends and gives its memory back. */
const IDLE_MS = 10_000;

export const createThread = (data: ThreadData): DatabaseThread => {
  let live: Live | undefined;
  let nextId = 0;
  let closed = false;

  const start = (): Live => {
    const thread = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: data,
      env: threadEnvironment(),
      // Room for a chunk of rows. By default each thread may keep far more for what is short-lived.
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    const waiting = new Map<number, Waiting>();
    const made: Live = { thread, waiting, open: 0, idle: undefined };
    /** Whoever asks from now on gets a new thread; whoever waits for this one is told. */
    const giveUp = (error: Error): void => {
      if (live === made) live = undefined;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    };
    thread.on('message', (message: FromThread) => {
      const entry = waiting.get(message.id);
      waiting.delete(message.id);
      if (entry === undefined) return;
      if ('error' in message) entry.reject(new ThreadError(message.error, message.code));
      else entry.resolve(message);
    });
    thread.on('error', (error: unknown) => giveUp(error instanceof Error ? error : new Error(String(error))));
    thread.on('exit', () => giveUp(new ThreadError('the database thread ended', 'ENDED')));
    // An idle thread must not keep the program from ending.
    thread.unref();
    return made;
  };

  /** Lets a thread end when nobody has used it for a while. */
  const rest = (made: Live): void => {
    clearTimeout(made.idle);
    if (closed || made.open > 0 || made.waiting.size > 0) return;
    made.idle = setTimeout(() => {
      if (live !== made) return;
      live = undefined;
      made.thread.postMessage({ id: 0, op: 'close' } satisfies ToThread);
    }, IDLE_MS).unref();
  };

  const ask = async (message: ToThread): Promise<FromThread> => {
    if (closed) throw new ThreadError('the store is closed', 'CLOSED');
    const used = (live ??= start());
    const { thread, waiting } = used;
    clearTimeout(used.idle);
    try {
      return await new Promise((resolve, reject) => {
        waiting.set(message.id, { resolve, reject });
        thread.ref();
        thread.postMessage(message);
      });
    } finally {
      if (waiting.size === 0 && !closed) thread.unref();
      rest(used);
    }
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
      const first = ask({ id, op: 'rows', sql, parameters, chunk });
      used = live;
      if (used !== undefined) used.open += 1;
      let message = await first;
      for (;;) {
        if (!('rows' in message)) return;
        finished = message.done;
        if (finished) worked(message.ms);
        if (message.rows.length > 0) yield message.rows as Row[];
        if (finished) return;
        message = await ask({ id, op: 'more' });
      }
    } finally {
      if (!finished) live?.thread.postMessage({ id, op: 'stop' } satisfies ToThread);
      if (used !== undefined) {
        used.open -= 1;
        rest(used);
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
    async numbers(sql, parameters) {
      const message = await ask({ id: ++nextId, op: 'numbers', sql, parameters });
      return 'numbers' in message ? message.numbers : new Float64Array(0);
    },
    async exec(sql) {
      await ask({ id: ++nextId, op: 'exec', sql });
    },
    async close() {
      closed = true;
      clearTimeout(live?.idle);
      const thread = live?.thread;
      if (thread === undefined) return;
      const gone = new Promise((resolve) => thread.once('exit', resolve));
      // Waited for, so it counts: with nothing else to do the program would end in the middle of this wait.
      thread.ref();
      thread.postMessage({ id: 0, op: 'close' } satisfies ToThread);
      await gone;
    },
  };
};
