import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sampleIds, startSampler } from './reads-under-load.ts';
import type { Benchmark, Pda } from './support/context.ts';
import { median, percentile, toFixed2, formatRounded } from './support/stats.ts';

const FILES = 10_000;
const MAX_SECONDS = 60;
const MAX_READ_P99_MS = 50;
const TIMEOUT_SECONDS = 5 * MAX_SECONDS;
const POLL_MS = 200;
/** Duration of reads before the files are written, once as a warm-up and once as a comparison. */
const SAMPLE_MS = 2000;

const countRegistered = async (pda: Pda): Promise<number> => {
  const response = await fetch(`${pda.url}/api/v2.6/owner/files?source=dropped&take=1`, { headers: pda.headers });
  if (!response.ok) throw new Error(`could not list the files: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { total: number }).total;
};

/**
 * Measures how long the server takes to register files that another program writes, and the latency of single reads
 * meanwhile.
 */
export const filesFolder: Benchmark = async (context) => {
  const pda = await context.startPda();
  const folder = join(context.prepareHome(), 'files', 'dropped');
  const sampler = startSampler(pda, sampleIds(context));
  try {
    await sleep(SAMPLE_MS);
    await sampler.take();
    await sleep(SAMPLE_MS);
    const idleDurations = await sampler.take();

    const start = performance.now();
    const elapsedSeconds = (): number => (performance.now() - start) / 1000;
    // A separate process, like the owner's file manager.
    const writer = fork(fileURLToPath(new URL('./support/drop-files.ts', import.meta.url)), [folder, String(FILES)]);
    const [code] = (await once(writer, 'exit')) as [number | null];
    if (code !== 0) throw new Error('the files could not be written');
    const writtenAfter = elapsedSeconds();
    while ((await countRegistered(pda)) < FILES) {
      if (elapsedSeconds() > TIMEOUT_SECONDS)
        throw new Error(`only ${await countRegistered(pda)} files were registered after ${TIMEOUT_SECONDS} s`);
      await sleep(POLL_MS);
    }
    const totalSeconds = elapsedSeconds();
    const durations = await sampler.take();
    return [
      {
        label: `Time to register ${formatRounded(FILES)} small files dropped into the folder`,
        value: totalSeconds,
        target: MAX_SECONDS,
        better: 'less',
        unit: 's',
        detail: `written in ${toFixed2(writtenAfter)} s; a file is registered when it has not changed for 2 s`,
      },
      {
        label: 'p99 of a single-record GET while the files are registered',
        value: percentile(durations, 0.99),
        target: MAX_READ_P99_MS,
        better: 'less',
        unit: 'ms',
        detail:
          `${formatRounded(durations.length)} reads: median ${toFixed2(median(durations))} ms, longest ${toFixed2(Math.max(...durations))} ms; ` +
          `p99 before the writes ${toFixed2(percentile(idleDurations, 0.99))} ms`,
      },
    ];
  } finally {
    sampler.stop();
    // Restores the folder for the other benchmarks. The server marks the files as deleted.
    rmSync(folder, { recursive: true, force: true });
  }
};
