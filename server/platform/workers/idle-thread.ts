import { parentPort, Worker, type ResourceLimits, type Transferable } from 'node:worker_threads';
import { asError, codeOf, messageOf } from '../../wire/values.ts';
import { threadEnvironment } from './thread-environment.ts';

type ThreadRequest<Request> = { id: number; request: Request };
type Reply<Result> = { id: number } & ({ result: Result } | { error: string; code: string });

/** Lease of a thread. The idle time does not begin before all leases are released. */
export type ThreadLease<Request, Result> = {
  /** @throws the error of the thread, with its code, or an error that states that the thread has stopped */
  send(request: Request, transfer?: Transferable[]): Promise<Result>;
  release(): void;
};

/** Code of the error for requests to a thread that ended before it was ready, for example because memory ran out. */
export const THREAD_START_FAILED = 'THREAD_START_FAILED';
/** ID of the message that reports that the thread serves requests. The IDs of requests begin at 1. */
const READY_ID = 0;
const BUFFER_CHECK_MS = 100;

/**
 * Creates a worker thread that starts with the first lease and stops after an idle time, which frees its memory.
 * @param parts.buffersMaxBytes limit on the memory of array buffers, which `resourceLimits` do not cover
 */
export const createIdleThread = <Request, Result>(parts: {
  file: URL;
  idleMs: number;
  exitMessage: string;
  resourceLimits?: ResourceLimits;
  buffersMaxBytes?: number;
}) => {
  const { file, idleMs, exitMessage, resourceLimits = {}, buffersMaxBytes } = parts;
  type RunningThread = {
    thread: Worker;
    pendingRequests: Map<number, PromiseWithResolvers<Result>>;
    leases: number;
    idleTimer: NodeJS.Timeout | undefined;
  };
  let runningThread: RunningThread | undefined;
  let lastId = 0;

  const start = (): RunningThread => {
    const thread = new Worker(file, { env: threadEnvironment(), resourceLimits });
    const newThread: RunningThread = { thread, pendingRequests: new Map(), leases: 0, idleTimer: undefined };
    let exitReason = exitMessage;
    let isReady = false;
    let isChecking = false;
    const checkBuffers = async (maxBytes: number): Promise<void> => {
      if (isChecking || newThread.pendingRequests.size === 0) return;
      isChecking = true;
      try {
        const { external_memory: bytes } = await thread.getHeapStatistics();
        if (bytes <= maxBytes) return;
        exitReason = `${exitMessage}: its buffers needed too much memory`;
        await thread.terminate();
      } catch {
        // The thread has ended in the meantime.
      } finally {
        isChecking = false;
      }
    };
    const bufferTimer =
      buffersMaxBytes === undefined
        ? undefined
        : setInterval(() => void checkBuffers(buffersMaxBytes), BUFFER_CHECK_MS).unref();
    const fail = (error: Error): void => {
      if (runningThread === newThread) runningThread = undefined;
      const failure = isReady ? error : Object.assign(error, { code: THREAD_START_FAILED });
      for (const { reject } of newThread.pendingRequests.values()) reject(failure);
      newThread.pendingRequests.clear();
    };
    thread.on('message', (reply: Reply<Result>) => {
      isReady = true;
      if (reply.id === READY_ID) return;
      const request = newThread.pendingRequests.get(reply.id);
      newThread.pendingRequests.delete(reply.id);
      if (newThread.pendingRequests.size === 0) thread.unref();
      if ('error' in reply) request?.reject(Object.assign(new Error(reply.error), { code: reply.code }));
      else request?.resolve(reply.result);
    });
    thread.on('error', (error: unknown) => fail(asError(error)));
    thread.on('exit', () => {
      clearInterval(bufferTimer);
      fail(new Error(exitReason));
    });
    thread.unref();
    return newThread;
  };

  const stop = (endingThread: RunningThread): Promise<unknown> => {
    if (runningThread === endingThread) runningThread = undefined;
    clearTimeout(endingThread.idleTimer);
    return endingThread.thread.terminate();
  };

  const lease = (): ThreadLease<Request, Result> => {
    const leasedThread = (runningThread ??= start());
    leasedThread.leases += 1;
    clearTimeout(leasedThread.idleTimer);
    let isReleased = false;
    return {
      send(request, transfer = []) {
        if (runningThread !== leasedThread) return Promise.reject(new Error(exitMessage));
        const reply = Promise.withResolvers<Result>();
        lastId += 1;
        leasedThread.pendingRequests.set(lastId, reply);
        // Only a working thread keeps the process alive.
        leasedThread.thread.ref();
        leasedThread.thread.postMessage({ id: lastId, request } satisfies ThreadRequest<Request>, transfer);
        return reply.promise;
      },
      release() {
        if (isReleased) return;
        isReleased = true;
        leasedThread.leases -= 1;
        if (leasedThread.leases === 0)
          leasedThread.idleTimer = setTimeout(() => void stop(leasedThread), idleMs).unref();
      },
    };
  };

  return {
    lease,
    async send(request: Request): Promise<Result> {
      const { send, release } = lease();
      try {
        return await send(request);
      } finally {
        release();
      }
    },
    async close(): Promise<void> {
      if (runningThread !== undefined) await stop(runningThread);
    },
  };
};

/** Handles the requests of `createIdleThread` concurrently. Call it in the thread. */
export const serveRequests = (handle: (request: never) => unknown): void => {
  const port = parentPort;
  if (port === null) throw new Error('serveRequests must run in a worker thread');
  const respond = async ({ id, request }: ThreadRequest<never>): Promise<Reply<unknown>> => {
    try {
      return { id, result: await handle(request) };
    } catch (error) {
      return { id, error: messageOf(error), code: codeOf(error) };
    }
  };
  port.on('message', (message: ThreadRequest<never>) => void respond(message).then((reply) => port.postMessage(reply)));
  port.postMessage({ id: READY_ID, result: undefined } satisfies Reply<undefined>);
};
