import { Worker } from 'node:worker_threads';
import type { Log } from '../../../platform/log.ts';
import { threadEnvironment } from '../../../platform/workers/thread-environment.ts';
import { messageOf } from '../../../wire/values.ts';
import {
  toMessageLine,
  type FunctionHost,
  type FunctionSession,
  type SessionReport,
  type Step,
} from '../runs/function-host.ts';
import type { HostCommand, HostEvent, HostThreadData, StepRequest } from './host-messages.ts';

export type ThreadedHost = FunctionHost & {
  /** Starts the thread, which kills processes of interrupted runs and deletes their files in the background. */
  removeLeftovers(): void;
  close(): Promise<void>;
};

type Run = {
  pendingSteps: Map<number, (step: Step) => void>;
  resolveClose: ((report: SessionReport) => void) | undefined;
};

type HostThread = {
  thread: Worker;
  runs: Map<number, Run>;
  exitPromise: Promise<void>;
  /** Result of each step that the thread did not finish. */
  endedStep: Step;
};

const THREAD_ENDED: Step = { outcome: 'crashed', message: 'the sandbox thread has ended' };
const NO_REPORT: SessionReport = { peakMemoryBytes: undefined, log: [], durationMs: 0 };

const STOPPING: Step = { outcome: 'crashed', message: 'the run did not start because the server is stopping' };
const refusedSession: FunctionSession = {
  configuration: () => Promise.resolve(STOPPING),
  dataBundle: () => Promise.resolve(STOPPING),
  process: () => Promise.resolve(STOPPING),
  close: () => Promise.resolve(NO_REPORT),
};

/**
 * Creates a sandbox host in a worker thread. Forking copies the page tables of the server's memory, which blocks the
 * calling thread for at least 8 ms.
 */
export const createThreadedHost = (options: { folder: string; log: Log }): ThreadedHost => {
  const { folder, log } = options;
  let current: HostThread | undefined;
  let stopPromise: Promise<void> | undefined;
  let lastRun = 0;
  let lastRequestId = 0;

  const startThread = (): HostThread => {
    const workerData: HostThreadData = { folder };
    const thread = new Worker(new URL('./host-thread.ts', import.meta.url), {
      workerData,
      env: threadEnvironment(),
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    const { promise: exitPromise, resolve: resolveExit } = Promise.withResolvers<void>();
    const hostThread: HostThread = { thread, runs: new Map(), exitPromise, endedStep: THREAD_ENDED };
    const failAllRuns = (): void => {
      if (current === hostThread) current = undefined;
      for (const { pendingSteps, resolveClose } of hostThread.runs.values()) {
        for (const resolveStep of pendingSteps.values()) resolveStep(hostThread.endedStep);
        resolveClose?.(NO_REPORT);
      }
      hostThread.runs.clear();
      resolveExit();
    };
    thread.on('message', (message: HostEvent) => {
      switch (message.type) {
        case 'step': {
          const run = hostThread.runs.get(message.run);
          run?.pendingSteps.get(message.requestId)?.(message.step);
          run?.pendingSteps.delete(message.requestId);
          return;
        }
        case 'report':
          hostThread.runs.get(message.run)?.resolveClose?.(message.report);
          hostThread.runs.delete(message.run);
          // An idle thread must not keep the program alive.
          if (hostThread.runs.size === 0) thread.unref();
          return;
        case 'warning':
          log.warn({ problem: message.problem }, message.message);
          return;
        case 'ended':
          void thread.terminate();
      }
    });
    thread.on('error', (error) => {
      log.error({ err: error }, 'sandbox thread failed');
      hostThread.endedStep = { outcome: 'crashed', message: toMessageLine(`the sandbox failed: ${messageOf(error)}`) };
    });
    thread.on('exit', failAllRuns);
    thread.unref();
    return hostThread;
  };

  return {
    open(target, signal) {
      if (stopPromise !== undefined) return refusedSession;
      const run = ++lastRun;
      const hostThread = (current ??= startThread());
      const state: Run = { pendingSteps: new Map(), resolveClose: undefined };
      hostThread.runs.set(run, state);
      hostThread.thread.ref();
      const post = (message: HostCommand): void => hostThread.thread.postMessage(message);
      const isActive = (): boolean => hostThread.runs.get(run) === state;

      const onAbort = (): void => post({ type: 'abort', run });
      post({ type: 'open', run, target, aborted: signal?.aborted === true });
      signal?.addEventListener('abort', onAbort, { once: true });

      const sendStep = (request: StepRequest): Promise<Step> =>
        new Promise((resolve) => {
          if (!isActive()) return resolve(hostThread.endedStep);
          const requestId = ++lastRequestId;
          state.pendingSteps.set(requestId, resolve);
          post({ type: 'step', run, requestId, request });
        });
      let closePromise: Promise<SessionReport> | undefined;
      const close = (): Promise<SessionReport> =>
        new Promise((resolve) => {
          signal?.removeEventListener('abort', onAbort);
          if (!isActive()) return resolve(NO_REPORT);
          state.resolveClose = resolve;
          post({ type: 'close', run });
        });
      return {
        configuration: () => sendStep({ kind: 'configuration' }),
        dataBundle: (window) => sendStep({ kind: 'dataBundle', window }),
        process: (requestText) => sendStep({ kind: 'process', requestText }),
        close: () => (closePromise ??= close()),
      };
    },

    removeLeftovers() {
      if (stopPromise === undefined) current ??= startThread();
    },

    async close() {
      stopPromise ??= (async () => {
        if (current === undefined) return;
        const { thread, exitPromise } = current;
        thread.ref();
        thread.postMessage({ type: 'end' } satisfies HostCommand);
        await exitPromise;
      })();
      await stopPromise;
    },
  };
};
