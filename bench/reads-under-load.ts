import Sqlite from 'better-sqlite3';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark, Context, Figure, Pda } from './support/context.ts';
import { ENDPOINTS, recordTexts } from './support/records.ts';
import { median, percentile, toFixed2, formatRounded } from './support/stats.ts';

const READ_INTERVAL_MS = 4;
const IMPORTED_RECORDS = 200_000;
const MAX_READ_P99_MS = 25;
/** Duration of reads before the load, once as a warm-up and once as a comparison. */
const SAMPLE_MS = 2000;
const LINE_FEED = 10;
const API = '/api/v2.6/owner';

/** Returns record IDs from all over the large endpoint, so that most reads find no cached page. */
export const sampleIds = (context: Context): string[] => {
  const db = new Sqlite(join(context.prepareHome(), 'pda.sqlite'), { readonly: true });
  const ids = db
    .prepare<[number], string>('SELECT id FROM records WHERE endpoint = 1 AND rowid % ? = 0 LIMIT 1000')
    .pluck()
    .all(Math.floor(context.records / 1000));
  db.close();
  return ids;
};

const call = async <T>(pda: Pda, method: string, path: string, body?: unknown): Promise<T> => {
  const isBinary = Buffer.isBuffer(body);
  const response = await fetch(pda.url + API + path, {
    method,
    headers: { ...pda.headers, 'content-type': isBinary ? 'application/octet-stream' : 'application/json' },
    ...(body === undefined ? {} : { body: isBinary ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`request to ${path} failed: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
};

type Job = { importId: string; state: string; added: number };

const importAll = async (pda: Pda, lines: Buffer): Promise<void> => {
  const { importId } = await call<Job>(pda, 'POST', '/imports', { fileName: 'bench.ndjson', size: lines.length });
  await call(pda, 'PUT', `/imports/${importId}/content?offset=0`, lines);
  await call(pda, 'POST', `/imports/${importId}/run`, { endpoint: ENDPOINTS.imported, format: 'ndjson' });
  for (;;) {
    const job = await call<Job>(pda, 'GET', `/imports/${importId}`);
    if (job.state === 'done' && job.added === IMPORTED_RECORDS) return;
    if (job.state !== 'running') throw new Error(`the import is ${job.state} with ${job.added} records`);
    await sleep(100);
  }
};

const exportAll = async (pda: Pda, format: 'ndjson' | 'csv'): Promise<void> => {
  const { url } = await call<{ url: string }>(pda, 'POST', '/exports', { endpoint: ENDPOINTS.imported, format });
  const response = await fetch(pda.url + url);
  let lines = 0;
  // These records contain no line breaks.
  for await (const chunk of response.body ?? []) for (const byte of chunk) if (byte === LINE_FEED) lines += 1;
  if (lines < IMPORTED_RECORDS) throw new Error(`the export has only ${lines} lines`);
};

/** Starts a process that reads single records at a constant rate. `take` returns and resets the durations in ms. */
export const startSampler = (pda: Pda, ids: readonly string[]) => {
  const child = fork(fileURLToPath(new URL('./support/sampler.ts', import.meta.url)), [
    pda.url,
    pda.headers['x-auth-token'],
    String(READ_INTERVAL_MS),
    ...ids,
  ]);
  const take = async (): Promise<number[]> => {
    child.send('take');
    const [{ durations, failures }] = (await once(child, 'message')) as [{ durations: number[]; failures: number }];
    if (failures > 0) throw new Error(`${failures} single reads failed`);
    return durations;
  };
  return { take, stop: () => child.disconnect() };
};

/** Creates the figure for the 99th percentile of single reads. @param durations milliseconds */
export const readsFigure = (condition: string, durations: readonly number[]): Figure => ({
  label: `p99 of a single-record GET ${condition}`,
  value: percentile(durations, 0.99),
  target: MAX_READ_P99_MS,
  better: 'less',
  unit: 'ms',
  detail: `${formatRounded(durations.length)} reads: median ${toFixed2(median(durations))} ms, longest ${toFixed2(Math.max(...durations))} ms`,
});

/** Measures the latency of single reads during a large import and during exports. */
export const readsUnderLoad: Benchmark = async (context) => {
  const pda = await context.startPda();
  const lines = Buffer.from(`${recordTexts(0, IMPORTED_RECORDS).join('\n')}\n`);
  const sampler = startSampler(pda, sampleIds(context));
  try {
    await sleep(SAMPLE_MS);
    await sampler.take();
    await sleep(SAMPLE_MS);
    const idleDurations = await sampler.take();
    const figures: Figure[] = [];
    const measureDuring = async (label: string, work: () => Promise<void>): Promise<void> => {
      const start = performance.now();
      await work();
      const seconds = (performance.now() - start) / 1000;
      const durations = await sampler.take();
      figures.push({
        label: `p99 of a single-record GET while ${formatRounded(IMPORTED_RECORDS)} records are ${label}`,
        value: percentile(durations, 0.99),
        target: MAX_READ_P99_MS,
        better: 'less',
        unit: 'ms',
        detail:
          `${formatRounded(durations.length)} reads in ${toFixed2(seconds)} s: median ${toFixed2(median(durations))} ms, longest ${toFixed2(Math.max(...durations))} ms; ` +
          `p99 before the load ${toFixed2(percentile(idleDurations, 0.99))} ms`,
      });
      await sleep(1000);
      await sampler.take();
    };
    await measureDuring('imported', () => importAll(pda, lines));
    for (const format of ['ndjson', 'csv'] as const) {
      await measureDuring(`exported as ${format}`, async () => {
        // A single export may end after a few hundred reads, too few for a 99th percentile.
        const until = performance.now() + (context.quick ? 3000 : 6000);
        do await exportAll(pda, format);
        while (performance.now() < until);
      });
    }
    return figures;
  } finally {
    sampler.stop();
  }
};
