import { isoTime, type Clock } from '../../../platform/clock.ts';
import type { RunReason } from '../../../wire/functions.ts';
import { untilPeriodEnd, type Moment } from './period-rules.ts';
import { BACKOFF_MS, backoffOf } from '../rules.ts';
import type { FunctionStore } from '../store.ts';
import { publishedOf, type Prospect } from '../catalogue/mapping.ts';

/** How long a function waits. What there is to do is read from the numbers of events; clocks only say how long that waits. */

/** How long the engine waits for what; tests make it shorter. Milliseconds. */
export type Pace = {
  /** After an event, for more of them. */
  gather: number;
  /** At most, while more and more come: a function runs within 5 seconds of its data. */
  gatherAtMost: number;
  /** Between looks at the time: a machine sleeps, and a clock is set. */
  look: number;
  backoff: readonly number[];
  /** A monotonic counter. */
  counter: () => number;
};

export const PACE: Pace = {
  gather: 1000,
  gatherAtMost: 3000,
  look: 15_000,
  backoff: BACKOFF_MS,
  counter: () => performance.now(),
};

/** Later than that no date of four digits is; a function may say that it runs every million years. */
const LAST_SHOWN_MS = Date.UTC(9999, 11, 31);

/** What is known of one function's waiting since the start of the server. */
export type Timing = {
  /** Since when, and when last, something came (by the counter). */
  since: number | undefined;
  last: number;
  /** Whether there is something to run for; undefined: to be looked at. */
  waiting: boolean | undefined;
  /** When a failed one is tried again (by the counter). */
  retryAt: number | undefined;
  /** When its last run began. */
  begun: { wall: number; counter: number | undefined } | undefined;
  /** It stands in line. */
  queued: boolean;
};

export type Due = { ms: number; reason: RunReason };

export type DueTimes = {
  now(): Moment;
  /** Milliseconds for which events are still gathered. */
  gatherLeft(timing: Timing): number;
  /** Milliseconds until it should be run, if something waits; undefined: not by itself. */
  untilDue(id: string, timing: Timing): Due | undefined;
  prospectOf(id: string, timing: Timing | undefined): Prospect;
};

export const createDueTimes = (parts: { store: FunctionStore; clock: Clock; pace: Pace }): DueTimes => {
  const { store, clock, pace } = parts;

  const now = (): Moment => ({ wall: clock.now(), counter: pace.counter() });

  /** When its last run began. One that lies ahead was written by a clock that has been set back since. */
  const begunOf = (lastExecution: number | null, timing: Timing): Timing['begun'] => {
    if (timing.begun === undefined && lastExecution !== null) {
      const ahead = lastExecution > clock.now();
      timing.begun = ahead ? now() : { wall: lastExecution, counter: undefined };
    }
    return timing.begun;
  };

  const gatherLeft = ({ since, last }: Timing): number =>
    since === undefined ? 0 : Math.min(last + pace.gather, since + pace.gatherAtMost) - pace.counter();

  const untilDue = (id: string, timing: Timing): Due | undefined => {
    const row = store.find(id);
    const trigger = publishedOf(row)?.trigger;
    if (row === undefined || trigger === undefined || trigger.triggerType === 'manual') return undefined;
    const backoff = row.failures === 0 ? undefined : backoffOf(row.failures, pace.backoff);
    if (backoff !== undefined) {
      timing.retryAt ??= pace.counter() + backoff;
      return { ms: timing.retryAt - pace.counter(), reason: 'retry' };
    }
    if (trigger.triggerType === 'individual') return { ms: gatherLeft(timing), reason: 'individual' };
    const begun = begunOf(row.last_execution, timing);
    const period = begun === undefined ? 0 : untilPeriodEnd(trigger.period, begun, now());
    return { ms: Math.max(period, gatherLeft(timing)), reason: 'periodic' };
  };

  const nextRunOf = (id: string, timing: Timing | undefined): Prospect['nextRun'] => {
    const row = store.find(id);
    const trigger = publishedOf(row)?.trigger;
    if (row?.enabled !== 1 || trigger === undefined) return { kind: 'never' };
    if (trigger.triggerType === 'manual') return { kind: 'by hand' };
    const waiting = timing?.waiting === true;
    const due = timing === undefined ? undefined : untilDue(id, timing);
    const hasTime = due !== undefined && due.ms > 0 && (due.reason === 'retry' || trigger.triggerType === 'periodic');
    if (!hasTime || (due.reason !== 'retry' && !waiting && row.last_execution === null))
      return { kind: waiting ? 'soon' : 'on new data' };
    return {
      kind: 'at',
      time: isoTime(Math.min(LAST_SHOWN_MS, clock.now() + Math.ceil(due.ms))),
      onlyWithData: !waiting,
    };
  };

  return {
    now,
    gatherLeft,
    untilDue,
    prospectOf: (id, timing) => ({
      waiting: timing?.waiting === true,
      queued: timing?.queued === true,
      nextRun: nextRunOf(id, timing),
    }),
  };
};
