import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** Where Linux keeps files in memory. */
const SHARED_MEMORY = '/dev/shm';
/** Bytes: what the tests have on the disk at once, with room. Containers often have no more than 64 MB there. */
const ROOM_BYTES = 6 * 2 ** 30;

/**
 * A new folder for temporary files that never reach a disk, or undefined where there is no room for one. The tests make and sync some
 * thousand databases: what they hold is proved by killing processes, which a disk has no part in.
 *
 * @param place where such folders are
 */
export function memoryFolder(
  place = SHARED_MEMORY,
  roomBytes = ROOM_BYTES,
): { path: string; remove(): void } | undefined {
  try {
    const { bavail, bsize } = statfsSync(place);
    if (bavail * bsize < roomBytes) return undefined;
    // Short: paths of sockets within it have some hundred characters at most.
    const path = mkdtempSync(join(place, 'pda-'));
    // As the system's own is: some tests start programs as another user.
    chmodSync(path, 0o1777);
    return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
  } catch (cause) {
    // Not Linux, or a folder that is not ours to write in: the disk does as well, a little slower.
    if (cause instanceof Error && 'code' in cause) return undefined;
    throw cause;
  }
}
