import { readsFigure, startSampler } from './reads-under-load.ts';
import type { Benchmark } from './support/context.ts';
import { callJson } from './support/pda.ts';
import { ENDPOINTS } from './support/records.ts';
import { formatRounded, measureDurations, median } from './support/stats.ts';

const MAX_AGGREGATION_MS = 1000;
const ROUNDS = 5;

export const charts: Benchmark = async (context) => {
  const pda = await context.startPda();
  const path = `owner/charts/series?endpoint=${ENDPOINTS.large}&time=time&value=steps&per=day`;

  const aggregateAll = async (): Promise<void> => {
    let records = 0;
    for (let cursor = ''; ;) {
      const page = await callJson<{ records: number; next: number | null }>(pda, 'GET', path + cursor);
      records += page.records;
      if (page.next === null) break;
      cursor = `&before=${page.next}`;
    }
    if (records !== context.records) throw new Error(`the charts counted ${records} of ${context.records} records`);
  };

  const sampler = startSampler(pda, context);
  try {
    await aggregateAll();
    await sampler.take();
    const durations = await measureDurations(ROUNDS, aggregateAll);
    const reads = await sampler.take();
    return [
      {
        label: `Aggregation by day over ${context.records.toLocaleString('en')} records`,
        value: median(durations),
        target: MAX_AGGREGATION_MS,
        better: 'less',
        unit: 'ms',
        detail: `median of ${ROUNDS} rounds, each reading all pages: ${durations.map(formatRounded).join(', ')} ms`,
      },
      readsFigure('during the aggregation', reads),
    ];
  } finally {
    sampler.stop();
  }
};
