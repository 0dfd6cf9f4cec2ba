import { randomBytes } from 'node:crypto';
import { closeSync, fdatasyncSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from '../../../../platform/io/file-system.ts';

/** A write that was cut off leaves a file behind whose name ends so. */
export const BEGUN = '.begun';
/** Bytes that are handed to a disk before it is waited for. */
const AT_ONCE_BYTES = 1024 * 1024;
/** Milliseconds for which the disk is left to others at the most, after each wait for it. */
const LEAVE_MS = 15;

/** Nothing else is to be done in this process meanwhile. */
const asleep = new Int32Array(new SharedArrayBuffer(4));

/**
 * Syncs a file, then leaves the disk idle for the same time, so that the server's own fsyncs do not wait behind a long
 * queue of backup writes.
 */
export const syncAndStepAside = (descriptor: number): void => {
  const began = performance.now();
  fdatasyncSync(descriptor);
  Atomics.wait(asleep, 0, 0, Math.min(performance.now() - began, LEAVE_MS));
};

/** Writes a file atomically. Blocks, so it runs only in the backup process. @throws the error of the file system */
export const writeWhole = (file: string, content: Buffer): void => {
  const begun = `${file}.${randomBytes(4).toString('hex')}${BEGUN}`;
  try {
    const descriptor = openSync(begun, 'wx', 0o600);
    try {
      // A nearly full disk takes a part of what is given and says so only in the count.
      for (let done = 0; done < content.length;) {
        if (done > 0) syncAndStepAside(descriptor);
        const end = Math.min(content.length, done + AT_ONCE_BYTES);
        while (done < end) done += writeSync(descriptor, content, done, end - done);
      }
      // On the disk before it gets its name: after a power cut a renamed file could otherwise be an empty one.
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(begun, file);
  } catch (error) {
    rmSync(begun, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
};
