import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { codeOf } from '../../../wire/values.ts';

/** The command line of a process; undefined when it has gone or the system does not say. */
const commandLineOf = async (pid: number): Promise<string | undefined> => {
  if (process.platform === 'linux') {
    try {
      return await readFile(`/proc/${pid}/cmdline`, 'latin1');
    } catch {
      // Gone, which is what we hoped for.
      return undefined;
    }
  }
  if (process.platform === 'win32') return undefined;
  return new Promise((resolve) => {
    execFile('ps', ['-o', 'command=', '-p', String(pid)], { timeout: 2000 }, (error, stdout) => {
      resolve(error === null ? stdout : undefined);
    });
  });
};

/**
 * Ends a sandbox that outlived its server. The number in the file may be another process's by now, so its command line
 * has to name the run. (Where that cannot be seen, it ends by its own clock, or with its pipe.)
 */
export const endLeftover = async (pidFile: string, runId: string): Promise<void> => {
  const pid = Number(await readFile(pidFile, 'latin1'));
  if (!Number.isSafeInteger(pid) || pid <= 1) return;
  const command = await commandLineOf(pid);
  if (command?.includes(runId) !== true) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
};
