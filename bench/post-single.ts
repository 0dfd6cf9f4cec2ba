import type { Benchmark } from './support/context.ts';
import { compareSides, ratioFigure } from './support/load.ts';
import { ENDPOINTS, createRecordTexts } from './support/records.ts';

const CONNECTIONS = 50;

export const postSingle: Benchmark = async (context) => {
  const pda = await context.startPda();
  const baseline = await context.startBaseline('post.ts');
  const load = { connections: CONNECTIONS, method: 'POST', bodies: createRecordTexts(0, CONNECTIONS) } as const;
  const path = `/api/v2.6/data/${ENDPOINTS.single}`;
  const pdaLoad = { ...load, url: pda.url + path, headers: pda.headers };
  const baselineLoad = { ...load, url: baseline.url + path };
  const comparison = await compareSides(
    context,
    { server: pda, load: pdaLoad },
    { server: baseline, load: baselineLoad },
  );
  const label = `POST one 200-byte record, durable, ${CONNECTIONS} connections, compared with bare Koa + router + JSON body that stores nothing`;
  return [ratioFigure(label, 0.5, comparison)];
};
