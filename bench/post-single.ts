import type { Benchmark } from './support/context.ts';
import { compareSides, ratioFigure } from './support/load.ts';
import { ENDPOINTS, recordTexts } from './support/records.ts';

/** Compares durable requests with one record of 200 bytes each with a server that stores nothing. */
export const postSingle: Benchmark = async (context) => {
  const pda = await context.pda();
  const bare = await context.bare('post.ts');
  const load = { connections: 50, method: 'POST', bodies: recordTexts(0, 50) } as const;
  const path = `/api/v2.6/data/${ENDPOINTS.single}`;
  const pdaLoad = { ...load, url: pda.url + path, headers: pda.headers };
  const bareLoad = { ...load, url: bare.url + path };
  const comparison = await compareSides(context, { server: pda, load: pdaLoad }, { server: bare, load: bareLoad });
  const label =
    'POST one 200-byte record, durable, 50 connections, to bare Koa + router + JSON body that stores nothing';
  return [ratioFigure(label, 0.5, comparison)];
};
