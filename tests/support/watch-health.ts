import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODE } from './paths.ts';
import { until, type ServerProcess } from './server-process.ts';

// Measures the response time and the memory of a server under load. Only Linux reports CPU time per thread.

/** Milliseconds within which `/healthz` must respond, excluding the time in which other programs have the CPU. */
export const HEALTH_RESPONSE_MAX_MS = 250;
export const RESIDENT_BYTES_MAX = 600_000_000;
export const HAS_PROC = existsSync('/proc/self/schedstat');

/** Message of the process that polls `/healthz`: number of responses, and the longest delay in milliseconds. */
export type HealthReport = { longestMs: number; count: number };

export type HealthWatch = {
  /** Returns the longest delay of a `/healthz` response since the last call, in milliseconds. */
  slowest(): Promise<number>;
  /** Returns the peak memory of the server in bytes. */
  residentPeak(): number;
  end(): void;
};

export const watchHealth = async ({ port, pid }: ServerProcess): Promise<HealthWatch> => {
  const probe = fork(join(import.meta.dirname, 'health-probe.ts'), [String(port), String(pid)], {
    execPath: NODE,
    execArgv: [],
  });
  const report = async (): Promise<HealthReport> => {
    const reply = once(probe, 'message');
    probe.send('report');
    const [message] = (await reply) as [HealthReport];
    return message;
  };
  await until(async () => (await report()).count > 0, 'the server responds');
  return {
    slowest: async () => (await report()).longestMs,
    residentPeak: () => Number(/VmHWM:\s+(\d+) kB/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024,
    end: () => void probe.kill(),
  };
};
