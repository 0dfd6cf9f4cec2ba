import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readsFigure, startSampler } from './reads-under-load.ts';
import type { Benchmark } from './support/context.ts';
import { callJson, type Pda } from './support/pda.ts';
import { formatRounded, toFixed2 } from './support/stats.ts';

const FILES = 10_000;
const MAX_SECONDS = 60;
const MAX_READ_P99_MS = 50;
const TIMEOUT_SECONDS = 5 * MAX_SECONDS;
const POLL_MS = 200;

const countRegistered = async (pda: Pda): Promise<number> =>
  (await callJson<{ total: number }>(pda, 'GET', 'owner/files?source=dropped&take=1')).total;

export const filesFolder: Benchmark = async (context) => {
  const pda = await context.startPda();
  const folder = join(context.prepareHome(), 'files', 'dropped');
  const sampler = startSampler(pda, context);
  try {
    const idleDurations = await sampler.takeIdle();

    const start = performance.now();
    const elapsedSeconds = (): number => (performance.now() - start) / 1000;
    // A separate process, like the owner's file manager.
    const writer = fork(fileURLToPath(new URL('./support/drop-files.ts', import.meta.url)), [folder, String(FILES)]);
    const [code] = (await once(writer, 'exit')) as [number | null];
    if (code !== 0) throw new Error('the files could not be written');
    const writeSeconds = elapsedSeconds();
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
        detail: `written in ${toFixed2(writeSeconds)} s; a file is registered when it has not changed for 2 s`,
      },
      {
        ...readsFigure('while the files are registered', durations, idleDurations),
        target: MAX_READ_P99_MS,
      },
    ];
  } finally {
    sampler.stop();
    // The other benchmarks run without these files. The server marks them as deleted.
    rmSync(folder, { recursive: true, force: true });
  }
};
