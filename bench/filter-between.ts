import { join } from 'node:path';
import type { Benchmark } from './support/context.ts';
import { copyHomeDatabase, waitForIndexes } from './support/database.ts';
import { assertSameResponse, compareSides, ratioFigure } from './support/load.ts';
import { call } from './support/pda.ts';
import { ENDPOINTS, FILTERED_RECORDS, SELECTED_NUMBER } from './support/records.ts';
import { formatRounded } from './support/stats.ts';

const CONNECTIONS = 10;
const COMBINATOR = 'bench-between';

const entries = [
  {
    endpoint: ENDPOINTS.filtered,
    filters: [
      { field: 'n', operator: { operator: 'between', lower: SELECTED_NUMBER - 1, upper: SELECTED_NUMBER + 1 } },
    ],
  },
];

export const filterBetween: Benchmark = async (context) => {
  const pda = await context.startPda();
  await call(pda, 'PUT', `combinator/${COMBINATOR}`, entries);
  await waitForIndexes(context.prepareHome(), 1);
  const copy = copyHomeDatabase(context.prepareHome(), join(context.folder, 'by-hand.sqlite'));
  const baseline = await context.startBaseline('filtered.ts', [copy, ENDPOINTS.filtered]);
  const url = `${pda.url}/api/v2.6/combinator/${COMBINATOR}`;
  const pdaLoad = { url, connections: CONNECTIONS, headers: pda.headers };
  const baselineLoad = {
    url: `${baseline.url}/?lower=${SELECTED_NUMBER - 1}&upper=${SELECTED_NUMBER + 1}`,
    connections: CONNECTIONS,
  };
  const responseText = await assertSameResponse(pdaLoad, baselineLoad);
  if (!responseText.includes(`"n":${SELECTED_NUMBER}`)) throw new Error('the record was not found');
  const comparison = await compareSides(
    context,
    { server: pda, load: pdaLoad },
    { server: baseline, load: baselineLoad },
  );
  const label = `\`between\` that matches one of ${formatRounded(FILTERED_RECORDS)} records, through a combinator with its index built, compared with handwritten SQL and index`;
  return [ratioFigure(label, 0.6, comparison)];
};
