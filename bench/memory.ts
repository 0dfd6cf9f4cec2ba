import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark } from './support/context.ts';
import { megabytes } from './support/stats.ts';

/** Includes the thread that watches the files folder. */
const MAX_IDLE_MB = 170;
const MAX_AFTER_MB = 250;
const MEGABYTE = 1_000_000;
/** Idle database threads end after ten seconds. */
const SETTLE_MS = 12_000;

/** Formats the peak memory of a process if the system records it. */
const peakOf = (pid: number): string => {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return '';
  const kilobytes = /^VmHWM:\s+(\d+)/mu.exec(readFileSync(file, 'utf8'))?.[1];
  return kilobytes === undefined ? '' : `, ${megabytes(Number(kilobytes) * 1024)} at the most`;
};

/** Measures the memory of the server after all previous benchmarks, and of a freshly started one. */
export const memory: Benchmark = async (context) => {
  const worked = await context.pda();
  await sleep(SETTLE_MS);
  const after = worked.rss();
  const peak = peakOf(worked.pid);
  await context.stopPda();
  const fresh = await context.pda();
  await sleep(SETTLE_MS);
  const idle = fresh.rss();
  return [
    {
      what: 'Memory of the server, idle',
      value: idle / MEGABYTE,
      target: MAX_IDLE_MB,
      better: 'less',
      unit: 'MB',
      detail: `resident, after a start and a sign-in${peakOf(fresh.pid)}`,
    },
    {
      what: 'Memory of the server after the benchmarks',
      value: after / MEGABYTE,
      target: MAX_AFTER_MB,
      better: 'less',
      unit: 'MB',
      detail: `resident, the same process all along${peak}`,
    },
  ];
};
