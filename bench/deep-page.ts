import type { Benchmark, Figure } from './support/context.ts';
import { compareSides, ratioFigure } from './support/load.ts';
import { ENDPOINTS } from './support/records.ts';

const CONNECTIONS = 10;
const PAGE = 100;
const DEEP_PAGE = 900;

/** Compares a deep page, after the pages before it were read, with the first page, in both orders. */
export const deepPage: Benchmark = async (context) => {
  const pda = await context.pda();
  const figures: Figure[] = [];
  for (const ordering of ['ascending', 'descending']) {
    const urlOf = (page: number): string =>
      `${pda.url}/api/v2.6/data/${ENDPOINTS.large}?ordering=${ordering}&take=${PAGE}&skip=${page * PAGE}`;
    for (let page = 0; page < DEEP_PAGE; page += 1) {
      const response = await fetch(urlOf(page), { headers: pda.headers });
      await response.arrayBuffer();
    }
    const deep = { url: urlOf(DEEP_PAGE), connections: CONNECTIONS, headers: pda.headers };
    const first = { ...deep, url: urlOf(0) };
    const comparison = await compareSides(
      { rounds: context.rounds, seconds: context.seconds / 2, warmUpSeconds: 1 },
      { server: pda, load: deep },
      { server: pda, load: first },
    );
    const label = `Page ${DEEP_PAGE} of ${PAGE}, ${ordering}, after the pages before it, to the first page`;
    figures.push(ratioFigure(label, 0.5, comparison));
  }
  return figures;
};
