import { join } from 'node:path';
import type { Benchmark } from './support/context.ts';
import { compareSides, ratioFigure, assertSameBytes } from './support/load.ts';
import { ENDPOINTS } from './support/records.ts';
import { whole } from './support/stats.ts';

const CONNECTIONS = 10;

/**
 * Compares reading the newest 100 records of a large endpoint with Koa that runs the same SELECT without a token
 * check.
 */
export const getLatest: Benchmark = async (context) => {
  const pda = await context.pda();
  const bare = await context.bare('latest.ts', [join(context.home(), 'pda.sqlite'), ENDPOINTS.large]);
  const path = `/api/v2.6/data/${ENDPOINTS.large}?ordering=descending&take=100`;
  const ours = { url: pda.url + path, connections: CONNECTIONS, headers: pda.headers };
  const theirs = { url: bare.url + path, connections: CONNECTIONS };
  await assertSameBytes(ours, theirs);
  const found = await compareSides(context, { server: pda, load: ours }, { server: bare, load: theirs });
  const what = `GET latest 100 of ${whole(context.records)}, token checked, to bare Koa with the same SELECT and bytes`;
  return [ratioFigure(what, 0.8, found)];
};
