import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark } from './support/context.ts';
import { ROOT } from './support/processes.ts';
import { median, formatRounded } from './support/stats.ts';

const MAX_START_MS = 1000;
const PAUSE_MS = 200;

const measureStart = async (home: string): Promise<number> => {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['server/pda/cli/main.ts', 'serve', '--home', home], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  try {
    const lines = createInterface({ input: child.stdout });
    const url = await new Promise<string>((resolve, reject) => {
      lines.on('line', (line) => {
        const url = /listening on (http:\S+)/u.exec(line)?.[1];
        if (url !== undefined) resolve(url);
      });
      child.once('exit', () => reject(new Error('the server did not start')));
    });
    const response = await fetch(`${url}/healthz`);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`the first response was ${response.status}`);
    return performance.now() - startedAt;
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
};

/** Measures the time from the start of the process to its first response, with a large home. */
export const startUp: Benchmark = async (context) => {
  await context.stopPda();
  const home = context.prepareHome();
  const durations: number[] = [];
  // Warm-up round: fills the code cache and the file cache, and the first fetch of this process is slow.
  for (let round = -1; round < (context.quick ? 5 : 11); round += 1) {
    const duration = await measureStart(home);
    if (round >= 0) durations.push(duration);
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
