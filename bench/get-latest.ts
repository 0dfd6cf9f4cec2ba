import { join } from 'node:path';
import type { Benchmark } from './support/context.ts';
import { assertSameResponse, compareSides, ratioFigure } from './support/load.ts';
import { ENDPOINTS } from './support/records.ts';
import { formatRounded } from './support/stats.ts';

const CONNECTIONS = 10;

export const getLatest: Benchmark = async (context) => {
  const pda = await context.startPda();
  const baseline = await context.startBaseline('latest.ts', [
    join(context.prepareHome(), 'pda.sqlite'),
    ENDPOINTS.large,
  ]);
  const path = `/api/v2.6/data/${ENDPOINTS.large}?ordering=descending&take=100`;
  const pdaLoad = { url: pda.url + path, connections: CONNECTIONS, headers: pda.headers };
  const baselineLoad = { url: baseline.url + path, connections: CONNECTIONS };
  await assertSameResponse(pdaLoad, baselineLoad);
  const comparison = await compareSides(
    context,
    { server: pda, load: pdaLoad },
    { server: baseline, load: baselineLoad },
  );
  const label = `GET of the newest 100 of ${formatRounded(context.records)} records, token checked, compared with bare Koa with the same SELECT and bytes`;
  return [ratioFigure(label, 0.8, comparison)];
};
