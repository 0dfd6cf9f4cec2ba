import { isoTime, type Clock } from '../../../platform/clock.ts';
import type { RunReason } from '../../../wire/functions.ts';
import { remainingPeriodMs, type Moment } from './period-rules.ts';
import { BACKOFF_MS, backoffOf } from '../rules.ts';
import type { FunctionStore } from '../store.ts';
import { publishedOf, type ScheduleStatus } from '../catalogue/mapping.ts';

export type SchedulerTiming = {
  /** Time to wait for further events after an event. */
  gatherMs: number;
  /** Upper bound of that wait while events keep arriving. */
  gatherMaxMs: number;
  /** Maximum time between two checks of the clock, which may be set, or jump when the machine wakes up. */
  pollMs: number;
  /** Milliseconds before each retry of a failed run. */
  backoff: readonly number[];
  /** Monotonic counter in milliseconds. */
  counter: () => number;
};

export const DEFAULT_TIMING: SchedulerTiming = {
  gatherMs: 1000,
  gatherMaxMs: 3000,
  pollMs: 15_000,
  backoff: BACKOFF_MS,
  counter: () => performance.now(),
};

/** Latest date with a four-digit year. A function may publish a period of a million years. */
const MAX_NEXT_RUN_MS = Date.UTC(9999, 11, 31);

/** Scheduling state of one function since the start of the server. */
export type ScheduleState = {
  /** Counter values of the first and the last unprocessed event. */
  firstEventAt: number | undefined;
  lastEventAt: number;
  /** True if the function has pending input; undefined if this must be checked. */
  isInputPending: boolean | undefined;
  /** True if the last run left input for another run because of the limits of one. */
  hasRemainingInput: boolean;
  /** Counter value at which a failed run is retried. */
  retryAt: number | undefined;
  /** Start of the last run; `counter` is undefined if the run began before the server was started. */
  lastStart: { wall: number; counter: number | undefined } | undefined;
  isQueued: boolean;
};

/** `ms`: milliseconds until the run is due; 0 or less if it is due now. */
export type Due = { ms: number; reason: RunReason };

export const createDueTimes = (parts: { store: FunctionStore; clock: Clock; timing: SchedulerTiming }) => {
  const { store, clock, timing } = parts;

  const now = (): Moment => ({ wall: clock.now(), counter: timing.counter() });

  /** A start in the future was stored before the clock was set back. It counts as a start at the current time. */
  const lastStartOf = (lastExecution: number | null, state: ScheduleState): ScheduleState['lastStart'] => {
    if (state.lastStart === undefined && lastExecution !== null) {
      const isInFuture = lastExecution > clock.now();
      state.lastStart = isInFuture ? now() : { wall: lastExecution, counter: undefined };
    }
    return state.lastStart;
  };

  const remainingGatherMs = ({ firstEventAt, lastEventAt }: ScheduleState): number =>
    firstEventAt === undefined
      ? 0
      : Math.min(lastEventAt + timing.gatherMs, firstEventAt + timing.gatherMaxMs) - timing.counter();

  /** Returns when a run is due if input is pending; undefined if the function runs only manually or is unpublished. */
  const dueOf = (id: string, state: ScheduleState): Due | undefined => {
    const row = store.find(id);
    const trigger = publishedOf(row)?.trigger;
    if (row === undefined || trigger === undefined || trigger.triggerType === 'manual') return undefined;
    const backoff = row.failures === 0 ? undefined : backoffOf(row.failures, timing.backoff);
    if (backoff !== undefined) {
      state.retryAt ??= timing.counter() + backoff;
      return { ms: state.retryAt - timing.counter(), reason: 'retry' };
    }
    // The period separates the input of different periods, not the runs that one input needs.
    if (state.hasRemainingInput) return { ms: 0, reason: trigger.triggerType };
    if (trigger.triggerType === 'individual') return { ms: remainingGatherMs(state), reason: 'individual' };
    const lastStart = lastStartOf(row.last_execution, state);
    const periodMs = lastStart === undefined ? 0 : remainingPeriodMs(trigger.period, lastStart, now());
    return { ms: Math.max(periodMs, remainingGatherMs(state)), reason: 'periodic' };
  };

  const nextRunOf = (id: string, state: ScheduleState | undefined): ScheduleStatus['nextRun'] => {
    const row = store.find(id);
    const trigger = publishedOf(row)?.trigger;
    if (row?.enabled !== 1 || trigger === undefined) return { kind: 'never' };
    if (trigger.triggerType === 'manual') return { kind: 'by hand' };
    const hasInput = state?.isInputPending === true;
    const due = state === undefined ? undefined : dueOf(id, state);
    const hasKnownTime =
      due !== undefined && due.ms > 0 && (due.reason === 'retry' || trigger.triggerType === 'periodic');
    if (!hasKnownTime || (due.reason !== 'retry' && !hasInput && row.last_execution === null))
      return { kind: hasInput ? 'soon' : 'on new data' };
    return {
      kind: 'at',
      time: isoTime(Math.min(MAX_NEXT_RUN_MS, clock.now() + Math.ceil(due.ms))),
      onlyWithData: !hasInput,
    };
  };

  return {
    remainingGatherMs,
    dueOf,
    scheduleStatusOf: (id: string, state: ScheduleState | undefined): ScheduleStatus => ({
      waiting: state?.isInputPending === true,
      queued: state?.isQueued === true,
      nextRun: nextRunOf(id, state),
    }),
  };
};
