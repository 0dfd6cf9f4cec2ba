import { Worker } from 'node:worker_threads';
import type { Log } from '../../../platform/log.ts';
import { threadEnvironment } from '../../../platform/workers/thread-environment.ts';
import type { FunctionHost, FunctionSession, SessionReport, Step } from '../runs/function-host.ts';
import type { FromHost, HostThreadData, Question, ToHost } from './host-messages.ts';

export type ThreadedHost = FunctionHost & {
  /** Ends all runs and waits until nothing of them is left. */
  close(): Promise<void>;
};

type Run = {
  asked: Map<number, (step: Step) => void>;
  closed: ((report: SessionReport) => void) | undefined;
};

/** One thread and the runs that it looks after. */
type Live = { thread: Worker; runs: Map<number, Run>; ended: Promise<void> };

const GONE: Step = { outcome: 'crashed', message: 'the thread that watches over functions has ended' };
const NO_REPORT: SessionReport = { peakMemoryBytes: undefined, log: [], durationMs: 0 };

const STOPPING: Step = { outcome: 'crashed', message: 'the run was ended because the server is stopping' };
/** A run that is not begun any more. */
const refused: FunctionSession = {
  configuration: () => Promise.resolve(STOPPING),
  dataBundle: () => Promise.resolve(STOPPING),
  process: () => Promise.resolve(STOPPING),
  close: () => Promise.resolve(NO_REPORT),
};

/**
 * Host of installed functions in a worker thread. Forking copies the page tables of the server's memory, which blocks the
 * calling thread for 8 ms and more.
 */
export const createThreadedHost = (options: { folder: string; log: Log }): ThreadedHost => {
  const { folder, log } = options;
  let live: Live | undefined;
  let stopping: Promise<void> | undefined;
  let lastRun = 0;
  let lastAsk = 0;

  const begin = (): Live => {
    const workerData: HostThreadData = { folder };
    const thread = new Worker(new URL('./host-thread.ts', import.meta.url), {
      workerData,
      env: threadEnvironment(),
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    });
    let end: () => void = () => undefined;
    const made: Live = { thread, runs: new Map(), ended: new Promise((resolve) => (end = resolve)) };
    const giveUp = (): void => {
      if (live === made) live = undefined;
      for (const { asked, closed } of made.runs.values()) {
        for (const answer of asked.values()) answer(GONE);
        closed?.(NO_REPORT);
      }
      made.runs.clear();
      end();
    };
    thread.on('message', (message: FromHost) => {
      switch (message.from) {
        case 'step': {
          const run = made.runs.get(message.run);
          run?.asked.get(message.ask)?.(message.step);
          run?.asked.delete(message.ask);
          return;
        }
        case 'report':
          made.runs.get(message.run)?.closed?.(message.report);
          made.runs.delete(message.run);
          // With nothing to wait for, the thread keeps no program from its end.
          if (made.runs.size === 0) thread.unref();
          return;
        case 'warning':
          log.warn({ problem: message.problem }, message.message);
          return;
        case 'ended':
          void thread.terminate();
      }
    });
    thread.on('error', (error) => log.error({ err: error }, 'the thread that watches over functions broke'));
    thread.on('exit', giveUp);
    thread.unref();
    return made;
  };

  return {
    open(target, signal) {
      if (stopping !== undefined) return refused;
      const run = ++lastRun;
      const used = (live ??= begin());
      const state: Run = { asked: new Map(), closed: undefined };
      used.runs.set(run, state);
      used.thread.ref();
      const say = (message: ToHost): void => used.thread.postMessage(message);
      const isHere = (): boolean => used.runs.get(run) === state;

      const onAbort = (): void => say({ to: 'abort', run });
      say({ to: 'open', run, target, aborted: signal?.aborted === true });
      signal?.addEventListener('abort', onAbort, { once: true });

      const ask = (question: Question): Promise<Step> =>
        new Promise((resolve) => {
          if (!isHere()) return resolve(GONE);
          const number = ++lastAsk;
          state.asked.set(number, resolve);
          say({ to: 'ask', run, ask: number, question });
        });
      let closing: Promise<SessionReport> | undefined;
      const close = (): Promise<SessionReport> =>
        new Promise((resolve) => {
          signal?.removeEventListener('abort', onAbort);
          if (!isHere()) return resolve(NO_REPORT);
          state.closed = resolve;
          say({ to: 'close', run });
        });
      const session: FunctionSession = {
        configuration: () => ask({ kind: 'configuration' }),
        dataBundle: (window) => ask({ kind: 'dataBundle', window }),
        process: (requestText) => ask({ kind: 'process', requestText }),
        close: () => (closing ??= close()),
      };
      return session;
    },

    async close() {
      stopping ??= (async () => {
        if (live === undefined) return;
        const { thread, ended } = live;
        thread.ref();
        const message: ToHost = { to: 'end' };
        thread.postMessage(message);
        await ended;
      })();
      await stopping;
    },
  };
};
