import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { anApplication } from '../tests/support/applications.ts';
import { startContractsService } from '../tests/support/contracts-service.ts';
import { systemClock } from '../server/platform/clock.ts';
import type { UserRole } from '../server/wire/applications.ts';
import type { Benchmark } from './support/context.ts';
import { assertSameResponse, compareSides, ratioFigure, type Load } from './support/load.ts';
import { call, fillHome, NAME, serveHome, setUpApplication, waitForSearchIndex } from './support/pda.ts';

/** Many, because concurrent requests share the disk syncs of their access log entries. */
const CONNECTIONS = 50;
const CONTRACT = 'bench-contract';
const APPLICATION = 'bench-reader';
const ENDPOINT = 'bench/reads';
const RECORDS = 10_000;
const PAGE_SIZE = 100;

export const contractedRead: Benchmark = async (context) => {
  const home = join(context.folder, 'contract-home');
  fillHome(home, 0, RECORDS, [ENDPOINT]);
  const service = await startContractsService(systemClock);
  const roles: UserRole[] = [{ role: 'namespaceread', detail: 'bench' }];
  const contract = anApplication({ id: CONTRACT, roles });
  const config = {
    applications: [
      anApplication({ id: APPLICATION, roles }),
      { ...contract, kind: { ...contract.kind, kind: 'Contract' } },
    ],
    contracts: { url: service.url },
    development: { allowLoopback: true },
  };
  writeFileSync(join(home, 'config.json'), JSON.stringify(config));
  const pda = await serveHome(home);
  try {
    await waitForSearchIndex(pda);
    const api = `${pda.url}/api/v2.6`;
    await call(pda, 'GET', `applications/${CONTRACT}/setup`);
    const headers = await setUpApplication(pda, APPLICATION);
    const token = await service.issueToken({
      sub: CONTRACT,
      namespaces: [{ namespace: 'bench', read: true, write: false }],
    });
    const credentials = { token, contractId: CONTRACT, pdaName: NAME };
    const contractedLoad: Load = {
      url: `${api}/contract-data/read/${ENDPOINT}`,
      connections: CONNECTIONS,
      method: 'POST',
      bodies: [JSON.stringify({ ...credentials, ordering: 'descending', take: PAGE_SIZE })],
    };
    const directLoad: Load = {
      url: `${api}/data/${ENDPOINT}?ordering=descending&take=${PAGE_SIZE}`,
      connections: CONNECTIONS,
      headers,
    };
    await assertSameResponse(contractedLoad, directLoad);
    const comparison = await compareSides(
      context,
      { server: pda, load: contractedLoad },
      { server: pda, load: directLoad },
    );
    const label = `Contracted read of ${PAGE_SIZE} records, compared with the direct read by an application`;
    return [ratioFigure(label, 0.8, comparison)];
  } finally {
    await pda.stop();
    await service.close();
  }
};
