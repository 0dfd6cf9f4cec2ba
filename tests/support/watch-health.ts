import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until, type ServerProcess } from './server-process.ts';

/** What a server may cost whatever it is asked for. Linux alone says what a thread and a process took. */

/** Milliseconds in which `/healthz` has to answer, the time in which other programs have the processor left out. */
export const HEALTH_MS = 250;
export const RESIDENT_BYTES_MAX = 600_000_000;
export const HAS_PROC = existsSync('/proc/self/schedstat');

const NODE = join(import.meta.dirname, '../../node_modules/node/bin/node');

export type HealthWatch = {
  /** Milliseconds of the slowest `/healthz` since the last call. */
  slowest(): Promise<number>;
  /** The most bytes of memory that the server ever had. */
  residentPeak(): number;
  end(): void;
};

/** Starts a process that asks `/healthz` over and over. */
export const watchHealth = async ({ port, pid }: ServerProcess): Promise<HealthWatch> => {
  const prober = fork(join(import.meta.dirname, 'health-probe.ts'), [String(port), String(pid)], {
    execPath: NODE,
    execArgv: [],
  });
  const report = async (): Promise<{ longest: number; count: number }> => {
    const reply = once(prober, 'message');
    prober.send('report');
    const [message] = (await reply) as [{ longest: number; count: number }];
    return message;
  };
  await until(async () => (await report()).count > 0, 'the server answers');
  return {
    slowest: async () => (await report()).longest,
    residentPeak: () => Number(/VmHWM:\s+(\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024,
    end: () => void prober.kill(),
  };
};
