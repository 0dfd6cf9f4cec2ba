import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark } from './support/context.ts';
import { startAndMeasure } from './support/pda.ts';
import { median, formatRounded } from './support/stats.ts';

const MAX_START_MS = 1000;
const PAUSE_MS = 200;

export const startUp: Benchmark = async (context) => {
  await context.stopPda();
  const home = context.prepareHome();
  const durations: number[] = [];
  // Warm-up: the first round fills the code cache and the file cache, and the first fetch of a process is slow.
  for (let round = -1; round < (context.quick ? 5 : 11); round += 1) {
    const { server, ms } = await startAndMeasure(home);
    if (round >= 0) durations.push(ms);
    await server.stop();
    await sleep(PAUSE_MS);
  }
  return [
    {
      label: `Start until the first response with ${formatRounded(context.records)} records`,
      value: median(durations),
      target: MAX_START_MS,
      better: 'less',
      unit: 'ms',
      detail: `${durations.length} starts, ${formatRounded(Math.min(...durations))} to ${formatRounded(Math.max(...durations))} ms`,
    },
  ];
};
