import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Benchmark } from './support/context.ts';
import { compare, measureLargeRequests, ratioFigure } from './support/load.ts';
import { ENDPOINTS, createRecordTexts } from './support/records.ts';

const RECORDS_PER_BATCH = 1000;
/** Enough to parse one batch while the previous batch is stored. More connections would only queue. */
const CONNECTIONS = 4;

export const postBatch: Benchmark = async (context) => {
  const batches = context.quick ? 60 : 120;
  const pda = await context.startPda();
  const baseline = fork(new URL('./bare/insert-batches.ts', import.meta.url), [
    join(context.folder, 'alone.sqlite'),
    String(batches),
  ]);
  const measureBaseline = async (): Promise<number> => {
    baseline.send('round');
    const [rowsPerSecond] = (await once(baseline, 'message')) as [number];
    return rowsPerSecond / RECORDS_PER_BATCH;
  };
  const load = {
    url: `${pda.url}/api/v2.6/data/${ENDPOINTS.batch}`,
    connections: CONNECTIONS,
    method: 'POST',
    headers: pda.headers,
    bodies: [`[${createRecordTexts(0, RECORDS_PER_BATCH).join(',')}]`],
  } as const;
  try {
    await measureLargeRequests(pda, load, batches);
    await measureBaseline();
    const comparison = await compare(
      context.rounds,
      () => measureLargeRequests(pda, load, batches),
      async () => ({ perSecond: await measureBaseline(), cpuPerRequest: undefined }),
    );
    const label = `POST batches of 1000, ${CONNECTIONS} connections, compared with better-sqlite3 alone`;
    return [ratioFigure(label, 0.7, { ...comparison, detail: `batches: ${comparison.detail}` })];
  } finally {
    baseline.disconnect();
  }
};
