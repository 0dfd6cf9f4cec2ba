import { expect, it } from 'vitest';
import { silentLog } from '../platform/log.ts';
import { freshPostgres } from '../platform/postgres/postgres.test-support.ts';
import { createContracts } from './contracts.ts';

it('knows callers apart behind a balancer, and none can hide behind what it writes itself', async () => {
  const service = await createContracts({ database: await freshPostgres(), log: silentLog(), proxies: 1 });
  const { url } = await service.listen(0);
  const tryFrom = async (forwarded: string): Promise<number> => {
    const headers = { 'x-forwarded-for': forwarded, authorization: 'Bearer pda-contract-guessed' };
    return (await fetch(`${url}/v1/contracts/keyring`, { headers })).status;
  };
  const one = [];
  for (let n = 0; n < 21; n += 1) one.push(await tryFrom(`198.51.100.${n}, 203.0.113.7`));
  expect(one).toStrictEqual([...Array<number>(20).fill(401), 429]);
  expect(await tryFrom('203.0.113.8')).toBe(401);
  await service.close();
});
