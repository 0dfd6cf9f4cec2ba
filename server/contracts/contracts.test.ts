import { expect, it } from 'vitest';
import { silentLog } from '../platform/log.ts';
import { createTestDatabase } from '../platform/postgres/database.test-support.ts';
import { createContracts } from './contracts.ts';

it('limits invalid tokens by the address that the trusted proxy appends, and ignores forged x-forwarded-for entries', async () => {
  const service = await createContracts({ database: await createTestDatabase(), log: silentLog(), proxies: 1 });
  const { url } = await service.listen(0);
  const statusFor = async (forwarded: string): Promise<number> => {
    const headers = { 'x-forwarded-for': forwarded, authorization: 'Bearer pda-contract-guessed' };
    return (await fetch(`${url}/v1/contracts/keyring`, { headers })).status;
  };
  const statuses = [];
  for (let host = 0; host < 21; host += 1) statuses.push(await statusFor(`198.51.100.${host}, 203.0.113.7`));
  expect(statuses).toStrictEqual([...Array<number>(20).fill(401), 429]);
  expect(await statusFor('203.0.113.8')).toBe(401);
  await service.close();
});

it('returns a URL with the address on which it listens, or with a loopback address for 0.0.0.0', async () => {
  const database = await createTestDatabase();
  for (const [host, urlHost] of [
    ['127.0.0.2', '127.0.0.2'],
    ['0.0.0.0', '127.0.0.1'],
  ] as const) {
    const service = await createContracts({ database, log: silentLog() });
    const { port, url } = await service.listen(0, host);
    expect(url).toBe(`http://${urlHost}:${port}`);
    await service.close();
  }
});
