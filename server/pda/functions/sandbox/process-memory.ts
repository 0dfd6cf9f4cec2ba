import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Memory of a process in bytes. */
export type ProcessMemory = {
  /**
   * On Linux without pages of mapped files: the system shares those of Node's executable among all processes and, depending
   * on its cache, maps 38 to 75 MB of them.
   */
  readonly resident: number;
  /** Highest value so far; equal to `resident` on systems that do not record it. */
  readonly peak: number;
};

/** Memory details that only Linux reports. `confinement.ts` derives the kernel's limit from them. */
export type LinuxMemory = ProcessMemory & { readonly data: number; readonly anonymous: number };

const KILOBYTE = 1024;
/** Milliseconds for a helper of the system to answer. */
const ANSWER_MS = 2000;

/** Returns undefined without /proc and after the process has exited. */
export const readLinuxMemory = (pid: number): LinuxMemory | undefined => {
  let status: string;
  try {
    // Never waits for a disk, and takes some 20 microseconds.
    status = readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch {
    return undefined;
  }
  const field = (name: string): number | undefined => {
    const found = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
    return found === undefined ? undefined : Number(found) * KILOBYTE;
  };
  const resident = field('VmRSS');
  const peak = field('VmHWM');
  const file = field('RssFile');
  const data = field('VmData');
  const anonymous = field('RssAnon');
  // A process that has exited but was not reaped has none of these lines.
  if (resident === undefined || peak === undefined || file === undefined) return undefined;
  if (data === undefined || anonymous === undefined) return undefined;
  return { resident: resident - file, peak: peak - file, data, anonymous };
};

const ask = async (command: string, given: readonly string[]): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile(command, [...given], { timeout: ANSWER_MS, windowsHide: true }, (error, stdout) => {
      resolve(error === null ? stdout : undefined);
    });
  });

/** The answer of `ps -o rss=`, in bytes. */
export const residentOfPs = (answer: string): number | undefined => {
  const found = /^\s*(\d+)\s*$/.exec(answer)?.[1];
  return found === undefined ? undefined : Number(found) * KILOBYTE;
};

/** The answer of `tasklist /fo csv /nh`, in bytes: the last column is kilobytes with the separators of the country. */
export const residentOfTasklist = (answer: string): number | undefined => {
  const found = /,"(?<kilobytes>\d[^"]*)"\s*$/.exec(answer)?.groups?.['kilobytes'];
  return found === undefined ? undefined : Number(found.replace(/\D/g, '')) * KILOBYTE;
};

/** Looks once. Undefined when the process has gone or the system does not say. */
export const readProcessMemory = async (pid: number): Promise<ProcessMemory | undefined> => {
  if (process.platform === 'linux') return readLinuxMemory(pid);
  const windows = process.platform === 'win32';
  const answer = windows
    ? await ask('tasklist', ['/fi', `PID eq ${pid}`, '/fo', 'csv', '/nh'])
    : await ask('ps', ['-o', 'rss=', '-p', String(pid)]);
  if (answer === undefined) return undefined;
  const resident = windows ? residentOfTasklist(answer) : residentOfPs(answer);
  return resident === undefined ? undefined : { resident, peak: resident };
};
