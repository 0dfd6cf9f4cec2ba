import Sqlite from 'better-sqlite3';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark, Context, Figure } from './support/context.ts';
import { callJson, type Pda } from './support/pda.ts';
import { ENDPOINTS, createRecordTexts } from './support/records.ts';
import { median, percentile, toFixed2, formatRounded } from './support/stats.ts';

const READ_INTERVAL_MS = 4;
const IMPORTED_RECORDS = 200_000;
const MAX_READ_P99_MS = 25;
const SAMPLE_MS = 2000;
const LINE_FEED = 10;

/** Returns up to 1,000 record IDs, spread over the whole large endpoint. */
const sampleIds = (context: Context): string[] => {
  const db = new Sqlite(join(context.prepareHome(), 'pda.sqlite'), { readonly: true });
  const ids = db
    .prepare<[number], string>('SELECT id FROM records WHERE endpoint = 1 AND rowid % ? = 0 LIMIT 1000')
    .pluck()
    .all(Math.floor(context.records / 1000));
  db.close();
  return ids;
};

type Job = { importId: string; state: string; added: number };

const importAll = async (pda: Pda, lines: Buffer): Promise<void> => {
  const { importId } = await callJson<Job>(pda, 'POST', 'owner/imports', {
    fileName: 'bench.ndjson',
    size: lines.length,
  });
  await callJson(pda, 'PUT', `owner/imports/${importId}/content?offset=0`, lines);
  await callJson(pda, 'POST', `owner/imports/${importId}/run`, { endpoint: ENDPOINTS.imported, format: 'ndjson' });
  for (;;) {
    const job = await callJson<Job>(pda, 'GET', `owner/imports/${importId}`);
    if (job.state === 'done' && job.added === IMPORTED_RECORDS) return;
    if (job.state !== 'running') throw new Error(`the import is ${job.state} with ${job.added} records`);
    await sleep(100);
  }
};

const exportAll = async (pda: Pda, format: 'ndjson' | 'csv'): Promise<void> => {
  const { url } = await callJson<{ url: string }>(pda, 'POST', 'owner/exports', {
    endpoint: ENDPOINTS.imported,
    format,
  });
  const response = await fetch(pda.url + url);
  let lines = 0;
  // These records contain no line breaks, so each line is one record.
  for await (const chunk of response.body ?? []) for (const byte of chunk) if (byte === LINE_FEED) lines += 1;
  if (lines < IMPORTED_RECORDS) throw new Error(`the export has only ${lines} lines`);
};

/** Starts a process that reads single records at a constant rate. `take` returns and resets the durations in ms. */
export const startSampler = (pda: Pda, context: Context) => {
  const child = fork(fileURLToPath(new URL('./support/sampler.ts', import.meta.url)), [
    pda.url,
    pda.headers['x-auth-token'],
    String(READ_INTERVAL_MS),
    ...sampleIds(context),
  ]);
  const take = async (): Promise<number[]> => {
    child.send('take');
    const [{ durations, failures }] = (await once(child, 'message')) as [{ durations: number[]; failures: number }];
    if (failures > 0) throw new Error(`${failures} single reads failed`);
    return durations;
  };
  return {
    take,
    async takeIdle(): Promise<number[]> {
      await sleep(SAMPLE_MS);
      await take();
      await sleep(SAMPLE_MS);
      return take();
    },
    stop: () => child.disconnect(),
  };
};

/**
 * Returns the figure for the 99th percentile of single reads.
 * @param durations milliseconds
 * @param idleDurations milliseconds of reads before the load
 */
export const readsFigure = (
  condition: string,
  durations: readonly number[],
  idleDurations?: readonly number[],
): Figure => ({
  label: `p99 of a single-record GET ${condition}`,
  value: percentile(durations, 0.99),
  target: MAX_READ_P99_MS,
  better: 'less',
  unit: 'ms',
  detail:
    `${formatRounded(durations.length)} reads: median ${toFixed2(median(durations))} ms, longest ${toFixed2(Math.max(...durations))} ms` +
    (idleDurations === undefined ? '' : `; p99 before the load ${toFixed2(percentile(idleDurations, 0.99))} ms`),
});

export const readsUnderLoad: Benchmark = async (context) => {
  const pda = await context.startPda();
  const lines = Buffer.from(`${createRecordTexts(0, IMPORTED_RECORDS).join('\n')}\n`);
  const sampler = startSampler(pda, context);
  try {
    const idleDurations = await sampler.takeIdle();
    const figures: Figure[] = [];
    const measureDuring = async (label: string, work: () => Promise<void>): Promise<void> => {
      await work();
      const condition = `while ${formatRounded(IMPORTED_RECORDS)} records are ${label}`;
      figures.push(readsFigure(condition, await sampler.take(), idleDurations));
      await sleep(1000);
      await sampler.take();
    };
    await measureDuring('imported', () => importAll(pda, lines));
    for (const format of ['ndjson', 'csv'] as const) {
      await measureDuring(`exported as ${format}`, async () => {
        // A single export may end after a few hundred reads, too few for a 99th percentile.
        const deadline = performance.now() + (context.quick ? 3000 : 6000);
        do await exportAll(pda, format);
        while (performance.now() < deadline);
      });
    }
    return figures;
  } finally {
    sampler.stop();
  }
};
