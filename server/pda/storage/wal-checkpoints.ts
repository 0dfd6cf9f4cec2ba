import type { Database } from 'better-sqlite3';
import { statSync } from 'node:fs';
import type { Log } from '../../platform/log.ts';
import type { DatabaseThread } from './threads/client.ts';
import type { Writer } from './writer.ts';

const CHECKPOINT_THRESHOLD_BYTES = 8_000_000;
const CHECK_INTERVAL_MS = 250;
/** The final pass pauses the writer, so it runs only if fewer pages than this remain. */
const FINAL_PASS_MAX_PAGES = 100;
const COPY_ROUNDS_MAX = 5;

type CheckpointResult = { busy: number; log: number; checkpointed: number };

/**
 * Copies WAL pages into the database in the background until few remain, then pauses the writer for a final pass, so
 * that the next write restarts the log instead of letting it grow. Runs in the maintenance thread, because a checkpoint
 * waits for the disk twice and the main thread serves requests.
 */
export const startCheckpoints = (options: {
  db: Database;
  file: string;
  maintenance: DatabaseThread;
  writer: Pick<Writer, 'pause'>;
  log: Log;
}): { close(): Promise<void> } => {
  const { db, file, maintenance, writer, log } = options;
  let activeCheckpoint: Promise<void> | undefined;

  const walBytes = (): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;

  /** The log keeps its size after a checkpoint, so the size alone would trigger another checkpoint. */
  let changesAtLastCheckpoint = -1;

  let isFailing = false;

  const copyPages = async (): Promise<{ copied: number; remaining: number }> => {
    const [result] = await maintenance.all<CheckpointResult>('PRAGMA wal_checkpoint(PASSIVE)');
    const copied = result?.checkpointed ?? 0;
    return { copied, remaining: (result?.log ?? 0) - copied };
  };

  const checkpoint = async (): Promise<void> => {
    let copiedPages = 0;
    let remaining = 0;
    for (let round = 0; round < COPY_ROUNDS_MAX; round += 1) {
      const result = await copyPages();
      const newPages = result.copied - copiedPages;
      copiedPages += newPages;
      remaining = result.remaining;
      if (newPages < FINAL_PASS_MAX_PAGES) break;
    }
    // Pages that a long reader, such as a backup, still uses cannot be copied. Writes do not wait for such a reader.
    if (remaining < FINAL_PASS_MAX_PAGES) {
      const resume = await writer.pause();
      try {
        await copyPages();
      } finally {
        resume();
      }
    }
    changesAtLastCheckpoint = totalChanges(db);
    if (isFailing) log.info('checkpoints work again');
    isFailing = false;
  };

  /** Logs only the first of consecutive failures: a full disk would repeat the message four times a second. */
  const logFirstFailure = (error: unknown): void => {
    if (!isFailing) log.warn({ err: error }, 'checkpoint failed, retrying');
    isFailing = true;
  };

  const checkpointIfNeeded = (): void => {
    if (activeCheckpoint !== undefined || walBytes() < CHECKPOINT_THRESHOLD_BYTES) return;
    if (totalChanges(db) === changesAtLastCheckpoint) return;
    activeCheckpoint = checkpoint()
      .catch(logFirstFailure)
      .finally(() => {
        activeCheckpoint = undefined;
      });
  };

  const timer = setInterval(() => {
    try {
      checkpointIfNeeded();
    } catch (error) {
      // For example, the disk fails or was removed. An uncaught error in a timer would end the process.
      logFirstFailure(error);
    }
  }, CHECK_INTERVAL_MS);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await activeCheckpoint;
    },
  };
};

const totalChanges = (db: Database): number => Number(db.prepare('SELECT total_changes()').pluck().get());
