import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sampleIds, startSampler } from './reads-under-load.ts';
import type { Benchmark, Pda } from './support/context.ts';
import { median, percentile, two, formatRounded } from './support/stats.ts';

const FILES = 10_000;
const MAX_SECONDS = 60;
const MAX_MS = 50;
const GIVE_UP_SECONDS = 5 * MAX_SECONDS;
const EVERY_MS = 200;

const registered = async (pda: Pda): Promise<number> => {
  const response = await fetch(`${pda.url}/api/v2.6/owner/files?source=dropped&take=1`, { headers: pda.headers });
  if (!response.ok) throw new Error(`the list of files: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { total: number }).total;
};

/**
 * Measures how long it takes to register files that another program writes, and the latency of concurrent single reads.
 */
export const filesFolder: Benchmark = async (context) => {
  const pda = await context.pda();
  const folder = join(context.home(), 'files', 'dropped');
  const sampler = startSampler(pda, sampleIds(context));
  try {
    await sleep(2000);
    await sampler.take();
    await sleep(2000);
    const calm = await sampler.take();

    const start = performance.now();
    const seconds = (): number => (performance.now() - start) / 1000;
    // A separate process, like the owner's file manager.
    const writer = fork(fileURLToPath(new URL('./support/drop-files.ts', import.meta.url)), [folder, String(FILES)]);
    const [code] = (await once(writer, 'exit')) as [number | null];
    if (code !== 0) throw new Error('the files could not be written');
    const writtenAfter = seconds();
    while ((await registered(pda)) < FILES) {
      if (seconds() > GIVE_UP_SECONDS) throw new Error(`${await registered(pda)} files after ${GIVE_UP_SECONDS} s`);
      await sleep(EVERY_MS);
    }
    const took = seconds();
    const reads = await sampler.take();
    return [
      {
        what: `${formatRounded(FILES)} small files dropped into the folder: until all are registered`,
        value: took,
        target: MAX_SECONDS,
        better: 'less',
        unit: 's',
        detail: `written in ${two(writtenAfter)} s; a file is left alone for 2 s before it counts`,
      },
      {
        what: 'p99 of a single-record GET meanwhile',
        value: percentile(reads, 0.99),
        target: MAX_MS,
        better: 'less',
        unit: 'ms',
        detail:
          `${formatRounded(reads.length)} reads: median ${two(median(reads))} ms, longest ${two(Math.max(...reads))} ms; ` +
          `before it p99 ${two(percentile(calm, 0.99))} ms`,
      },
    ];
  } finally {
    sampler.stop();
    // Restore the folder for the other benchmarks. The server marks the files as deleted.
    rmSync(folder, { recursive: true, force: true });
  }
};
