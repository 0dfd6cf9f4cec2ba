import type { Clock } from '../../../platform/clock.ts';
import type { Outcome } from './reconciler.ts';

/**
 * Queue of paths to scan. Each path is queued once, up to a maximum. On overflow the queue drops paths and requests a scan of
 * the whole folder once it is quiet.
 */
export type FolderQueue = {
  /** @param renamed something of this name came or went, so that a folder here has to be looked into */
  add(path: string, renamed: boolean): void;
  /** Resolves when there is room for more without others having to wait long. */
  room(): Promise<void>;
  /** Resolves when everything that can be looked at now has been. */
  drained(): Promise<void>;
  /** Whether nothing waits, not even for its time. */
  isQuiet(): boolean;
  close(): Promise<void>;
};

/** Paths that are kept. */
const MAX_PATHS = 50_000;
/** Paths that are looked at side by side: enough for their writes to share transactions. */
const AT_ONCE = 200;
/** Looks that are begun in one turn of the event loop. */
const PER_TURN = 20;
/** Paths whose time has come that are taken up at once. */
const PER_TICK = 1000;
/** Paths that a folder scan queues at a time, so that changes by the owner are processed soon. */
const FEW = 500;

export const createFolderQueue = (parts: {
  settle: (path: string) => Promise<Outcome>;
  /** @param isNew it took the place of a file */
  onFolder: (path: string, isNew: boolean) => void;
  /** No folder is here; there may have been one. */
  onNoFolder: (path: string) => void;
  onError: (error: unknown) => void;
  onOverflow: () => void;
  diskClock: Clock;
  /** Milliseconds between two looks at what waits for its time. */
  tickMs: number;
}): FolderQueue => {
  const { diskClock } = parts;
  const waiting = new Map<string, boolean>();
  const later = new Map<string, number>();
  /** Paths being scanned, and whether they changed again meanwhile. */
  const active = new Map<string, { again: boolean; renamed: boolean }>();
  let closed = false;
  let scheduled = false;
  let timer: NodeJS.Timeout | undefined;
  let listeners: (() => void)[] = [];

  const wake = (): void => {
    const woken = listeners;
    listeners = [];
    for (const listener of woken) listener();
  };
  const until = async (isTrue: () => boolean): Promise<void> => {
    while (!closed && !isTrue()) await new Promise<void>((resolve) => listeners.push(resolve));
  };

  const tick = (): void => {
    const now = diskClock.now();
    let taken = 0;
    for (const [path, due] of later) {
      if (due > now) continue;
      // In the order in which they came; the rest has its turn at the next tick.
      if (taken === PER_TICK) break;
      taken += 1;
      later.delete(path);
      waiting.set(path, waiting.get(path) ?? false);
    }
    if (later.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    schedule();
    wake();
  };

  const postpone = (path: string, ms: number): void => {
    if (waiting.size + later.size >= MAX_PATHS) {
      parts.onOverflow();
      return;
    }
    later.set(path, diskClock.now() + ms);
    timer ??= setInterval(tick, parts.tickMs).unref();
  };

  const work = async (path: string, renamed: boolean): Promise<void> => {
    const state = { again: false, renamed: false };
    active.set(path, state);
    try {
      const outcome = await parts.settle(path);
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
    let begun = 0;
    for (const [path, renamed] of waiting) {
      if (closed || active.size >= AT_ONCE || begun === PER_TURN) break;
      waiting.delete(path);
      void work(path, renamed);
      begun += 1;
    }
    schedule();
  };

  const schedule = (): void => {
    if (scheduled || closed || waiting.size === 0 || active.size >= AT_ONCE) return;
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
    } else if (later.has(path) && !renamed) {
      // Its time will come, and then it is seen as it is.
    } else if (waiting.size + later.size >= MAX_PATHS) {
      parts.onOverflow();
    } else {
      later.delete(path);
      waiting.set(path, renamed);
      schedule();
    }
  };

  return {
    add,
    room: () => until(() => waiting.size < FEW),
    drained: () => until(() => waiting.size === 0 && active.size === 0),
    isQuiet: () => waiting.size === 0 && later.size === 0 && active.size === 0,
    async close() {
      closed = true;
      clearInterval(timer);
      waiting.clear();
      later.clear();
      wake();
      while (active.size > 0) await new Promise<void>((resolve) => listeners.push(resolve));
    },
  };
};

/** Semaphore: runs at most `most` operations at once; others wait in order. */
export const createGate = (most: number): (<T>(work: () => Promise<T>) => Promise<T>) => {
  let busy = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (busy >= most) await new Promise<void>((resolve) => waiting.push(resolve));
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
