import type { Database } from 'better-sqlite3';
import { statSync } from 'node:fs';
import type { Log } from '../../platform/log.ts';
import type { DatabaseThread } from './threads.ts';

/** Bytes of write-ahead log at which its pages are moved into the database. */
const CHECKPOINT_AT_BYTES = 8_000_000;
const LOOK_EVERY_MS = 500;

/**
 * Moves the log's pages into the database in the maintenance thread. What was written meanwhile is a small rest, moved here, so
 * that the next write finds an empty log and starts it over instead of letting it grow.
 */
export const startCheckpoints = (options: {
  db: Database;
  file: string;
  maintenance: DatabaseThread;
  log: Log;
}): { close(): Promise<void> } => {
  const { db, file, maintenance, log } = options;
  let running: Promise<void> | undefined;

  const walBytes = (): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;

  /** After a checkpoint the file keeps its size and is written over, so the size alone would fire for ever. */
  let writtenAtLast = -1;

  const checkpoint = async (): Promise<void> => {
    await maintenance.all('PRAGMA wal_checkpoint(PASSIVE)');
    db.pragma('wal_checkpoint(PASSIVE)');
    writtenAtLast = totalChanges(db);
  };

  const look = (): void => {
    if (running !== undefined || walBytes() < CHECKPOINT_AT_BYTES || totalChanges(db) === writtenAtLast) return;
    running = checkpoint()
      .catch((error: unknown) => log.warn({ err: error }, 'checkpoint failed, it is tried again'))
      .finally(() => {
        running = undefined;
      });
  };

  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
};

const totalChanges = (db: Database): number => Number(db.prepare('SELECT total_changes()').pluck().get());
