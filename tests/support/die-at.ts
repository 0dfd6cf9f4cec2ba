import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const CHANGES = ['renameSync', 'rmSync', 'mkdirSync', 'fsyncSync', 'rmdirSync', 'writeFileSync'] as const;

/**
 * Ends this process as a power cut would, right before its n-th change of the disk; a write is made by half. Before anything else is loaded.
 *
 * @returns how many changes there were so far
 */
export const dieAt = (deadly: number): (() => number) => {
  let changes = 0;
  const die = (): never => {
    process.kill(process.pid, 'SIGKILL');
    for (;;);
  };
  const isDeadly = (): boolean => (changes += 1) === deadly;

  for (const name of CHANGES) {
    const real = fs[name] as (...args: unknown[]) => unknown;
    Object.assign(fs, {
      [name]: (...args: unknown[]) => {
        if (isDeadly()) die();
        return real(...args);
      },
    });
  }
  const { writeSync } = fs;
  Object.assign(fs, {
    writeSync: (descriptor: number, content: Buffer, at = 0, length = content.length - at) => {
      if (isDeadly()) {
        writeSync(descriptor, content, at, Math.floor(length / 2));
        die();
      }
      return writeSync(descriptor, content, at, length);
    },
  });
  syncBuiltinESMExports();
  return () => changes;
};
