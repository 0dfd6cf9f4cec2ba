import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const CHANGES = ['renameSync', 'rmSync', 'mkdirSync', 'fsyncSync', 'rmdirSync', 'writeFileSync'] as const;

/**
 * Makes this process kill itself at its `killAt`-th synchronous change to the disk; never if `killAt` is 0. An fsync
 * counts as a change. If the change is a `writeSync`, half of its bytes are written first. Any other change is not
 * made. Modules that copy functions of `fs` must be loaded afterwards.
 * @returns a function that returns the number of changes so far
 */
export const killAtChange = (killAt: number): (() => number) => {
  let changes = 0;
  const kill = (): never => {
    process.kill(process.pid, 'SIGKILL');
    for (;;);
  };
  const countChange = (): number => (changes += 1);

  for (const name of CHANGES) {
    const original = fs[name] as (...args: unknown[]) => unknown;
    Object.assign(fs, {
      [name]: (...args: unknown[]) => {
        if (countChange() === killAt) kill();
        return original(...args);
      },
    });
  }
  const { writeSync } = fs;
  Object.assign(fs, {
    writeSync: (descriptor: number, content: Buffer, offset = 0, length = content.length - offset) => {
      if (countChange() === killAt) {
        writeSync(descriptor, content, offset, Math.floor(length / 2));
        kill();
      }
      return writeSync(descriptor, content, offset, length);
    },
  });
  syncBuiltinESMExports();
  return () => changes;
};
