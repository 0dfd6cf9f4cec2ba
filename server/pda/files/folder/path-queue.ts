import type { Clock } from '../../../platform/clock.ts';
import type { ReconcileOutcome } from './reconciler.ts';

const QUEUED_PATHS_MAX = 50_000;
/** Maximum number of paths that are processed concurrently. Their writes share transactions. */
const CONCURRENT_PATHS_MAX = 200;
const STARTS_PER_TURN = 20;
const DUE_PATHS_PER_TICK = 1000;
/** A scan waits while this many paths are due. */
const SCAN_QUEUE_MAX = 500;

/**
 * Queues paths to reconcile. Drops paths beyond the maximum and reports the overflow, so that the whole folder is
 * scanned later.
 */
export const createPathQueue = (parts: {
  reconcile: (path: string) => Promise<ReconcileOutcome>;
  /** @param hasReplacedFile true if a file was at the path before */
  onFolder: (path: string, hasReplacedFile: boolean) => void;
  /**
   * Called if nothing is at the path, or if an entry was created or removed there and the path is not a folder now. The
   * path may have been a folder before.
   */
  onNoFolder: (path: string) => void;
  onError: (error: unknown) => void;
  onOverflow: () => void;
  diskClock: Clock;
  tickMs: number;
}) => {
  const { diskClock } = parts;
  /** Paths to process now. The value is true if an entry was created or removed at the path. */
  const duePaths = new Map<string, boolean>();
  /** Postponed paths: due time in Unix milliseconds, and the milliseconds of the postponement. */
  const postponedPaths = new Map<string, { dueAt: number; ms: number }>();
  /** Paths being processed. `isAddedAgain`: the path was added during its processing. */
  const activePaths = new Map<string, { isAddedAgain: boolean; isCreatedOrRemoved: boolean }>();
  let isClosed = false;
  let isScheduled = false;
  let timer: NodeJS.Timeout | undefined;
  let listeners: (() => void)[] = [];

  const wakeListeners = (): void => {
    const currentListeners = listeners;
    listeners = [];
    for (const listener of currentListeners) listener();
  };
  const waitUntil = async (isTrue: () => boolean): Promise<void> => {
    while (!isClosed && !isTrue()) await new Promise<void>((resolve) => listeners.push(resolve));
  };

  const tick = (): void => {
    const now = diskClock.now();
    let count = 0;
    for (const [path, { dueAt, ms }] of postponedPaths) {
      // A longer wait than the postponement means that the clock was set back.
      if (dueAt > now && dueAt - now <= ms) continue;
      if (count === DUE_PATHS_PER_TICK) break;
      count += 1;
      postponedPaths.delete(path);
      duePaths.set(path, duePaths.get(path) ?? false);
    }
    if (postponedPaths.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    schedule();
    wakeListeners();
  };

  const postpone = (path: string, ms: number): void => {
    if (duePaths.size + postponedPaths.size >= QUEUED_PATHS_MAX) {
      parts.onOverflow();
      return;
    }
    postponedPaths.set(path, { dueAt: diskClock.now() + ms, ms });
    timer ??= setInterval(tick, parts.tickMs).unref();
  };

  const processPath = async (path: string, isCreatedOrRemoved: boolean): Promise<void> => {
    const state = { isAddedAgain: false, isCreatedOrRemoved: false };
    activePaths.set(path, state);
    try {
      const outcome = await parts.reconcile(path);
      if (isClosed) return;
      if (outcome.kind === 'later') postpone(path, outcome.ms);
      if (outcome.kind === 'folder') {
        if (isCreatedOrRemoved || outcome.hasReplacedFile) parts.onFolder(path, outcome.hasReplacedFile);
      } else if (outcome.kind === 'nothing' || isCreatedOrRemoved) {
        parts.onNoFolder(path);
      }
    } catch (error) {
      if (!isClosed) parts.onError(error);
    } finally {
      activePaths.delete(path);
      if (state.isAddedAgain) add(path, state.isCreatedOrRemoved);
      schedule();
      wakeListeners();
    }
  };

  const run = (): void => {
    isScheduled = false;
    let startCount = 0;
    for (const [path, isCreatedOrRemoved] of duePaths) {
      if (isClosed || activePaths.size >= CONCURRENT_PATHS_MAX || startCount === STARTS_PER_TURN) break;
      duePaths.delete(path);
      void processPath(path, isCreatedOrRemoved);
      startCount += 1;
    }
    schedule();
  };

  const schedule = (): void => {
    if (isScheduled || isClosed || duePaths.size === 0 || activePaths.size >= CONCURRENT_PATHS_MAX) return;
    isScheduled = true;
    setImmediate(run);
  };

  /** @param isCreatedOrRemoved true if an entry was created or removed at the path; a folder there is then walked */
  const add = (path: string, isCreatedOrRemoved: boolean): void => {
    if (isClosed) return;
    const state = activePaths.get(path);
    if (state !== undefined) {
      state.isAddedAgain = true;
      state.isCreatedOrRemoved ||= isCreatedOrRemoved;
    } else if (duePaths.has(path)) {
      if (isCreatedOrRemoved) duePaths.set(path, true);
    } else if (postponedPaths.has(path) && !isCreatedOrRemoved) {
      // The postponed reconciliation will find the current state.
    } else if (duePaths.size + postponedPaths.size >= QUEUED_PATHS_MAX) {
      parts.onOverflow();
    } else {
      postponedPaths.delete(path);
      duePaths.set(path, isCreatedOrRemoved);
      schedule();
    }
  };

  return {
    add,
    /**
     * Resolves when few paths are queued. A scan of the folder waits for this, so that the scan does not delay the
     * reconciliation of changes by the owner.
     */
    waitForCapacity: () => waitUntil(() => duePaths.size < SCAN_QUEUE_MAX),
    waitUntilDrained: () => waitUntil(() => duePaths.size === 0 && activePaths.size === 0),
    isQuiet: () => duePaths.size === 0 && postponedPaths.size === 0 && activePaths.size === 0,
    async close(): Promise<void> {
      isClosed = true;
      clearInterval(timer);
      duePaths.clear();
      postponedPaths.clear();
      wakeListeners();
      while (activePaths.size > 0) await new Promise<void>((resolve) => listeners.push(resolve));
    },
  };
};

export const createSemaphore = (limit: number): (<T>(work: () => Promise<T>) => Promise<T>) => {
  let activeCount = 0;
  const waiters: (() => void)[] = [];
  return async (work) => {
    if (activeCount >= limit) await new Promise<void>((resolve) => waiters.push(resolve));
    else activeCount += 1;
    try {
      return await work();
    } finally {
      // The next waiter takes over the slot.
      const nextWaiter = waiters.shift();
      if (nextWaiter === undefined) activeCount -= 1;
      else nextWaiter();
    }
  };
};
