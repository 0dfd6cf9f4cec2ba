import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Memory of a process in bytes. */
type ProcessMemory = {
  /** On Linux, pages of mapped files are excluded, because all processes share the pages of Node's executable. */
  readonly resident: number;
  /** Highest value since the start of the process, approximate on Linux; equal to `resident` on other systems. */
  readonly peak: number;
};

type LinuxMemory = ProcessMemory & { readonly data: number; readonly anonymous: number };

const KILOBYTE = 1024;
const COMMAND_TIMEOUT_MS = 2000;

/** Reads /proc. Returns undefined if /proc is missing or the process has exited. */
export const readLinuxMemory = (pid: number): LinuxMemory | undefined => {
  let status: string;
  try {
    // Synchronous, because /proc never waits for a disk and the read takes about 20 µs.
    status = readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch {
    return undefined;
  }
  const field = (name: string): number | undefined => {
    const value = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
    return value === undefined ? undefined : Number(value) * KILOBYTE;
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

const runCommand = async (command: string, args: readonly string[]): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile(command, [...args], { timeout: COMMAND_TIMEOUT_MS, windowsHide: true }, (error, stdout) => {
      resolve(error === null ? stdout : undefined);
    });
  });

export const residentOfPs = (output: string): number | undefined => {
  const kilobytes = /^\s*(\d+)\s*$/.exec(output)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * KILOBYTE;
};

/** The last column has kilobytes with locale-specific separators. */
export const residentOfTasklist = (output: string): number | undefined => {
  const kilobytes = /,"(?<kilobytes>\d[^"]*)"\s*$/.exec(output)?.groups?.['kilobytes'];
  return kilobytes === undefined ? undefined : Number(kilobytes.replace(/\D/g, '')) * KILOBYTE;
};

/** Returns undefined if the process has exited or the system does not report its memory. */
export const readProcessMemory = async (pid: number): Promise<ProcessMemory | undefined> => {
  if (process.platform === 'linux') return readLinuxMemory(pid);
  const isWindows = process.platform === 'win32';
  const output = isWindows
    ? await runCommand('tasklist', ['/fi', `PID eq ${pid}`, '/fo', 'csv', '/nh'])
    : await runCommand('ps', ['-o', 'rss=', '-p', String(pid)]);
  if (output === undefined) return undefined;
  const resident = isWindows ? residentOfTasklist(output) : residentOfPs(output);
  return resident === undefined ? undefined : { resident, peak: resident };
};
