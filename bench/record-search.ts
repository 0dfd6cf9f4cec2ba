import { readsFigure, startSampler } from './reads-under-load.ts';
import type { Benchmark } from './support/context.ts';
import { callJson } from './support/pda.ts';
import { measureDurations, median, toFixed2 } from './support/stats.ts';

const MAX_RARE_SEARCH_MS = 50;
/** A search for common words reads all their occurrences. */
const MAX_COMMON_SEARCH_MS = 1000;
const ROUNDS = 7;

const RARE_SEARCHES: Readonly<Record<string, string>> = {
  'a number in one record': '123456',
  'the beginning of some numbers': '1234',
  'a word in no record': 'nowhere',
};
const COMMON_SEARCHES: Readonly<Record<string, string>> = {
  'a word in every record': 'place',
  'a word in every record and a number': 'place 250',
  'a day': '2024-03-17',
};

type SearchResponse = { matches: unknown[]; isComplete: boolean };

export const recordSearch: Benchmark = async (context) => {
  const pda = await context.startPda();
  const sampler = startSampler(pda, context);
  const measure = async (searches: Readonly<Record<string, string>>) => {
    const medians: number[] = [];
    const details: string[] = [];
    for (const [name, text] of Object.entries(searches)) {
      let matches = 0;
      const durations = await measureDurations(ROUNDS, async () => {
        const query = new URLSearchParams({ text }).toString();
        const response = await callJson<SearchResponse>(pda, 'GET', `owner/search?${query}`);
        if (!response.isComplete) throw new Error('record search: the index is not complete');
        matches = response.matches.length;
      });
      medians.push(median(durations));
      details.push(
        `${name} (${matches} shown): ${toFixed2(median(durations))} ms, longest ${toFixed2(Math.max(...durations))} ms`,
      );
    }
    return { slowest: Math.max(...medians), detail: `median of ${ROUNDS}: ${details.join('; ')}` };
  };
  try {
    await sampler.take();
    const rareMeasurement = await measure(RARE_SEARCHES);
    const commonMeasurement = await measure(COMMON_SEARCHES);
    const reads = await sampler.take();
    const records = context.records.toLocaleString('en');
    return [
      {
        label: `Search over ${records} records, the slowest search`,
        value: rareMeasurement.slowest,
        target: MAX_RARE_SEARCH_MS,
        better: 'less',
        unit: 'ms',
        detail: rareMeasurement.detail,
      },
      {
        label: `Search over ${records} records for common words, the slowest search`,
        value: commonMeasurement.slowest,
        target: MAX_COMMON_SEARCH_MS,
        better: 'less',
        unit: 'ms',
        detail: commonMeasurement.detail,
      },
      readsFigure('during the searches', reads),
    ];
  } finally {
    sampler.stop();
  }
};
