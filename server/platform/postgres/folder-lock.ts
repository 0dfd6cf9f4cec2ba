import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.ts';

const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // There, but somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

const heldHere = new Set<string>();

/**
 * Two processes in one PGlite folder would ruin it. The file names the process that has it; one that is gone (or that had our own number before us)
 * does not count.
 */
export const lockFolder = (folder: string): { release(): void } => {
  const file = join(folder, 'lock');
  const inUse = (): Failure =>
    new Failure('wrong_state', `Another process is using ${folder}. Stop it first; several at once need a PostgreSQL.`);
  if (heldHere.has(file)) throw inUse();
  for (let attempt = 0; ; attempt += 1) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx', mode: 0o600 });
      break;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST') || attempt > 0) throw error;
      const pid = Number(readFileSync(file, 'utf8'));
      if (pid !== process.pid && Number.isInteger(pid) && pid > 0 && isThere(pid)) throw inUse();
      rmSync(file, { force: true });
    }
  }
  heldHere.add(file);
  return {
    release() {
      if (heldHere.delete(file)) rmSync(file, { force: true });
    },
  };
};
