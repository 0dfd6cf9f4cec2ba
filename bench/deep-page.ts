import type { Benchmark, Figure } from './support/context.ts';
import { compareSides, ratioFigure } from './support/load.ts';
import { ENDPOINTS } from './support/records.ts';

const CONNECTIONS = 10;
const PAGE_SIZE = 100;
const PAGES_BEFORE = 900;

export const deepPage: Benchmark = async (context) => {
  const pda = await context.startPda();
  const figures: Figure[] = [];
  for (const ordering of ['ascending', 'descending']) {
    const urlOf = (page: number): string =>
      `${pda.url}/api/v2.6/data/${ENDPOINTS.large}?ordering=${ordering}&take=${PAGE_SIZE}&skip=${page * PAGE_SIZE}`;
    for (let page = 0; page < PAGES_BEFORE; page += 1) {
      const response = await fetch(urlOf(page), { headers: pda.headers });
      await response.arrayBuffer();
    }
    const deepLoad = { url: urlOf(PAGES_BEFORE), connections: CONNECTIONS, headers: pda.headers };
    const firstLoad = { ...deepLoad, url: urlOf(0) };
    const comparison = await compareSides(
      { rounds: context.rounds, seconds: context.seconds / 2, warmUpSeconds: 1 },
      { server: pda, load: deepLoad },
      { server: pda, load: firstLoad },
    );
    const label = `Page of ${PAGE_SIZE} records, ${ordering}, read after the ${PAGES_BEFORE} pages before it, compared with the first page`;
    figures.push(ratioFigure(label, 0.5, comparison));
  }
  return figures;
};
