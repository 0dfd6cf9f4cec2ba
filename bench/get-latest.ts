import { join } from 'node:path';
import type { Benchmark } from './support/context.ts';
import { compare, measure } from './support/load.ts';
import { ENDPOINTS } from './support/records.ts';
import { whole } from './support/stats.ts';

const CONNECTIONS = 10;

const bytesOf = async (url: string, headers: Record<string, string>): Promise<Buffer> =>
  Buffer.from(await (await fetch(url, { headers })).arrayBuffer());

/** The newest 100 records of a large endpoint, token checked, against Koa that runs the same SELECT for anybody. */
export const getLatest: Benchmark = async (context) => {
  const pda = await context.pda();
  const bare = await context.bare('latest.ts', [join(context.home(), 'pda.sqlite'), ENDPOINTS.large]);
  const path = `/api/v2.6/data/${ENDPOINTS.large}?ordering=descending&take=100`;
  const ours = { url: pda.url + path, connections: CONNECTIONS, headers: pda.headers };
  const theirs = { url: bare.url + path, connections: CONNECTIONS };
  if (!(await bytesOf(ours.url, ours.headers)).equals(await bytesOf(theirs.url, {}))) {
    throw new Error('the two sides do not send the same bytes');
  }
  await measure(pda, ours, 2);
  await measure(bare, theirs, 2);
  const found = await compare(
    context.rounds,
    () => measure(pda, ours, context.seconds),
    () => measure(bare, theirs, context.seconds),
  );
  return [
    {
      what: `GET latest 100 of ${whole(context.records)}, token checked, to bare Koa with the same SELECT and bytes`,
      value: found.ratio,
      target: 0.85,
      better: 'more',
      unit: 'ratio',
      detail: `${found.detail}; ${found.spread}`,
    },
  ];
};
