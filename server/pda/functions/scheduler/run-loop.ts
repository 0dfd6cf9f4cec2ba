import { isoTime, type Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Log } from '../../../platform/log.ts';
import type { RunReason } from '../../../wire/functions.ts';
import { MAX_CONCURRENT_FUNCTION_RUNS } from '../../../wire/limits.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Endpoints } from '../../data/records/service.ts';
import type { Writer } from '../../storage/index.ts';
import type { Attempt, Order } from '../runs/execution.ts';
import { createDueTimes, type Pace, type Timing } from './due-times.ts';
import { createLooks } from './pending-input-check.ts';
import type { Pending } from '../runs/change-feed-reader.ts';
import { createQueue } from './queue.ts';
import type { Runnable, Runner, RunResult } from '../runs/runner.ts';
import { createStoppedNotes, nothingOf } from '../runs/cycle-log.ts';
import type { FunctionStore } from '../store.ts';
import { cursorOf, type Prospect } from '../catalogue/mapping.ts';

/** When functions run. What there is to do is read from the numbers of events; clocks only say how long to wait. */

export type Engine = {
  /** Ends in the history what a stop of the server broke off. Before anything is served. */
  recover(): Promise<void>;
  start(): void;
  /** They were paused, and are no more. */
  resumed(): void;
  /** Something about this function is not as it was: enabled, disabled, installed, removed. */
  reconsider(id: string): void;
  /** Breaks off what runs. */
  stop(id: string, why: string): void;
  /** Runs it now, over all that came. Resolves when that has ended. @throws Failure wrong_state, or the outcome */
  trigger(id: string, useAll: boolean): Promise<void>;
  /** @throws Failure wrong_state */
  dryRun(
    id: string,
    subject: Runnable,
    how: { useAll: boolean; send: boolean },
  ): Promise<{ tried: Attempt; order: Order }>;
  /** Any other work with a function, in the same line. */
  inLine<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  prospectOf(id: string): Prospect;
  close(): Promise<void>;
};

type State = Timing & {
  /** A pending-input check or a run in progress. */
  busy: Promise<void> | undefined;
  running: boolean;
  controller: AbortController | undefined;
};

const STOPPING = 'The server was stopped while it ran.';
const KILLED = 'The server ended while it ran.';
const PAUSED = 'Functions are paused. Resume them first. Nothing was run.';

export type EngineParts = {
  store: FunctionStore;
  /** Loaded when something runs. */
  runner: Runner;
  pending: Pending;
  events: EventService;
  endpoints: Pick<Endpoints, 'pathOf'>;
  writer: Writer;
  clock: Clock;
  log: Log;
  pace: Pace;
  /** Ids of those that are enabled. */
  enabled: () => string[];
  /** undefined: it is not to be run now. */
  runnable: (id: string) => Promise<Runnable | undefined>;
  /** What an enabled one reads. */
  readsOf: (id: string) => ReadonlySet<string>;
  /** Whether what it stores can come back to it. */
  isOnCycle: (id: string) => boolean;
  /** Whether the owner has paused all of them: none begins then. */
  isPaused: () => boolean;
};

export const createEngine = (parts: EngineParts): Engine => {
  const { store, runner, events, endpoints, writer, clock, log, pace } = parts;
  const queue = createQueue(MAX_CONCURRENT_FUNCTION_RUNS);
  const { gatherLeft, untilDue, prospectOf } = createDueTimes(parts);
  const { look } = createLooks({ ...parts, noteStopped: createStoppedNotes(parts), backoff: pace.backoff });
  const closing = new AbortController();
  const states = new Map<string, State>();
  const underWay = new Set<Promise<unknown>>();
  let timer: NodeJS.Timeout | undefined;
  let started = false;

  const stateOf = (id: string): State => {
    let state = states.get(id);
    if (state === undefined) {
      state = {
        since: undefined,
        last: 0,
        waiting: undefined,
        retryAt: undefined,
        begun: undefined,
        busy: undefined,
        running: false,
        queued: false,
        controller: undefined,
      };
      states.set(id, state);
    }
    return state;
  };

  const orderOf = (what: Runnable, how: { useAll: boolean; always: boolean; upToEvent: number }): Order => {
    const { row, registered } = what;
    const from = row.last_execution === null ? {} : { fromDate: isoTime(row.last_execution) };
    return {
      window: { ...from, untilDate: isoTime(clock.now()) },
      from: cursorOf(row),
      upToEvent: how.upToEvent,
      all: how.useAll || registered.reads === 'all',
      oneChain: parts.isOnCycle(row.id),
      always: how.always,
    };
  };

  /** In its turn, alone of its kind. */
  const inLine = async <T>(id: string | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const state = id === undefined ? undefined : stateOf(id);
    const controller = new AbortController();
    if (state !== undefined) state.controller = controller;
    const signal = AbortSignal.any([controller.signal, closing.signal]);
    const { waiting, result } = queue.run(async () => {
      if (state !== undefined) state.queued = false;
      return work(signal);
    });
    if (state !== undefined) state.queued = waiting;
    underWay.add(result);
    try {
      return await result;
    } finally {
      underWay.delete(result);
      if (state !== undefined) {
        state.queued = false;
        state.controller = undefined;
      }
    }
  };

  /** One run, in its turn. */
  const runOnce = async (
    id: string,
    reason: RunReason,
    how: { useAll: boolean; always: boolean; upToEvent: number },
  ): Promise<RunResult> => {
    const state = stateOf(id);
    state.running = true;
    state.since = undefined;
    state.waiting = undefined;
    try {
      return await inLine(id, async (signal): Promise<RunResult> => {
        // What it is allowed may have changed while it stood in line.
        const what = await parts.runnable(id);
        if (what === undefined || signal.aborted || parts.isPaused()) return { kind: 'broken off' };
        state.begun = { wall: clock.now(), counter: pace.counter() };
        return runner.run(what, orderOf(what, how), reason, signal);
      });
    } finally {
      state.running = false;
    }
  };

  const after = (state: State, result: RunResult): void => {
    // What came meanwhile is still gathered.
    state.waiting = result.kind === 'done' && result.more ? true : undefined;
    state.retryAt = undefined;
  };

  /** Looks at one function, and runs it when it is time. */
  const consider = async (id: string): Promise<void> => {
    const state = stateOf(id);
    state.waiting ??= await look(id, closing.signal);
    if (!state.waiting) {
      state.since = undefined;
      return;
    }
    const due = untilDue(id, state);
    if (due === undefined || due.ms > 0 || parts.isPaused()) return;
    if ((await parts.runnable(id)) === undefined) {
      // Until something about it changes, or more comes.
      state.waiting = false;
      return;
    }
    // Something may have come while it was looked at: what has is read with it.
    const upToEvent = events.newest();
    after(state, await runOnce(id, due.reason, { useAll: false, always: false, upToEvent }));
  };

  const startConsidering = (id: string): void => {
    const state = stateOf(id);
    if (state.busy !== undefined || closing.signal.aborted) return;
    state.busy = consider(id)
      .catch((error: unknown) => {
        log.warn({ err: error, function: id }, 'a function could not be run, it is tried again');
        state.waiting = undefined;
        state.since = pace.counter();
        state.last = state.since;
      })
      .finally(() => {
        state.busy = undefined;
        arrange();
      });
  };

  /** Begins those whose time has come. @returns milliseconds until the next one's */
  const beginDue = (): number => {
    let next = pace.look;
    for (const id of parts.enabled()) {
      const state = stateOf(id);
      if (state.busy !== undefined) continue;
      if (state.waiting === false) continue;
      const due = untilDue(id, state);
      // Whether anything waits has to be known of those, too, that nothing starts.
      const ms =
        state.waiting === undefined && (due === undefined || due.ms > 0) ? gatherLeft(state) : (due?.ms ?? next);
      if (ms <= 0) startConsidering(id);
      else next = Math.min(next, ms);
    }
    return next;
  };

  /** Looks at those whose time has come, and wakes up for the next. */
  const arrange = (): void => {
    if (!started || closing.signal.aborted || parts.isPaused()) return;
    let next = pace.look;
    try {
      next = beginDue();
    } catch (error) {
      // A background task: an unhandled error would end the server.
      log.warn({ err: error }, 'which functions are due could not be told, it is looked at again');
    }
    clearTimeout(timer);
    timer = setTimeout(arrange, Math.max(1, next));
    timer.unref();
  };

  const stopListening = events.listen((changes) => {
    if (!started) return;
    const paths = new Set<string>();
    for (const { kind, endpoint } of changes) {
      const path = kind === 'deleted' ? undefined : endpoints.pathOf(endpoint);
      if (path !== undefined) paths.add(path);
    }
    if (paths.size === 0) return;
    const counter = pace.counter();
    let heard = false;
    for (const id of parts.enabled()) {
      const reads = parts.readsOf(id);
      if (![...paths].some((path) => reads.has(path))) continue;
      const state = stateOf(id);
      // While more of them come, the timer that is set for the first looks how long to wait.
      heard ||= state.since === undefined || state.waiting === false;
      state.since ??= counter;
      state.last = counter;
      if (state.waiting === false) state.waiting = undefined;
    }
    if (heard) arrange();
  });

  const refusePaused = (): void => {
    if (parts.isPaused()) throw new Failure('wrong_state', PAUSED);
  };

  /** Nothing else is done with it meanwhile. */
  const hold = (state: State, work: Promise<unknown>): void => {
    const over = (): void => {
      state.busy = undefined;
      arrange();
    };
    state.busy = work.then(over, over);
  };

  /**
   * Begins as soon as nothing is done with it, in the same turn in which that was seen: of several that wait, one begins, and the
   * others find it running.
   */
  const whenFree = async <T>(id: string, begin: (state: State) => Promise<T>): Promise<T> => {
    const state = stateOf(id);
    const refuse = (): void => {
      if (state.running) throw new Failure('wrong_state', 'It is running already.');
    };
    refuse();
    // Wait for the pending-input check, which ends soon or starts a run.
    while (state.busy !== undefined && !state.running) await Promise.race([state.busy, new Promise(setImmediate)]);
    refuse();
    const work = begin(state);
    hold(state, work);
    return work;
  };

  return {
    async recover() {
      const left = store.running();
      if (left.length === 0) return;
      await writer.write((tx) => {
        for (const { id, function: owner, chain } of left) {
          store.endRun(tx, { ...nothingOf(id, chain), finished: clock.now(), outcome: 'crashed', message: KILLED });
          store.fail(tx, owner, events.newest());
        }
      });
    },

    start() {
      started = true;
      arrange();
    },

    resumed: arrange,

    reconsider(id) {
      const state = stateOf(id);
      state.waiting = undefined;
      state.retryAt = undefined;
      arrange();
    },

    stop(id, why) {
      states.get(id)?.controller?.abort(why);
    },

    trigger: (id, useAll) =>
      whenFree(id, async (state) => {
        refusePaused();
        const upToEvent = events.newest();
        for (let always = true; ; always = false) {
          const result = await runOnce(id, 'manual', { useAll, always, upToEvent });
          after(state, result);
          if (result.kind === 'failed') throw new Failure(result.outcome, result.message || 'The function failed.');
          if (result.kind === 'broken off') throw new Failure('crashed', 'The run was broken off.');
          if (result.kind === 'nothing' || !result.more) return;
        }
      }),

    dryRun: (id, subject, how) =>
      whenFree(id, async (state) => {
        // Without handing anything over, it only shows what would be.
        if (how.send) refusePaused();
        state.running = true;
        try {
          const order = orderOf(subject, { useAll: how.useAll, always: true, upToEvent: events.newest() });
          const tried = await inLine(id, async (signal) => runner.dryRun(subject, order, how.send, signal));
          return { tried, order };
        } finally {
          state.running = false;
        }
      }),

    inLine: (work) => inLine(undefined, work),
    prospectOf: (id) => prospectOf(id, states.get(id)),

    async close() {
      started = false;
      stopListening();
      clearTimeout(timer);
      closing.abort(STOPPING);
      await Promise.allSettled([...underWay, ...[...states.values()].map(({ busy }) => busy)]);
    },
  };
};
