import { readsFigure, startSampler } from './reads-under-load.ts';
import type { Benchmark } from './support/context.ts';
import { callJson } from './support/pda.ts';
import { formatRounded, median } from './support/stats.ts';

const MAX_JUMP_MS = 200;
const ROUNDS = 5;
const PAGE_ITEMS = '50';

type Overview = { months: { month: string }[] };
type Days = { days: { day: string; groups: { source: string }[] }[] };

/** For every month, reads its days and the first items of each source on its newest day, as the dashboard does. */
export const timeline: Benchmark = async (context) => {
  const pda = await context.startPda();
  const get = <T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T> =>
    callJson<T>(pda, 'GET', `owner/timeline${path}?${new URLSearchParams(query).toString()}`);
  const jump = async (month: string): Promise<number> => {
    const start = performance.now();
    const [newest] = (await get<Days>('/days', { month })).days;
    if (newest === undefined) throw new Error(`the timeline has no days in ${month}`);
    await Promise.all(newest.groups.map(({ source }) => get('/items', { source, day: newest.day, take: PAGE_ITEMS })));
    return performance.now() - start;
  };

  const sampler = startSampler(pda, context);
  try {
    const start = performance.now();
    const { months } = await get<Overview>('');
    const countMs = performance.now() - start;
    await sampler.take();
    const durations: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) for (const { month } of months) durations.push(await jump(month));
    const reads = await sampler.take();
    return [
      {
        label: `Jump in the timeline of ${context.records.toLocaleString('en')} records`,
        value: median(durations),
        target: MAX_JUMP_MS,
        better: 'less',
        unit: 'ms',
        detail: `${durations.length} jumps to ${months.length} months: longest ${formatRounded(Math.max(...durations))} ms; the first request, which counts all records, ${formatRounded(countMs)} ms`,
      },
      readsFigure('during the jumps', reads),
    ];
  } finally {
    sampler.stop();
  }
};
