import { isoTime, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Log } from '../../../platform/log.ts';
import type { RunReason } from '../../../wire/functions.ts';
import { MAX_CONCURRENT_FUNCTION_RUNS } from '../../../wire/limits.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Endpoints } from '../../data/records/service.ts';
import type { Writer } from '../../storage/index.ts';
import type { Execution, RunRequest } from '../runs/execution.ts';
import { createDueTimes, type SchedulerTiming, type ScheduleState } from './due-times.ts';
import { createPendingInputCheck } from './pending-input-check.ts';
import type { ChangeFeedReader } from '../runs/change-feed-reader.ts';
import { createQueue } from './queue.ts';
import type { Runnable, Runner, RunResult } from '../runs/runner.ts';
import { createCycleLogger, emptyRunEnd } from '../runs/cycle-log.ts';
import type { FunctionStore } from '../store.ts';
import { cursorOf, type ScheduleStatus } from '../catalogue/mapping.ts';

/** Decides when functions run. Pending work is derived from event sequence numbers; clocks only determine delays. */
export type Scheduler = {
  /** Marks as crashed the runs that a crash of the server interrupted. Must run before the first request. */
  recover(): Promise<void>;
  start(): void;
  handleResume(): void;
  /** Checks the pending input of a function again, after the function has changed. */
  reconsider(id: string): void;
  /** Cancels a run that is queued or in progress. */
  stop(id: string, reason: string): void;
  /**
   * Runs a function until it has processed all input that was pending when the call began.
   * @throws Failure wrong_state, query_limit_exceeded, or the outcome of a failed or cancelled run
   */
  trigger(id: string, useAll: boolean): Promise<void>;
  /** Runs a function once and stores none of its output. @throws Failure wrong_state or query_limit_exceeded */
  dryRun(
    id: string,
    runnable: Runnable,
    options: { useAll: boolean; send: boolean },
  ): Promise<{ execution: Execution; request: RunRequest }>;
  runQueued<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  scheduleStatusOf(id: string): ScheduleStatus;
  close(): Promise<void>;
};

type State = ScheduleState & {
  /** Incremented by each change that may add input. */
  inputVersion: number;
  /** A pending-input check or a run in progress. */
  activeTask: Promise<void> | undefined;
  isRunning: boolean;
  controller: AbortController | undefined;
};

export const createScheduler = (parts: {
  store: FunctionStore;
  runner: Runner;
  changeFeed: ChangeFeedReader;
  events: EventService;
  endpoints: Pick<Endpoints, 'pathOf'>;
  writer: Writer;
  clock: Clock;
  log: Log;
  timing: SchedulerTiming;
  enabledIds: () => string[];
  /** Returns a function with its host and its approved bundle; undefined if it must not run now. */
  findRunnable: (id: string) => Promise<Runnable | undefined>;
  readsOf: (id: string) => ReadonlySet<string>;
  isOnCycle: (id: string) => boolean;
  isPaused: () => boolean;
}): Scheduler => {
  const { store, runner, events, endpoints, writer, clock, log, timing } = parts;
  const queue = createQueue(MAX_CONCURRENT_FUNCTION_RUNS);
  const { remainingGatherMs, dueOf, scheduleStatusOf } = createDueTimes(parts);
  const { checkPendingInput } = createPendingInputCheck({
    ...parts,
    logStoppedInput: createCycleLogger(parts),
    backoff: timing.backoff,
  });
  const shutdown = new AbortController();
  const states = new Map<string, State>();
  const activeWork = new Set<Promise<unknown>>();
  let timer: NodeJS.Timeout | undefined;
  let isStarted = false;

  const stateOf = (id: string): State => {
    let state = states.get(id);
    if (state === undefined) {
      state = {
        firstEventAt: undefined,
        lastEventAt: 0,
        isInputPending: undefined,
        hasRemainingInput: false,
        inputVersion: 0,
        retryAt: undefined,
        lastStart: undefined,
        activeTask: undefined,
        isRunning: false,
        isQueued: false,
        controller: undefined,
      };
      states.set(id, state);
    }
    return state;
  };

  const runRequestFor = (
    runnable: Runnable,
    options: { useAll: boolean; runOnEmptyInput: boolean; upToEvent: number },
  ): RunRequest => {
    const { row, registered } = runnable;
    const start = row.last_execution === null ? {} : { fromDate: isoTime(row.last_execution) };
    return {
      window: { ...start, untilDate: isoTime(clock.now()) },
      from: cursorOf(row),
      upToEvent: options.upToEvent,
      readAll: options.useAll || registered.reads === 'all',
      alwaysReadsAll: registered.reads === 'all',
      isSingleChain: parts.isOnCycle(row.id),
      runOnEmptyInput: options.runOnEmptyInput,
    };
  };

  /** Runs work in the queue. With an id, the state of that function shows that it is queued, and `stop` cancels it. */
  const runQueued = async <T>(id: string | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const state = id === undefined ? undefined : stateOf(id);
    const controller = new AbortController();
    if (state !== undefined) state.controller = controller;
    const signal = AbortSignal.any([controller.signal, shutdown.signal]);
    const { isQueued, result } = queue.run(async () => {
      if (state !== undefined) state.isQueued = false;
      return work(signal);
    });
    if (state !== undefined) state.isQueued = isQueued;
    activeWork.add(result);
    try {
      return await result;
    } finally {
      activeWork.delete(result);
      if (state !== undefined) {
        state.isQueued = false;
        state.controller = undefined;
      }
    }
  };

  const runOnce = async (
    id: string,
    reason: RunReason,
    options: { useAll: boolean; runOnEmptyInput: boolean; upToEvent: number },
  ): Promise<RunResult> => {
    const state = stateOf(id);
    state.isRunning = true;
    state.firstEventAt = undefined;
    state.isInputPending = undefined;
    try {
      return await runQueued(id, async (signal): Promise<RunResult> => {
        // Permissions may have changed while the run was queued.
        const runnable = await parts.findRunnable(id);
        if (runnable === undefined || signal.aborted || parts.isPaused()) return { kind: 'cancelled' };
        state.lastStart = { wall: clock.now(), counter: timing.counter() };
        return runner.run(runnable, runRequestFor(runnable, options), reason, signal);
      });
    } finally {
      state.isRunning = false;
      state.retryAt = undefined;
    }
  };

  const updateAfterRun = (state: State, result: RunResult): void => {
    // Events that arrived during the run still have to be checked.
    state.isInputPending = result.kind === 'done' && result.hasMore ? true : undefined;
    // A cancelled run processed nothing.
    if (result.kind !== 'cancelled') state.hasRemainingInput = result.kind === 'done' && result.hasMore;
  };

  const evaluate = async (id: string): Promise<void> => {
    const state = stateOf(id);
    const { inputVersion } = state;
    const isInputPending = state.isInputPending ?? (await checkPendingInput(id, shutdown.signal));
    if (!isInputPending) {
      // The check may have missed input that arrived while it stored a cursor.
      const isCurrent = state.inputVersion === inputVersion;
      if (isCurrent) state.firstEventAt = undefined;
      state.isInputPending = isCurrent ? false : undefined;
      return;
    }
    state.isInputPending = true;
    const due = dueOf(id, state);
    if (due === undefined || due.ms > 0 || parts.isPaused()) return;
    if ((await parts.findRunnable(id)) === undefined) {
      // The function is checked again when it changes or new input arrives.
      state.isInputPending = false;
      return;
    }
    // Include events that arrived during the check.
    const upToEvent = events.readNewestSeq();
    updateAfterRun(state, await runOnce(id, due.reason, { useAll: false, runOnEmptyInput: false, upToEvent }));
  };

  const startEvaluation = (id: string): void => {
    const state = stateOf(id);
    if (state.activeTask !== undefined || shutdown.signal.aborted) return;
    state.activeTask = evaluate(id)
      .catch((error: unknown) => {
        log.warn({ err: error, function: id }, 'the pending-input check or run of a function failed');
        state.isInputPending = undefined;
        // If the failure could not be stored, for example on a full disk, there is no back-off. An assumed event in the
        // future delays the next attempt instead.
        state.firstEventAt = timing.counter() + timing.pollMs;
        state.lastEventAt = state.firstEventAt;
      })
      .finally(() => {
        state.activeTask = undefined;
        scheduleNext();
      });
  };

  /** Starts the evaluation of all due functions. Returns the milliseconds until the next call, at most `pollMs`. */
  const runDue = (): number => {
    let next = timing.pollMs;
    for (const id of parts.enabledIds()) {
      const state = stateOf(id);
      if (state.activeTask !== undefined) continue;
      if (state.isInputPending === false) continue;
      const due = dueOf(id, state);
      // Functions that run only manually are checked too, because the dashboard shows their pending input.
      const dueMs = due?.ms ?? next;
      const ms = state.isInputPending === undefined ? Math.min(remainingGatherMs(state), dueMs) : dueMs;
      if (ms <= 0) startEvaluation(id);
      else next = Math.min(next, ms);
    }
    return next;
  };

  const scheduleNext = (): void => {
    if (!isStarted || shutdown.signal.aborted || parts.isPaused()) return;
    let next = timing.pollMs;
    try {
      next = runDue();
    } catch (error) {
      // An unhandled error in this background task would end the server.
      log.warn({ err: error }, 'due functions could not be determined; will check again');
    }
    clearTimeout(timer);
    timer = setTimeout(scheduleNext, Math.max(1, next));
    timer.unref();
  };

  const stopListening = events.listen((changes) => {
    if (!isStarted) return;
    const paths = new Set<string>();
    for (const { kind, endpoint } of changes) {
      const path = kind === 'deleted' ? undefined : endpoints.pathOf(endpoint);
      if (path !== undefined) paths.add(path);
    }
    if (paths.size === 0) return;
    const counter = timing.counter();
    let needsScheduling = false;
    for (const id of parts.enabledIds()) {
      const reads = parts.readsOf(id);
      if (![...paths].some((path) => reads.has(path))) continue;
      const state = stateOf(id);
      // The timer of the first event also covers later events: when it fires, it recalculates the wait.
      needsScheduling ||= state.firstEventAt === undefined || state.isInputPending === false;
      state.inputVersion += 1;
      state.firstEventAt ??= counter;
      state.lastEventAt = counter;
      if (state.isInputPending === false) state.isInputPending = undefined;
    }
    if (needsScheduling) scheduleNext();
  });

  const throwIfPaused = (): void => {
    if (parts.isPaused()) throw new Failure('wrong_state', 'Functions are paused. Resume them first.');
  };

  /**
   * Waits until the function is idle, and starts the work in the same turn of the event loop as the last check that no
   * run is in progress. If several callers wait, all but one are therefore rejected.
   */
  const runWhenIdle = async <T>(id: string, start: (state: State) => Promise<T>): Promise<T> => {
    const state = stateOf(id);
    const throwIfRunning = (): void => {
      if (state.isRunning) throw new Failure('wrong_state', 'This function is already running.');
    };
    throwIfRunning();
    // Wait for the pending-input check, which ends soon or starts a run.
    while (state.activeTask !== undefined && !state.isRunning)
      await Promise.race([state.activeTask, new Promise(setImmediate)]);
    throwIfRunning();
    const work = start(state);
    const release = (): void => {
      state.activeTask = undefined;
      scheduleNext();
    };
    state.activeTask = work.then(release, release);
    return work;
  };

  return {
    async recover() {
      const interruptedRuns = store.unfinishedRuns();
      if (interruptedRuns.length === 0) return;
      await writer.write((tx) => {
        for (const { id, function: functionId, chain } of interruptedRuns) {
          store.endRun(tx, {
            ...emptyRunEnd(id, chain),
            finished: clock.now(),
            outcome: 'crashed',
            message: 'The server crashed during the run.',
          });
          store.fail(tx, functionId, events.readNewestSeq());
        }
      });
    },

    start() {
      isStarted = true;
      scheduleNext();
    },

    handleResume: scheduleNext,

    reconsider(id) {
      const state = stateOf(id);
      state.inputVersion += 1;
      state.isInputPending = undefined;
      state.retryAt = undefined;
      scheduleNext();
    },

    stop(id, reason) {
      states.get(id)?.controller?.abort(reason);
    },

    trigger: (id, useAll) =>
      runWhenIdle(id, async (state) => {
        throwIfPaused();
        const upToEvent = events.readNewestSeq();
        for (let runOnEmptyInput = true; ; runOnEmptyInput = false) {
          const result = await runOnce(id, 'manual', { useAll, runOnEmptyInput, upToEvent });
          updateAfterRun(state, result);
          if (result.kind === 'failed') throw new Failure(result.outcome, result.message || 'The function failed.');
          if (result.kind === 'cancelled') {
            throwIfPaused();
            throw new Failure('crashed', 'The run was cancelled.');
          }
          if (result.kind === 'empty' || !result.hasMore) return;
        }
      }),

    dryRun: (id, runnable, options) =>
      runWhenIdle(id, async (state) => {
        // A dry run that does not send the input to the function is a preview and works during a pause.
        if (options.send) throwIfPaused();
        state.isRunning = true;
        try {
          const upToEvent = events.readNewestSeq();
          const request = runRequestFor(runnable, { useAll: options.useAll, runOnEmptyInput: true, upToEvent });
          const execution = await runQueued(id, async (signal) => {
            // A pause may have begun while the dry run was queued.
            if (options.send) throwIfPaused();
            return runner.dryRun(runnable, request, options.send, signal);
          });
          return { execution, request };
        } finally {
          state.isRunning = false;
        }
      }),

    runQueued: (work) => runQueued(undefined, work),
    scheduleStatusOf: (id) => scheduleStatusOf(id, states.get(id)),

    async close() {
      isStarted = false;
      stopListening();
      clearTimeout(timer);
      shutdown.abort('The server was stopped during the run.');
      await Promise.allSettled([...activeWork, ...[...states.values()].map(({ activeTask }) => activeTask)]);
    },
  };
};
