import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { codeOf } from '../../../wire/values.ts';

const commandLineOf = async (pid: number): Promise<string | undefined> => {
  if (process.platform === 'linux') {
    try {
      return await readFile(`/proc/${pid}/cmdline`, 'latin1');
    } catch {
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
 * Kills a sandbox that outlived its server. The pid in the file may have been reused, so the command line must contain
 * the run id. If the command line is unavailable, the sandbox ends at its own time limit or when its pipe closes.
 */
export const killOrphan = async (pidFile: string, runId: string): Promise<void> => {
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
