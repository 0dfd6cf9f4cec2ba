import { join } from 'node:path';
import type { Benchmark, Pda } from './support/context.ts';
import { copyDatabase, waitForIndexes } from './support/database.ts';
import { compareSides, ratioFigure, assertSameBytes } from './support/load.ts';
import { ENDPOINTS, FILTERED_RECORDS, WANTED } from './support/records.ts';
import { formatRounded } from './support/stats.ts';

const CONNECTIONS = 10;
const COMBINATOR = 'bench-between';

const entries = [
  {
    endpoint: ENDPOINTS.filtered,
    filters: [{ field: 'n', operator: { operator: 'between', lower: WANTED - 1, upper: WANTED + 1 } }],
  },
];

const register = async (pda: Pda, url: string): Promise<void> => {
  const response = await fetch(url, {
    method: 'PUT',
    headers: { ...pda.headers, 'content-type': 'application/json' },
    body: JSON.stringify(entries),
  });
  if (!response.ok) throw new Error(`combinator: ${response.status} ${await response.text()}`);
};

/**
 * Compares finding one of 100,000 records through a registered combinator with handwritten SQL and a matching index.
 */
export const filterBetween: Benchmark = async (context) => {
  const pda = await context.pda();
  const url = `${pda.url}/api/v2.6/combinator/${COMBINATOR}`;
  await register(pda, url);
  await waitForIndexes(context.home(), 1);
  const copy = copyDatabase(context.home(), join(context.folder, 'by-hand.sqlite'));
  const bare = await context.bare('filtered.ts', [copy, ENDPOINTS.filtered]);
  const pdaLoad = { url, connections: CONNECTIONS, headers: pda.headers };
  const bareLoad = { url: `${bare.url}/?lower=${WANTED - 1}&upper=${WANTED + 1}`, connections: CONNECTIONS };
  const bytesNote = await assertSameBytes(pdaLoad, bareLoad);
  if (!bytesNote.includes(`"n":${WANTED}`)) throw new Error('the record was not found');
  const compared = await compareSides(context, { server: pda, load: pdaLoad }, { server: bare, load: bareLoad });
  const label = `\`between\` on one of ${formatRounded(FILTERED_RECORDS)} through a combinator, after first use, to SQL and index by hand`;
  return [ratioFigure(label, 0.6, compared)];
};
