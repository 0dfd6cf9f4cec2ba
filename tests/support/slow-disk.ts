import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/**
 * Simulates a slow disk: delays each synchronous fsync of the main thread by `PDA_SLOW_DISK` milliseconds. With
 * `never`, the second fsync hangs, as on a lost network drive. Preloaded into a program with `--import`.
 */
const delay = process.env['PDA_SLOW_DISK'];
if (isMainThread && delay !== undefined) {
  const neverNotified = new Int32Array(new SharedArrayBuffer(4));
  let syncCount = 0;
  for (const name of ['fsyncSync', 'fdatasyncSync'] as const) {
    const original = fs[name];
    Object.assign(fs, {
      [name]: (descriptor: number): void => {
        syncCount += 1;
        if (delay !== 'never') Atomics.wait(neverNotified, 0, 0, Number(delay));
        else if (syncCount > 1) Atomics.wait(neverNotified, 0, 0);
        original(descriptor);
      },
    });
  }
  syncBuiltinESMExports();
}
