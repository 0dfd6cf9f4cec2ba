import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into a program, simulates a slow disk: each fsync takes `PDA_SLOW_DISK` milliseconds; with `never`, it hangs from
 * the second one on, like a lost network drive.
 */
const slow = process.env['PDA_SLOW_DISK'];
if (isMainThread && slow !== undefined) {
  const asleep = new Int32Array(new SharedArrayBuffer(4));
  let times = 0;
  for (const name of ['fsyncSync', 'fdatasyncSync'] as const) {
    const real = fs[name];
    Object.assign(fs, {
      [name]: (descriptor: number): void => {
        times += 1;
        if (slow !== 'never') Atomics.wait(asleep, 0, 0, Number(slow));
        else if (times > 1) Atomics.wait(asleep, 0, 0);
        real(descriptor);
      },
    });
  }
  syncBuiltinESMExports();
}
