import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ALLOCATOR_SETTINGS } from '../../main/server/launch.ts';

// Child processes that the benchmarks measure. Each prints a line when it is ready, and exits on SIGTERM.

export type BenchmarkProcess = {
  url: string;
  cpuSeconds(): number | undefined;
  /** Resident memory in bytes. */
  rss(): number;
  peakRss(): number | undefined;
  stop(): Promise<void>;
};

const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;
const MAX_ERROR_CHARS = 4000;
/** Clock ticks per second in /proc: the same on every Linux that runs Node. */
const TICKS_PER_SECOND = 100;
const ADDRESS_LINE = /listening on (https?:\/\/\S+)/u;

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const children = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

const cpuSecondsOf = (pid: number): number | undefined => {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return undefined;
  // The process name in parentheses may contain spaces; the numbers follow it.
  const fields = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
};

const memoryOf = (pid: number, field: 'VmRSS' | 'VmHWM'): number | undefined => {
  const file = `/proc/${pid}/status`;
  const status = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+)`, 'mu').exec(status)?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
};

const SAMPLE_MS = 20;

/** @returns the result of `work` and the peak resident memory of the server during `work`, in bytes */
export const measurePeakMemory = async <T>(
  server: BenchmarkProcess,
  work: () => Promise<T>,
): Promise<{ result: T; peakBytes: number }> => {
  let peakBytes = server.rss();
  const sample = (): void => {
    peakBytes = Math.max(peakBytes, server.rss());
  };
  const timer = setInterval(sample, SAMPLE_MS);
  try {
    const result = await work();
    sample();
    return { result, peakBytes };
  } finally {
    clearInterval(timer);
  }
};

/** Starts a script with this process's Node binary, so that no launcher is measured. */
export const startProcess = async (
  file: string,
  args: readonly string[],
  nodeArgs: readonly string[] = [],
): Promise<BenchmarkProcess> => {
  const child = spawn(process.execPath, [...nodeArgs, file, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    // The desktop app and `npm start` use the same allocator settings.
    env: { ...process.env, ...ALLOCATOR_SETTINGS, PDA_LOG_LEVEL: 'warn' },
  });
  children.add(child);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-MAX_ERROR_CHARS);
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      children.delete(child);
      resolve();
    });
  });
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${file} was not ready in time\n${errors}`)), READY_TIMEOUT_MS);
    createInterface({ input: child.stdout }).on('line', (line) => {
      const url = ADDRESS_LINE.exec(line)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve(url);
    });
    void exited.then(() => {
      clearTimeout(timer);
      reject(new Error(`${file} ended\n${errors}`));
    });
  });
  const pid = child.pid ?? 0;
  return {
    url,
    cpuSeconds: () => cpuSecondsOf(pid),
    rss: () =>
      memoryOf(pid, 'VmRSS') ??
      Number(spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).stdout) * 1024,
    peakRss: () => memoryOf(pid, 'VmHWM'),
    async stop() {
      if (child.exitCode !== null) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => {
        process.stderr.write(`${file} did not end within ${STOP_TIMEOUT_MS} ms and was killed\n${errors}\n`);
        child.kill('SIGKILL');
      }, STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(timer);
    },
  };
};

export const runToCompletion = (file: string, args: readonly string[], input?: string): string => {
  const result = spawnSync(process.execPath, [file, ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    ...(input === undefined ? {} : { input }),
  });
  if (result.status !== 0) throw new Error(`${file} failed\n${result.stderr}`);
  return result.stdout;
};
