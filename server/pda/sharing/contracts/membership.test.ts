import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { aContract } from '../../../../tests/support/contracts.ts';
import { startContractsService, type ContractsStandIn } from '../../../../tests/support/contracts-service.ts';
import { respondJson, serve } from '../../../../tests/support/http.ts';
import { startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { ownerContractSchema } from '../../../wire/network.ts';

let pda: TestPda;
/** Accepts everything, and responds to departures when they are released. */
let oldService: Awaited<ReturnType<typeof serve>>;
let newService: ContractsStandIn;
let departures: string[];
let releaseDepartures: () => void;
beforeEach(async () => {
  departures = [];
  const { promise: whenReleased, resolve } = Promise.withResolvers<void>();
  releaseDepartures = resolve;
  oldService = await serve(async (request, response) => {
    if (request.method === 'DELETE') {
      departures.push(request.url ?? '');
      await whenReleased;
    }
    respondJson(response, 200, {});
  });
  pda = await startTestPda({
    config: { applications: [aContract('first', []), aContract('second', [])] },
    network: { allowLoopback: true },
  });
  newService = await startContractsService(pda.clock);
  await chooseService(oldService.url);
  for (const id of ['first', 'second']) await pda.call('GET', `/api/v2.6/applications/${id}/setup`);
  await expect.poll(listStates).toStrictEqual(['first joined', 'second joined']);
});
afterEach(async () => {
  releaseDepartures();
  await pda.close();
  await newService.close();
  await oldService.close();
});

const chooseService = async (url: string): Promise<void> => {
  const reply = await pda.call('PUT', '/api/v2.6/owner/network', { json: { contracts: url } });
  expect(reply.status).toBe(200);
};

const listStates = async (): Promise<string[]> => {
  const reply = await pda.call('GET', '/api/v2.6/owner/contracts');
  return ownerContractSchema
    .array()
    .parse(reply.json)
    .map(({ contractId, state }) => `${contractId} ${state}`);
};

it('contracts are joined immediately at a contracts service that the owner chooses, and left at the previous one', async () => {
  releaseDepartures();
  await chooseService(newService.url);
  await expect.poll(() => [...newService.joinedPdas]).toStrictEqual(['first ada', 'second ada']);
  expect(departures).toStrictEqual(['/v1/contracts/first/pdas/ada', '/v1/contracts/second/pdas/ada']);
});

it('a contract that the owner leaves while the contracts service changes is not joined at the new service', async () => {
  await chooseService(newService.url);
  while (departures.length === 0) await nextTurn();
  expect((await pda.call('POST', '/api/v2.6/owner/contracts/second/leave')).status).toBe(200);
  releaseDepartures();
  await expect.poll(listStates).toStrictEqual(['first joined']);
  expect([...newService.joinedPdas]).toStrictEqual(['first ada']);
});
