import type { Database } from 'better-sqlite3';
import { isBusy, toDiskFullFailure } from './storage-problem.ts';

// Group commit. Writes that arrive during a transaction share the next transaction, each in a separate savepoint, and
// are acknowledged after the fsync, whose cost they share.

/** Writes the items that the jobs of a transaction have collected, once per transaction. */
export type Collector<Item> = { flush(tx: Transaction, items: readonly Item[]): void };

/**
 * The open write transaction. A parameter `tx` ensures that a function runs inside a transaction. Its name is `_tx`
 * in a function that does not otherwise use it.
 */
export type Transaction = {
  readonly db: Database;
  /** Registers an action that runs after the data is durable. */
  afterCommit(action: () => void): void;
  /** Adds an item to a collector. The item is dropped if the job is rolled back. */
  collect<Item>(collector: Collector<Item>, item: Item): void;
};

export type Writer = ReturnType<typeof createWriter>;

/** Milliseconds after which a transaction begins no further job, because a transaction blocks the event loop. */
const TRANSACTION_WORK_MS = 8;
const BUSY_RETRY_MS = 2;
/**
 * Maximum wait for further writes before a transaction begins. It begins earlier if a turn of the event loop adds none,
 * or at GATHER_MAX_WRITES. A longer wait would reduce throughput: writes that arrive later share the next transaction.
 */
const GATHER_MAX_MS = 0.5;
const GATHER_MAX_WRITES = 12;

type PendingWrite = {
  job: (tx: Transaction) => unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
};
type Outcome = { pending: PendingWrite; value?: unknown; error?: unknown; hasFailed: boolean };

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
  /** Returns a function that drops the actions and items that were added after this call. */
  markAdditions(): () => void {
    const actionCount = this.actions.length;
    const lengths = new Map([...this.items].map(([collector, list]) => [collector, list.length]));
    return () => {
      this.actions.length = actionCount;
      for (const [collector, list] of this.items) list.length = lengths.get(collector) ?? 0;
    };
  }
  flush(): void {
    for (const [collector, list] of this.items) if (list.length > 0) collector.flush(this, list);
  }
}

/** @param onError called with the error of an after-commit action, whose write is committed, or of a rollback */
export const createWriter = (db: Database, onError: (error: unknown) => void = () => undefined) => {
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const savepoint = db.prepare('SAVEPOINT job');
  const release = db.prepare('RELEASE job');
  const undo = db.prepare('ROLLBACK TO job');

  let queue: PendingWrite[] = [];
  let isScheduled = false;
  let pauseCount = 0;
  let isClosed = false;
  let onIdle: (() => void)[] = [];
  let lastQueueLength = 0;
  let gatheringSince = 0;

  const schedule = (): void => {
    if (isScheduled || pauseCount > 0 || queue.length === 0) return;
    isScheduled = true;
    lastQueueLength = 0;
    gatheringSince = performance.now();
    setImmediate(gather);
  };

  /** Returns false if only the whole transaction can be rolled back. */
  const rollbackJob = (): boolean => {
    try {
      undo.run();
      release.run();
      return true;
    } catch {
      return false;
    }
  };

  /** Waits briefly for requests in progress: an fsync for one write is as expensive as for fifty. */
  const gather = (): void => {
    const isGrowing = queue.length > lastQueueLength;
    lastQueueLength = queue.length;
    const shouldWait =
      isGrowing && queue.length < GATHER_MAX_WRITES && performance.now() - gatheringSince < GATHER_MAX_MS;
    if (shouldWait) setImmediate(gather);
    else flush();
  };

  const runJob = (tx: TransactionState, pending: PendingWrite): Outcome => {
    const dropAdditions = tx.markAdditions();
    savepoint.run();
    try {
      const value = pending.job(tx);
      release.run();
      return { pending, value, hasFailed: false };
    } catch (error) {
      dropAdditions();
      // A full disk can end the whole transaction. In that case, no savepoint remains and all jobs fail.
      if (!db.inTransaction || !rollbackJob()) throw error;
      return { pending, error, hasFailed: true };
    }
  };

  const rollbackTransaction = (): void => {
    try {
      if (db.inTransaction) rollback.run();
    } catch (error) {
      // SQLite ends the transaction even if ROLLBACK fails. The callers receive the error that caused the rollback.
      onError(error);
    }
  };

  /** Runs after-commit actions. The data is durable, so a failing action affects no write and no other action. */
  const runActions = (actions: readonly (() => void)[]): void => {
    for (const action of actions) {
      try {
        action();
      } catch (error) {
        onError(error);
      }
    }
  };

  const flush = (): void => {
    isScheduled = false;
    if (pauseCount > 0) return;
    let count = 0;
    const outcomes: Outcome[] = [];
    const tx = new TransactionState(db);
    try {
      begin.run();
      const start = performance.now();
      for (const pending of queue) {
        count += 1;
        outcomes.push(runJob(tx, pending));
        if (performance.now() - start > TRANSACTION_WORK_MS) break;
      }
      tx.flush();
      commit.run();
    } catch (error) {
      rollbackTransaction();
      if (isBusy(error)) {
        isScheduled = true;
        setTimeout(flush, BUSY_RETRY_MS);
        return;
      }
      // All jobs of this transaction fail. If none has run, the first job fails, so that the queue advances.
      const failure = toDiskFullFailure(error);
      const failedCount = Math.max(1, count);
      const failedWrites = queue.slice(0, failedCount);
      queue = queue.slice(failedCount);
      for (const pending of failedWrites) pending.reject(failure);
      finish();
      return;
    }
    queue = queue.slice(count);
    runActions(tx.actions);
    for (const { pending, value, error, hasFailed } of outcomes) {
      if (hasFailed) pending.reject(toDiskFullFailure(error));
      else pending.resolve(value);
    }
    finish();
  };

  const finish = (): void => {
    if (queue.length > 0) {
      schedule();
      return;
    }
    const resolvers = onIdle;
    onIdle = [];
    for (const resolve of resolvers) resolve();
  };

  return {
    /**
     * Runs the job in a transaction and resolves when its changes are durable. If the job throws, only its own changes
     * are rolled back, unless a full disk ends the whole transaction.
     * @throws Failure out_of_disk, the error of the job or of a collector, an SqliteError, or an Error after `close`
     */
    write<T>(job: (tx: Transaction) => T): Promise<T> {
      if (isClosed) return Promise.reject(new Error('the writer is closed'));
      return new Promise<T>((resolve, reject) => {
        queue.push({ job, resolve: resolve as (value: unknown) => void, reject });
        schedule();
      });
    },
    /** Pauses writes, for work that needs the write lock in another thread. The returned function ends this pause. */
    pause(): Promise<() => void> {
      pauseCount += 1;
      let isPaused = true;
      return Promise.resolve(() => {
        if (!isPaused) return;
        isPaused = false;
        pauseCount -= 1;
        schedule();
      });
    },
    /** Rejects new writes and completes the queued ones. */
    close(): Promise<void> {
      isClosed = true;
      if (queue.length === 0) return Promise.resolve();
      return new Promise((resolve) => {
        onIdle.push(resolve);
        schedule();
      });
    },
  };
};
