import { statfsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { Log } from '../../../../platform/log.ts';
import {
  DISK_SPACE_VALIDITY_MS,
  RECORD_RESERVE_DISK_SHARE,
  RECORD_RESERVE_MAX_BYTES,
} from '../../../../wire/limits.ts';
import type { Database } from '../../../storage/index.ts';

/** Disk space that records of callers other than the owner may still take. */
export type DiskSpace = {
  /** Bytes above the reserve, as of the last measurement; what was stored since is taken off. At least 0. */
  available(): number;
  /** Bytes that are left free for the owner. */
  reserve(): number;
  /** Notes bytes that were stored. */
  use(bytes: number): void;
};

/** A record is written into the write-ahead log, and from there into the database. */
const BYTES_WRITTEN_PER_BYTE = 2;

type FileSystem = { bavail: number; blocks: number; bsize: number };

/**
 * Measures the disk of a folder once, and again in the background when a measurement is too old. No write waits for it: between
 * two measurements the stored bytes are counted.
 */
export const createDiskSpace = (parts: { db: Database; folder: string; log: Log }): DiskSpace => {
  const { db, folder, log } = parts;
  let free = 0;
  let reserve = 0;
  let used = 0;
  let measuredAt = 0;
  let isMeasuring = false;

  const note = ({ bavail, blocks, bsize }: FileSystem): void => {
    // Pages of deleted records are written again before the database grows.
    const reusable =
      Number(db.pragma('freelist_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
    free = bavail * bsize + reusable;
    reserve = Math.min(RECORD_RESERVE_MAX_BYTES, Math.floor(blocks * bsize * RECORD_RESERVE_DISK_SHARE));
  };

  const measure = async (): Promise<void> => {
    // What is stored during the measurement counts twice until the next one, rather than not at all.
    const usedBefore = used;
    note(await statfs(folder));
    used -= usedBefore;
  };

  const refresh = (): void => {
    if (isMeasuring || performance.now() - measuredAt < DISK_SPACE_VALIDITY_MS) return;
    isMeasuring = true;
    measure()
      .catch((error: unknown) => log.warn({ err: error }, 'the free disk space could not be measured'))
      .finally(() => {
        isMeasuring = false;
        measuredAt = performance.now();
      });
  };

  note(statfsSync(folder));
  measuredAt = performance.now();

  return {
    available() {
      refresh();
      return Math.max(0, free - reserve - used);
    },
    reserve: () => reserve,
    use(bytes) {
      used += bytes * BYTES_WRITTEN_PER_BYTE;
    },
  };
};
