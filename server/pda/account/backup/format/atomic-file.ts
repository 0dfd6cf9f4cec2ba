import { randomBytes } from 'node:crypto';
import { closeSync, fdatasyncSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from '../../../../platform/io/file-system.ts';

/** Suffix of incomplete files. An interrupted write leaves such a file behind. */
export const PARTIAL_SUFFIX = '.begun';
const BYTES_PER_SYNC = 1024 * 1024;
const MAX_PAUSE_MS = 15;

/** Never notified, so that `Atomics.wait` on it blocks the thread until the timeout. */
const sleepCell = new Int32Array(new SharedArrayBuffer(4));

/**
 * Syncs a file, then blocks the thread for as long as the sync took, at most `MAX_PAUSE_MS`, so that the server's
 * fsyncs do not queue behind backup writes.
 */
export const syncAndPause = (descriptor: number): void => {
  const start = performance.now();
  fdatasyncSync(descriptor);
  Atomics.wait(sleepCell, 0, 0, Math.min(performance.now() - start, MAX_PAUSE_MS));
};

/** Blocks the thread, so it must not be called in the server process. @throws the error of the file system */
export const writeFileAtomically = (file: string, content: Buffer): void => {
  const temporaryFile = `${file}.${randomBytes(4).toString('hex')}${PARTIAL_SUFFIX}`;
  try {
    const descriptor = openSync(temporaryFile, 'wx', 0o600);
    try {
      // A write to a nearly full disk can be partial, which only the returned count shows.
      for (let writtenBytes = 0; writtenBytes < content.length;) {
        if (writtenBytes > 0) syncAndPause(descriptor);
        const end = Math.min(content.length, writtenBytes + BYTES_PER_SYNC);
        while (writtenBytes < end) writtenBytes += writeSync(descriptor, content, writtenBytes, end - writtenBytes);
      }
      // Synced before the rename, because the file could otherwise be empty after a power failure.
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporaryFile, file);
  } catch (error) {
    rmSync(temporaryFile, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
};
