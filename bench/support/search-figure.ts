import type { Figure } from './context.ts';
import { measureDurations, median, toFixed2 } from './stats.ts';

const MAX_SEARCH_MS = 50;
const RUNS_PER_SEARCH = 5;

/** Runs each search several times, one after the other. @returns the figure of the slowest search, by its median */
export const measureSlowestSearch = async (
  label: string,
  searches: readonly string[],
  runSearch: (search: string) => Promise<unknown>,
): Promise<Figure> => {
  let slowest = { ms: 0, search: '', first: 0 };
  let longest = 0;
  for (const search of searches) {
    const durations = await measureDurations(RUNS_PER_SEARCH, () => runSearch(search));
    const ms = median(durations);
    if (ms > slowest.ms) slowest = { ms, search, first: durations[0] ?? 0 };
    longest = Math.max(longest, ...durations);
  }
  return {
    label,
    value: slowest.ms,
    target: MAX_SEARCH_MS,
    better: 'less',
    unit: 'ms',
    detail:
      `${searches.length} ${searches.length === 1 ? 'search' : 'searches'}, median of ${RUNS_PER_SEARCH} each; slowest \`${slowest.search}\`, its first run ${toFixed2(slowest.first)} ms; ` +
      `longest run of all searches ${toFixed2(longest)} ms`,
  };
};
