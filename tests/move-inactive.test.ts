import Sqlite from 'better-sqlite3';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { archiveCountsSchema } from '../server/wire/move.ts';
import { aContract, startContractedPda } from './support/contracts.ts';
import { respondJson, serve } from './support/http.ts';

/** Marks an account as imported and not yet activated, as an import does. */
const markAsImported = (home: string): void => {
  const names = Object.keys(archiveCountsSchema.shape).map((name) => [name, 0]);
  const db = new Sqlite(join(home, 'pda.sqlite'));
  db.prepare("INSERT INTO moves (id, name, program, exported, arrived, counts) VALUES ('m', 'ada', '0', 0, 0, ?)").run(
    JSON.stringify(Object.fromEntries(names)),
  );
  db.close();
};

it('an imported account sends nothing to the exchange and the contracts service before its activation', async () => {
  const receivedPaths: string[] = [];
  const exchange = await serve((request, response) => {
    receivedPaths.push(`${request.method} ${request.url}`);
    respondJson(response, 503, {});
  });
  const application = aContract('steps-study', [['namespaceread', 'fitness']]);
  const { pda, service, contracts, close } = await startContractedPda([application], ['steps-study']);
  markAsImported(pda.home);
  await pda.restart();
  service.receivedRequests.length = 0;

  // The owner prepares the account, as Settings → Move asks.
  await pda.call('PUT', '/api/v2.6/owner/network', { json: { exchange: exchange.url } });
  await pda.call('PUT', '/api/v2.6/owner/exposure', { json: { way: 'own', publicUrl: 'https://ada.example.org' } });
  await pda.call('POST', '/api/v2.6/owner/network/register');
  await pda.call('GET', '/api/v2.6/applications/steps-study/disable');
  expect((await contracts()).map(({ state }) => state)).toStrictEqual(['leaving']);
  // A later request of the same kind shows that no earlier one is on its way.
  await pda.call('GET', '/api/v2.6/applications');
  expect(service.receivedRequests).toStrictEqual([]);
  expect(receivedPaths.filter((path) => !path.startsWith('GET '))).toStrictEqual([]);

  expect((await pda.call('POST', '/api/v2.6/owner/move/settle')).status).toBe(200);
  await expect.poll(() => receivedPaths).toContain('POST /api/users/registerPda');
  await expect.poll(contracts).toStrictEqual([]);
  await close();
  await exchange.close();
});
