import { statfs } from 'node:fs/promises';
import { Failure } from '../../../platform/failure.ts';
import { DISK_RESERVE_BYTES } from '../../../wire/limits.ts';

/** How much room there is for files: for each application, for all together, and on the disk. */

export type Uploader = { kind: 'owner' | 'application' | 'folder'; application: string | null };

export type Room = {
  /**
   * @param onDisk bytes of these that are not on the disk yet
   * @throws Failure too_large | out_of_disk
   */
  take(bytes: number, onDisk?: number): void;
  /** Ends the reservation: `kept` bytes stay counted, the rest is released. */
  end(kept: number): void;
};

export type Quota = {
  /** Reserves bytes for an upload; concurrent reservations count. @throws Failure too_large | out_of_disk */
  open(uploader: Uploader): Promise<Room>;
  /** Content went, or changed its size outside; said once the database has it. */
  changed(uploader: Uploader, bytes: number): void;
  used(): number;
  limit(): number | null;
  free(): Promise<number>;
};

const keyOf = ({ kind, application }: Uploader): string =>
  kind === 'application' ? `application ${application}` : kind;

export const createQuota = (parts: {
  /** Bytes by who uploaded them, from the disk. */
  usage: () => readonly { uploader: string; application: string | null; bytes: number }[];
  folder: string;
  total: number | null;
  perApplication: number;
}): Quota => {
  const { folder, total, perApplication } = parts;
  const used = new Map<string, number>();
  let all = 0;
  let counted = false;
  /** What the disk has left for all that come in at the same time, and how many there are. */
  let diskLeft = 0;
  let running = 0;

  const add = (uploader: Uploader, bytes: number): void => {
    const key = keyOf(uploader);
    used.set(key, (used.get(key) ?? 0) + bytes);
    all += bytes;
  };
  /** Counted once, at the first need: a start does not wait for it. */
  const count = (): void => {
    if (counted) return;
    counted = true;
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
      const left = (await free()) - DISK_RESERVE_BYTES;
      // What the others have yet to write, the disk does not know of.
      diskLeft = running === 0 ? left : Math.min(diskLeft, left);
      running += 1;
      let taken = 0;
      let written = 0;
      return {
        take(bytes, onDisk = bytes) {
          if (uploader.kind === 'application' && (used.get(keyOf(uploader)) ?? 0) + bytes > perApplication)
            throw new Failure(
              'too_large',
              `Files of one application may take ${perApplication} bytes. Nothing was kept.`,
            );
          if (total !== null && all + bytes > total)
            throw new Failure('too_large', `All files together may take ${total} bytes. Nothing was kept.`);
          if (onDisk > diskLeft) throw new Failure('out_of_disk', 'The disk is nearly full. Nothing was kept.');
          diskLeft -= onDisk;
          written += onDisk;
          taken += bytes;
          add(uploader, bytes);
        },
        end(kept) {
          add(uploader, kept - taken);
          running -= 1;
          if (kept === 0) diskLeft += written;
        },
      };
    },
    changed(uploader, bytes) {
      // The first count finds it in the database already.
      if (counted) add(uploader, bytes);
    },
    used() {
      count();
      return all;
    },
    limit: () => total,
    free,
  };
};
