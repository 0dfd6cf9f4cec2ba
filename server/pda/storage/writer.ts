import type { Database } from 'better-sqlite3';
import { asFailure } from './disk-full-error.ts';
import { isBusy } from './storage-problem.ts';

/**
 * Group commit. Writes that arrive while one transaction is being written join the next one, each in a savepoint of its own,
 * and are answered after the one fsync that they share: durable, and as fast as the disk lets many be together.
 */

/** Gathers what several jobs of one transaction leave behind, to be written once for all of them. */
export type Collector<Item> = { flush(tx: Transaction, items: readonly Item[]): void };

export type Transaction = {
  readonly db: Database;
  /** Runs once the data is on the disk. */
  afterCommit(action: () => void): void;
  /** Hands an item to a collector; forgotten when the job is rolled back. */
  collect<Item>(collector: Collector<Item>, item: Item): void;
};

export type Writer = {
  /**
   * Runs the job in the next transaction. Resolves when the transaction is on the disk. A job that throws is undone alone.
   * @throws Failure out_of_disk, or whatever the job threw
   */
  write<T>(job: (tx: Transaction) => T): Promise<T>;
  /** Holds writes back, for work that needs the database's write lock in another thread. Returns how to let them go on. */
  pause(): Promise<() => void>;
  /** Writes what waits and stops taking more. */
  close(): Promise<void>;
};

/** Milliseconds of work in one transaction: the event loop is not held longer than a reader can wait. */
const SLICE_MS = 8;
const BUSY_RETRY_MS = 2;
/**
 * Milliseconds for which a transaction waits at most while each turn of the event loop brings more writes, and how many are enough.
 * Waiting for everybody would be slower: while these are written, the others are on their way.
 */
const GATHER_MS = 0.5;
const ENOUGH_WRITES = 12;

type Pending = {
  job: (tx: Transaction) => unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};
type Outcome = { pending: Pending; value?: unknown; error?: unknown; failed: boolean };

class TransactionState implements Transaction {
  readonly db: Database;
  readonly actions: (() => void)[] = [];
  readonly items = new Map<Collector<unknown>, unknown[]>();
  constructor(db: Database) {
    this.db = db;
  }
  afterCommit(action: () => void): void {
    this.actions.push(action);
  }
  collect<Item>(collector: Collector<Item>, item: Item): void {
    const key = collector as Collector<unknown>;
    const list = this.items.get(key);
    if (list === undefined) this.items.set(key, [item]);
    else list.push(item);
  }
  mark(): () => void {
    const actions = this.actions.length;
    const lengths = new Map([...this.items].map(([collector, list]) => [collector, list.length]));
    return () => {
      this.actions.length = actions;
      for (const [collector, list] of this.items) list.length = lengths.get(collector) ?? 0;
    };
  }
  flush(): void {
    for (const [collector, list] of this.items) if (list.length > 0) collector.flush(this, list);
  }
}

/** @param onLate hears of an action after a commit that failed: the write itself stands */
export const createWriter = (db: Database, onLate: (error: unknown) => void = () => undefined): Writer => {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const savepoint = db.prepare('SAVEPOINT job');
  const release = db.prepare('RELEASE job');
  const undo = db.prepare('ROLLBACK TO job');

  let queue: Pending[] = [];
  let scheduled = false;
  let paused = 0;
  let closed = false;
  let idle: (() => void)[] = [];
  /** Writes that were here at the last turn, and since when they are gathered. */
  let gathered = 0;
  let gatheringSince = 0;

  const schedule = (): void => {
    if (scheduled || paused > 0 || queue.length === 0) return;
    scheduled = true;
    gathered = 0;
    gatheringSince = performance.now();
    setImmediate(gather);
  };

  /** Takes one job's changes back. False when only the whole transaction can be. */
  const undone = (): boolean => {
    try {
      undo.run();
      release.run();
      return true;
    } catch {
      return false;
    }
  };

  /** A sync of the disk costs the same for one write as for fifty: callers that are still being read join this one. */
  const gather = (): void => {
    const more = queue.length > gathered;
    gathered = queue.length;
    const wait = more && queue.length < ENOUGH_WRITES && performance.now() - gatheringSince < GATHER_MS;
    if (wait) setImmediate(gather);
    else flush();
  };

  const runJob = (tx: TransactionState, pending: Pending): Outcome => {
    const forget = tx.mark();
    savepoint.run();
    try {
      const value = pending.job(tx);
      release.run();
      return { pending, value, failed: false };
    } catch (error) {
      forget();
      // A full disk can end the whole transaction; then there is no savepoint to go back to and nobody's work is kept.
      if (!db.inTransaction || !undone()) throw error;
      return { pending, error, failed: true };
    }
  };

  const undoAll = (): void => {
    try {
      if (db.inTransaction) rollback.run();
    } catch (error) {
      // SQLite ends the transaction whatever the answer is; the reason why it failed was told with the first error.
      onLate(error);
    }
  };

  /** The data is on the disk: a listener that fails must not leave its writers, or the other listeners, without an answer. */
  const runActions = (actions: readonly (() => void)[]): void => {
    for (const action of actions) {
      try {
        action();
      } catch (error) {
        onLate(error);
      }
    }
  };

  const flush = (): void => {
    scheduled = false;
    if (paused > 0) return;
    const taken: Pending[] = [];
    const outcomes: Outcome[] = [];
    const tx = new TransactionState(db);
    try {
      begin.run();
      const start = performance.now();
      for (const pending of queue) {
        taken.push(pending);
        outcomes.push(runJob(tx, pending));
        if (performance.now() - start > SLICE_MS) break;
      }
      tx.flush();
      commit.run();
    } catch (error) {
      undoAll();
      if (isBusy(error)) {
        scheduled = true;
        setTimeout(flush, BUSY_RETRY_MS);
        return;
      }
      // Whoever was to be written in this transaction is told; at least the first in line, so that the queue moves.
      const failure = asFailure(error);
      const told = Math.max(1, taken.length);
      const refused = queue.slice(0, told);
      queue = queue.slice(told);
      for (const pending of refused) pending.reject(failure);
      finish();
      return;
    }
    queue = queue.slice(taken.length);
    runActions(tx.actions);
    for (const { pending, value, error, failed } of outcomes) {
      if (failed) pending.reject(asFailure(error));
      else pending.resolve(value);
    }
    finish();
  };

  const finish = (): void => {
    if (queue.length > 0) {
      schedule();
      return;
    }
    const waiting = idle;
    idle = [];
    for (const done of waiting) done();
  };

  return {
    write<T>(job: (tx: Transaction) => T): Promise<T> {
      if (closed) return Promise.reject(new Error('the store is closed'));
      return new Promise<T>((resolve, reject) => {
        queue.push({ job, resolve: resolve as (value: unknown) => void, reject });
        schedule();
      });
    },
    pause() {
      paused += 1;
      let held = true;
      return Promise.resolve(() => {
        if (!held) return;
        held = false;
        paused -= 1;
        schedule();
      });
    },
    close() {
      closed = true;
      if (queue.length === 0) return Promise.resolve();
      return new Promise((resolve) => {
        idle.push(resolve);
        schedule();
      });
    },
  };
};
