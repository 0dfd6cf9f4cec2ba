import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark } from './support/context.ts';
import { serveHome } from './support/pda.ts';
import { formatMegabytes } from './support/stats.ts';

/** Includes the memory of the thread that watches the files folder. */
const MAX_IDLE_MB = 170;
const MAX_USED_MB = 250;
const MEGABYTE = 1_000_000;
/** Idle database threads end after ten seconds. */
const SETTLE_MS = 12_000;

const formatPeak = (bytes: number | undefined): string =>
  bytes === undefined ? '' : `, peak ${formatMegabytes(bytes)}`;

export const memory: Benchmark = async (context) => {
  const usedPda = await context.startPda();
  await sleep(SETTLE_MS);
  const usedBytes = usedPda.rss();
  const usedPeak = formatPeak(usedPda.peakRss());
  await context.stopPda();
  // Not `context.startPda`: it queries the search index, which starts a thread whose memory is not returned.
  const idlePda = await serveHome(context.prepareHome());
  await sleep(SETTLE_MS);
  const idleBytes = idlePda.rss();
  const idlePeak = formatPeak(idlePda.peakRss());
  await idlePda.stop();
  return [
    {
      label: 'Memory of the server, idle',
      value: idleBytes / MEGABYTE,
      target: MAX_IDLE_MB,
      better: 'less',
      unit: 'MB',
      detail: `resident, after a start and a sign-in${idlePeak}`,
    },
    {
      label: 'Memory of the server after the benchmarks',
      value: usedBytes / MEGABYTE,
      target: MAX_USED_MB,
      better: 'less',
      unit: 'MB',
      detail: `resident, in the process that served the last benchmarks${usedPeak}`,
    },
  ];
};
