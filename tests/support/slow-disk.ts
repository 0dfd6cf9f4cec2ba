import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before the program: a disk takes so many milliseconds (`PDA_SLOW_DISK`) whenever it is waited for; with `never`, it does not answer from the second time on,
 * as a network drive that is gone.
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
