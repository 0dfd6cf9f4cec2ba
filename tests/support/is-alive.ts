import { readFileSync } from 'node:fs';

/**
 * Returns true if a process with this id is running. A process that has ended but has not been reaped yet does not
 * count as running.
 */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch {
    // ESRCH: no such process.
    return false;
  }
  try {
    // Linux: `pid (name) state …`. The first process of a container does not necessarily reap orphans.
    return !/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return process.platform !== 'linux';
  }
};
