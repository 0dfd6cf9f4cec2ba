import type { Benchmark } from './support/context.ts';
import { compare, measure } from './support/load.ts';
import { ENDPOINTS, recordTexts } from './support/records.ts';

/** One record of 200 bytes per request, on the disk before it is answered, against a server that stores nothing. */
export const postSingle: Benchmark = async (context) => {
  const pda = await context.pda();
  const bare = await context.bare('post.ts');
  const load = { connections: 50, method: 'POST', bodies: recordTexts(0, 50) } as const;
  const path = `/api/v2.6/data/${ENDPOINTS.single}`;
  const ours = { ...load, url: pda.url + path, headers: pda.headers };
  const theirs = { ...load, url: bare.url + path };
  await measure(pda, ours, 2);
  await measure(bare, theirs, 2);
  const found = await compare(
    context.rounds,
    () => measure(pda, ours, context.seconds),
    () => measure(bare, theirs, context.seconds),
  );
  return [
    {
      what: 'POST one 200-byte record, durable, 50 connections, to bare Koa + router + JSON body that stores nothing',
      value: found.ratio,
      target: 0.5,
      better: 'more',
      unit: 'ratio',
      detail: `${found.detail}; ${found.spread}`,
    },
  ];
};
