import { statfs } from 'node:fs/promises';
import { Failure } from '../../../platform/failure.ts';
import { DISK_RESERVE_BYTES } from '../../../wire/limits.ts';

/** Limits on the bytes of files: per application, in total, and by the free space of the disk. */

export type Uploader = { kind: 'owner' | 'application' | 'folder'; application: string | null };

export type QuotaReservation = {
  /**
   * Reserves more bytes.
   * @param onDisk number of these bytes that still have to be written to the disk
   * @throws Failure too_large | out_of_disk
   */
  take(bytes: number, onDisk?: number): void;
  /** Ends the reservation. `kept` bytes stay counted, the rest is released. */
  end(storedBytes: number): void;
};

export type Quota = {
  /** Reserves bytes for an upload; concurrent reservations count. @throws Failure too_large | out_of_disk */
  open(uploader: Uploader): Promise<QuotaReservation>;
  /** Adjusts the count after content was deleted or changed its size. Must be called after the commit. */
  changed(uploader: Uploader, bytes: number): void;
  used(): number;
  limit(): number | null;
  free(): Promise<number>;
};

const keyOf = ({ kind, application }: Uploader): string =>
  kind === 'application' ? `application ${application}` : kind;

export const createQuota = (parts: {
  /** Returns the stored bytes per uploader. */
  usage: () => readonly { uploader: string; application: string | null; bytes: number }[];
  folder: string;
  total: number | null;
  perApplication: number;
}): Quota => {
  const { folder, total, perApplication } = parts;
  const used = new Map<string, number>();
  let totalUsed = 0;
  let isCounted = false;
  /** Free bytes on the disk that running uploads have not reserved, and the number of running uploads. */
  let diskLeft = 0;
  let running = 0;

  const add = (uploader: Uploader, bytes: number): void => {
    const key = keyOf(uploader);
    used.set(key, (used.get(key) ?? 0) + bytes);
    totalUsed += bytes;
  };
  /** Counts the stored bytes at the first use, so that it does not delay the start of the server. */
  const count = (): void => {
    if (isCounted) return;
    isCounted = true;
    for (const { uploader, application, bytes } of parts.usage())
      add({ kind: uploader === 'application' || uploader === 'folder' ? uploader : 'owner', application }, bytes);
  };

  const free = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  };

  return {
    async open(uploader) {
      count();
      const freeBytes = (await free()) - DISK_RESERVE_BYTES;
      // The free space of the disk still includes bytes that other uploads have reserved and not written yet.
      diskLeft = running === 0 ? freeBytes : Math.min(diskLeft, freeBytes);
      running += 1;
      let reservedBytes = 0;
      let written = 0;
      return {
        take(bytes, onDisk = bytes) {
          if (uploader.kind === 'application' && (used.get(keyOf(uploader)) ?? 0) + bytes > perApplication)
            throw new Failure(
              'too_large',
              `Files of one application may take at most ${perApplication} bytes. Nothing was stored.`,
            );
          if (total !== null && totalUsed + bytes > total)
            throw new Failure('too_large', `All files together may take at most ${total} bytes. Nothing was stored.`);
          if (onDisk > diskLeft) throw new Failure('out_of_disk', 'The disk is nearly full. Nothing was stored.');
          diskLeft -= onDisk;
          written += onDisk;
          reservedBytes += bytes;
          add(uploader, bytes);
        },
        end(storedBytes) {
          add(uploader, storedBytes - reservedBytes);
          running -= 1;
          if (storedBytes === 0) diskLeft += written;
        },
      };
    },
    changed(uploader, bytes) {
      // The first count will read the new value from the database.
      if (isCounted) add(uploader, bytes);
    },
    used() {
      count();
      return totalUsed;
    },
    limit: () => total,
    free,
  };
};
