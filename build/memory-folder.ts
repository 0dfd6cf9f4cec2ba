import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const SHARED_MEMORY = '/dev/shm';
/** Peak disk usage of the tests, with a margin. Containers often have only 64 MB of shared memory. */
const REQUIRED_FREE_BYTES = 6 * 2 ** 30;

/**
 * Creates an in-memory folder for temporary files. Returns undefined if the system has no memory file system, or if
 * that file system has too little space or is not writable. Durability tests kill only processes, so they need no real
 * disk.
 */
export function createMemoryFolder(
  parentFolder = SHARED_MEMORY,
  requiredBytes = REQUIRED_FREE_BYTES,
): { path: string; remove(): void } | undefined {
  try {
    const { bavail, bsize } = statfsSync(parentFolder);
    if (bavail * bsize < requiredBytes) return undefined;
    // Short, because socket paths are limited to about a hundred characters.
    const path = mkdtempSync(join(parentFolder, 'pda-'));
    // Same mode as the system's temporary folder, because some tests start programs as a different user.
    chmodSync(path, 0o1777);
    return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) };
  } catch (cause) {
    // Not Linux, or not writable. The disk works as well, but is slower.
    if (cause instanceof Error && 'code' in cause) return undefined;
    throw cause;
  }
}
