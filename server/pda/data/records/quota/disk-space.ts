import { type StatsFs, statfsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { Log } from '../../../../platform/log.ts';
import {
  DISK_SPACE_VALIDITY_MS,
  RECORD_RESERVE_DISK_SHARE,
  RECORD_RESERVE_MAX_BYTES,
} from '../../../../wire/limits.ts';
import type { Database } from '../../../storage/index.ts';

export type DiskSpace = ReturnType<typeof createDiskSpace>;

/** Bytes written per stored byte: a record is written to the write-ahead log, and from there to the database. */
const BYTES_WRITTEN_PER_BYTE = 2;

/**
 * Measures the free space of a disk. No write waits for a measurement, which runs in the background. Between
 * measurements, stored bytes are counted.
 */
export const createDiskSpace = ({ db, folder, log }: { db: Database; folder: string; log: Log }) => {
  let freeBytes = 0;
  let reservedBytes = 0;
  let bytesSinceMeasurement = 0;
  let measuredAt = 0;
  let isMeasuring = false;

  const setMeasurement = ({ bavail, blocks, bsize }: Pick<StatsFs, 'bavail' | 'blocks' | 'bsize'>): void => {
    // Free pages of the database are reused before it grows.
    const reusableBytes =
      Number(db.pragma('freelist_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
    freeBytes = bavail * bsize + reusableBytes;
    reservedBytes = Math.min(RECORD_RESERVE_MAX_BYTES, Math.floor(blocks * bsize * RECORD_RESERVE_DISK_SHARE));
  };

  const measure = async (): Promise<void> => {
    // Bytes that are stored during the measurement may count twice. Omitting them would be less safe.
    const usedBefore = bytesSinceMeasurement;
    setMeasurement(await statfs(folder));
    bytesSinceMeasurement -= usedBefore;
  };

  const refresh = (): void => {
    if (isMeasuring || performance.now() - measuredAt < DISK_SPACE_VALIDITY_MS) return;
    isMeasuring = true;
    measure()
      .catch((error: unknown) => log.warn({ err: error }, 'cannot measure the free disk space'))
      .finally(() => {
        isMeasuring = false;
        measuredAt = performance.now();
      });
  };

  setMeasurement(statfsSync(folder));
  measuredAt = performance.now();

  return {
    /** Returns the bytes above the reserve at the last measurement, minus the bytes written since; at least 0. */
    availableBytes(): number {
      refresh();
      return Math.max(0, freeBytes - reservedBytes - bytesSinceMeasurement);
    },
    /** Bytes that are reserved for the owner. */
    reservedBytes: (): number => reservedBytes,
    /** Counts stored bytes until the next measurement. */
    use(bytes: number): void {
      bytesSinceMeasurement += bytes * BYTES_WRITTEN_PER_BYTE;
    },
  };
};
