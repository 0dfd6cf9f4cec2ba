import type { Clock } from '../../../platform/clock.ts';
import type { ReconcileOutcome } from './reconciler.ts';

/**
 * Queue of paths to scan. Each path is queued once, up to a maximum. On overflow the queue drops paths and requests a scan of
 * the whole folder once it is quiet.
 */
export type PathQueue = {
  /** @param renamed an entry of this name was created or removed, so that a folder at the path must be walked */
  add(path: string, renamed: boolean): void;
  /** Resolves when few paths are queued, so that a folder scan does not delay changes by the owner. */
  waitForCapacity(): Promise<void>;
  /** Resolves when all paths that are due have been processed. */
  drained(): Promise<void>;
  /** Returns true if no path is queued, postponed or being processed. */
  isQuiet(): boolean;
  close(): Promise<void>;
};

/** Paths that are queued or postponed. */
const QUEUED_PATHS_MAX = 50_000;
/** Paths that are processed concurrently: enough for their writes to share transactions. */
const CONCURRENT_PATHS_MAX = 200;
/** Paths whose processing starts in one turn of the event loop. */
const STARTS_PER_TURN = 20;
/** Postponed paths that become due per tick. */
const DUE_PER_TICK = 1000;
/** Paths that a folder scan queues at a time, so that changes by the owner are processed soon. */
const SCAN_QUEUE_MAX = 500;

export const createPathQueue = (parts: {
  reconcile: (path: string) => Promise<ReconcileOutcome>;
  /** @param isNew true if the folder replaced a file */
  onFolder: (path: string, isNew: boolean) => void;
  /** Called if the path is not a folder. It may have been one before. */
  onNoFolder: (path: string) => void;
  onError: (error: unknown) => void;
  onOverflow: () => void;
  diskClock: Clock;
  /** Milliseconds between two checks of the postponed paths. */
  tickMs: number;
}): PathQueue => {
  const { diskClock } = parts;
  /** Due paths, with whether they were renamed. */
  const waiting = new Map<string, boolean>();
  /** Postponed paths, with the time at which they are due. */
  const postponed = new Map<string, number>();
  /** Paths being processed, and whether they have changed again since. */
  const active = new Map<string, { again: boolean; renamed: boolean }>();
  let closed = false;
  let scheduled = false;
  let timer: NodeJS.Timeout | undefined;
  let listeners: (() => void)[] = [];

  const wake = (): void => {
    const notified = listeners;
    listeners = [];
    for (const listener of notified) listener();
  };
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!closed && !isTrue()) await new Promise<void>((resolve) => listeners.push(resolve));
  };

  const tick = (): void => {
    const now = diskClock.now();
    let count = 0;
    for (const [path, due] of postponed) {
      if (due > now) continue;
      // The rest, in order of arrival, follows at the next tick.
      if (count === DUE_PER_TICK) break;
      count += 1;
      postponed.delete(path);
      waiting.set(path, waiting.get(path) ?? false);
    }
    if (postponed.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    schedule();
    wake();
  };

  const postpone = (path: string, ms: number): void => {
    if (waiting.size + postponed.size >= QUEUED_PATHS_MAX) {
      parts.onOverflow();
      return;
    }
    postponed.set(path, diskClock.now() + ms);
    timer ??= setInterval(tick, parts.tickMs).unref();
  };

  const work = async (path: string, renamed: boolean): Promise<void> => {
    const state = { again: false, renamed: false };
    active.set(path, state);
    try {
      const outcome = await parts.reconcile(path);
      if (closed) return;
      if (outcome.kind === 'later') postpone(path, outcome.ms);
      if (outcome.kind === 'folder') {
        if (renamed || outcome.isNew) parts.onFolder(path, outcome.isNew);
      } else if (outcome.kind === 'nothing' || renamed) {
        parts.onNoFolder(path);
      }
    } catch (error) {
      if (!closed) parts.onError(error);
    } finally {
      active.delete(path);
      if (state.again) add(path, state.renamed);
      schedule();
      wake();
    }
  };

  const run = (): void => {
    scheduled = false;
    let started = 0;
    for (const [path, renamed] of waiting) {
      if (closed || active.size >= CONCURRENT_PATHS_MAX || started === STARTS_PER_TURN) break;
      waiting.delete(path);
      void work(path, renamed);
      started += 1;
    }
    schedule();
  };

  const schedule = (): void => {
    if (scheduled || closed || waiting.size === 0 || active.size >= CONCURRENT_PATHS_MAX) return;
    scheduled = true;
    setImmediate(run);
  };

  const add = (path: string, renamed: boolean): void => {
    if (closed) return;
    const state = active.get(path);
    if (state !== undefined) {
      state.again = true;
      state.renamed ||= renamed;
    } else if (waiting.has(path)) {
      if (renamed) waiting.set(path, true);
    } else if (postponed.has(path) && !renamed) {
      // The postponed check will find the current state.
    } else if (waiting.size + postponed.size >= QUEUED_PATHS_MAX) {
      parts.onOverflow();
    } else {
      postponed.delete(path);
      waiting.set(path, renamed);
      schedule();
    }
  };

  return {
    add,
    waitForCapacity: () => until(() => waiting.size < SCAN_QUEUE_MAX),
    drained: () => until(() => waiting.size === 0 && active.size === 0),
    isQuiet: () => waiting.size === 0 && postponed.size === 0 && active.size === 0,
    async close() {
      closed = true;
      clearInterval(timer);
      waiting.clear();
      postponed.clear();
      wake();
      while (active.size > 0) await new Promise<void>((resolve) => listeners.push(resolve));
    },
  };
};

/** Creates a semaphore that runs at most `limit` operations at once. Others wait in order of arrival. */
export const createSemaphore = (limit: number): (<T>(work: () => Promise<T>) => Promise<T>) => {
  let busy = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (busy >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else busy += 1;
    try {
      return await work();
    } finally {
      // The next waiter takes over the slot.
      const next = waiting.shift();
      if (next === undefined) busy -= 1;
      else next();
    }
  };
};
