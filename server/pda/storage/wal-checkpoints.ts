import type { Database } from 'better-sqlite3';
import { statSync } from 'node:fs';
import type { Log } from '../../platform/log.ts';
import type { DatabaseThread } from './threads/client.ts';
import type { Writer } from './writer.ts';

/** Bytes of write-ahead log at which its pages are moved into the database. */
const CHECKPOINT_AT_BYTES = 8_000_000;
const LOOK_EVERY_MS = 250;
/** Pages for which writes may be held back: a few milliseconds. */
const SMALL_REST_PAGES = 100;
const MAX_ROUNDS = 5;

type Moved = { busy: number; log: number; checkpointed: number };

/**
 * Moves the log's pages into the database in the maintenance thread, and what was written meanwhile, until that is a small rest. For
 * that the writer pauses, so that the next write finds an empty log and starts it over instead of letting it grow. None of it is done in the thread that answers
 * everybody: a checkpoint waits for the disk twice.
 */
export const startCheckpoints = (options: {
  db: Database;
  file: string;
  maintenance: DatabaseThread;
  writer: Pick<Writer, 'pause'>;
  log: Log;
}): { close(): Promise<void> } => {
  const { db, file, maintenance, writer, log } = options;
  let running: Promise<void> | undefined;

  const walBytes = (): number => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;

  /** After a checkpoint the file keeps its size and is written over, so the size alone would fire for ever. */
  let writtenAtLast = -1;

  let failing = false;

  /** @returns pages of the log that are in the database by now, and that are not */
  const move = async (): Promise<{ moved: number; left: number }> => {
    const [found] = await maintenance.all<Moved>('PRAGMA wal_checkpoint(PASSIVE)');
    const moved = found?.checkpointed ?? 0;
    return { moved, left: (found?.log ?? 0) - moved };
  };

  const checkpoint = async (): Promise<void> => {
    let done = 0;
    let left = 0;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const found = await move();
      const pages = found.moved - done;
      done += pages;
      left = found.left;
      if (pages < SMALL_REST_PAGES) break;
    }
    // What somebody still reads, as a backup does, cannot be moved: nobody has to wait for that.
    if (left < SMALL_REST_PAGES) {
      const resume = await writer.pause();
      try {
        await move();
      } finally {
        resume();
      }
    }
    writtenAtLast = totalChanges(db);
    if (failing) log.info('checkpoints work again');
    failing = false;
  };

  /** Once, not twice a second for as long as a disk stays full. */
  const warn = (error: unknown): void => {
    if (!failing) log.warn({ err: error }, 'checkpoint failed, it is tried again');
    failing = true;
  };

  const look = (): void => {
    if (running !== undefined || walBytes() < CHECKPOINT_AT_BYTES || totalChanges(db) === writtenAtLast) return;
    running = checkpoint()
      .catch(warn)
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
