import { statfs } from 'node:fs/promises';
import { Failure } from '../../../platform/failure.ts';
import { DISK_RESERVE_BYTES } from '../../../wire/limits.ts';
import type { FileRow } from '../store.ts';

type Uploader = { kind: 'owner' | 'application' | 'folder'; application: string | null };
export const uploaderOf = ({ uploader, application }: Pick<FileRow, 'uploader' | 'application'>): Uploader => ({
  kind: uploader,
  application,
});

export type Quota = ReturnType<typeof createQuota>;

const keyOf = ({ kind, application }: Uploader): string =>
  kind === 'application' ? `application ${application}` : kind;

export const createQuota = (parts: {
  usage: () => readonly { uploader: string; application: string | null; bytes: number }[];
  folder: string;
  /** Limits in bytes. `total` is null if there is no limit. */
  total: number | null;
  perApplication: number;
}) => {
  const { folder, total, perApplication } = parts;
  const bytesByUploader = new Map<string, number>();
  let totalBytes = 0;
  let isCounted = false;
  /** Free bytes on the disk that neither DISK_RESERVE_BYTES nor running uploads reserve. */
  let unreservedDiskBytes = 0;
  let runningUploads = 0;

  const add = (uploader: Uploader, bytes: number): void => {
    const key = keyOf(uploader);
    bytesByUploader.set(key, (bytesByUploader.get(key) ?? 0) + bytes);
    totalBytes += bytes;
  };
  /** Counts at the first use, so that counting does not delay the start of the server. */
  const countStoredBytes = (): void => {
    if (isCounted) return;
    isCounted = true;
    for (const { uploader, application, bytes } of parts.usage())
      add({ kind: uploader === 'application' || uploader === 'folder' ? uploader : 'owner', application }, bytes);
  };

  const freeDiskBytes = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  };

  return {
    /** Opens a reservation for one upload. The caller must end it. */
    async open(uploader: Uploader) {
      countStoredBytes();
      const freeBytes = (await freeDiskBytes()) - DISK_RESERVE_BYTES;
      // The free space of the disk still includes bytes that other uploads have reserved but not yet written.
      unreservedDiskBytes = runningUploads === 0 ? freeBytes : Math.min(unreservedDiskBytes, freeBytes);
      runningUploads += 1;
      let reservedBytes = 0;
      let reservedDiskBytes = 0;
      return {
        /**
         * @param unwrittenBytes part of these bytes that still has to be written to the disk
         * @throws Failure too_large | out_of_disk
         */
        reserve(bytes: number, unwrittenBytes: number = bytes): void {
          if (uploader.kind === 'application' && (bytesByUploader.get(keyOf(uploader)) ?? 0) + bytes > perApplication)
            throw new Failure(
              'too_large',
              `Files of one application may take up at most ${perApplication} bytes. Nothing was stored.`,
            );
          if (total !== null && totalBytes + bytes > total)
            throw new Failure(
              'too_large',
              `All files together may take up at most ${total} bytes. Nothing was stored.`,
            );
          if (unwrittenBytes > unreservedDiskBytes)
            throw new Failure('out_of_disk', 'The disk is nearly full. Nothing was stored.');
          unreservedDiskBytes -= unwrittenBytes;
          reservedDiskBytes += unwrittenBytes;
          reservedBytes += bytes;
          add(uploader, bytes);
        },
        /**
         * Releases the reserved bytes that were not stored.
         * @param writtenBytes bytes that the upload has added to the disk, including those of an incomplete file
         */
        end(storedBytes: number, writtenBytes: number = storedBytes): void {
          add(uploader, storedBytes - reservedBytes);
          runningUploads -= 1;
          unreservedDiskBytes += reservedDiskBytes - writtenBytes;
        },
      };
    },
    /** Must be called after the commit that added, changed or deleted content outside a reservation. */
    adjust(uploader: Uploader, bytes: number): void {
      // The first count will read the new value from the database.
      if (isCounted) add(uploader, bytes);
    },
    getUsedBytes(): number {
      countStoredBytes();
      return totalBytes;
    },
    /** Returns bytes; null if there is no limit. */
    limit: () => total,
    freeDiskBytes,
  };
};
